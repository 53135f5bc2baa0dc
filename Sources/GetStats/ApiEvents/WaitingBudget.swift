import CallModel

/// How much may be held of events that wait until it is known when they were, or of which connection.
struct WaitingBudget {
  /// Events held at most, and bytes of them.
  static let most = 10_000
  static let mostBytes = 32 << 20
  private var events = 0
  private var bytes = 0
  private var leftOut = 0

  /// Whether an event with so many bytes of text is held; counted where not.
  mutating func takes(_ size: Int) -> Bool {
    guard events < Self.most, size <= Self.mostBytes - bytes else {
      leftOut += 1
      return false
    }
    events += 1
    bytes += size
    return true
  }

  /// Gives the room back, and tells the source what was left out.
  mutating func finish(_ what: String, _ sink: any RecordSink) throws {
    if leftOut > 0 {
      try sink.reject(.beyond(Self.most, "\(what), or \(Self.mostBytes >> 20) MiB of them", count: leftOut))
    }
    self = WaitingBudget()
  }
}
