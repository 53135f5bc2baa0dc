/// How much may be held of what waits until more is known of it: when it was, of which connection, how long it lasted.
public struct BufferBudget: Sendable {
  private let limit: Int
  private let maxBytes: Int
  private var count = 0
  private var bytes = 0
  private var leftOut = 0

  /// A budget for so many things at most, and so many bytes of text of them.
  public init(limit: Int = 10_000, maxBytes: Int = 32 << 20) {
    self.limit = limit
    self.maxBytes = maxBytes
  }

  /// Whether more is held than should be: something has to go on its way.
  public var isOver: Bool { count > limit || bytes > maxBytes }

  /// Something of so many bytes waits.
  public mutating func hold(_ size: Int) {
    count += 1
    bytes += size
  }

  /// Something that waited goes on its way.
  public mutating func release(_ size: Int) {
    count -= 1
    bytes -= size
  }

  /// Whether something with so many bytes of text is held; counted where not.
  public mutating func takes(_ size: Int) -> Bool {
    guard count < limit, size <= maxBytes - bytes else {
      leftOut += 1
      return false
    }
    hold(size)
    return true
  }

  /// Gives the room back, and tells the source what was left out.
  public mutating func finish(_ what: String, _ sink: any RecordSink) throws {
    if leftOut > 0 {
      try sink.reject(.beyond(limit, "\(what), or \(maxBytes >> 20) MiB of them", count: leftOut))
    }
    self = BufferBudget(limit: limit, maxBytes: maxBytes)
  }
}
