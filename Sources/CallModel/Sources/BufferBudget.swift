/// Limits how much is buffered until more is known of it: its time, its connection, its duration.
public struct BufferBudget: Sendable {
  private let limit: Int
  private let maxBytes: Int
  private var count = 0
  private var bytes = 0
  private var leftOut = 0

  /// A budget for a number of items and for the bytes of their texts.
  public init(limit: Int = Limit.waitingEvents.value, maxBytes: Int = Limit.waitingEventBytes.value) {
    self.limit = limit
    self.maxBytes = maxBytes
  }

  /// Whether the budget is exceeded, so that something must be released.
  public var isOver: Bool { count > limit || bytes > maxBytes }

  /// Adds an item of a size in bytes.
  public mutating func hold(_ size: Int) {
    count += 1
    bytes += size
  }

  /// Removes an item.
  public mutating func release(_ size: Int) {
    count -= 1
    bytes -= size
  }

  /// Whether an item of a size fits, and is then held; counted as left out otherwise.
  public mutating func takes(_ size: Int) -> Bool {
    guard count < limit, size <= maxBytes - bytes else {
      leftOut += 1
      return false
    }
    hold(size)
    return true
  }

  /// Resets the budget, and reports to the source what was left out.
  public mutating func finish(_ what: String, _ sink: any RecordSink) throws {
    if leftOut > 0 {
      try sink.reject(.beyond(limit, "\(what), or \(maxBytes >> 20) MiB of them", count: leftOut))
    }
    self = BufferBudget(limit: limit, maxBytes: maxBytes)
  }
}
