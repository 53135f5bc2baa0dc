import Bytes
import CallModel

/// Holds events back, in order, until it is known how long the lasting ones lasted.
///
/// Bounded: when too many wait, the first goes out without its end, and the event that ends it then says how long it was.
struct EventOutbox {
  private struct Waiting {
    var record: EventRecord
    var connection: Int?
    var isOpen: Bool
  }

  private let sink: any RecordSink
  private var budget: WaitingBudget
  private var waiting: [Waiting] = []
  private var head = 0
  private var sent = 0
  /// Open spans by connection and kind: number of the event that began it, and when.
  private var open: [String: (number: Int, startMs: Double?)] = [:]

  init(sink: any RecordSink) {
    self.sink = sink
    budget = WaitingBudget(most: 2000, mostBytes: 8 << 20)
  }

  /// Takes the next event.
  mutating func put(_ record: EventRecord, of connection: Int?) throws {
    var record = record
    for key in LastingEvents.ended(by: record) { close(key, connection, at: &record) }
    var isOpen = false
    if let key = LastingEvents.opened(by: record) {
      let full = name(key, connection)
      if open[full] == nil || LastingEvents.isRepeatable(key), open.count < 10_000 {
        if let before = open[full] { settle(before.number, until: nil) }
        open[full] = (sent + waiting.count - head, record.ownTimeMs)
        isOpen = true
      }
    }
    budget.hold(record.size)
    waiting.append(Waiting(record: record, connection: connection, isOpen: isOpen))
    try flush()
  }

  /// Sends everything; what is still open has no end.
  mutating func finish() throws {
    for index in waiting.indices { waiting[index].isOpen = false }
    open.removeAll()
    try flush()
  }

  private mutating func flush() throws {
    while head < waiting.count, !waiting[head].isOpen || budget.isOver {
      let (record, connection) = (waiting[head].record, waiting[head].connection)
      // Its place is kept for a while, its text not.
      waiting[head].record.args = ""
      budget.release(record.size)
      try sink.event(record, of: connection)
      head += 1
      sent += 1
    }
    if head > 512 || head == waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
  }

  private mutating func close(_ key: String, _ connection: Int?, at end: inout EventRecord) {
    guard let span = open.removeValue(forKey: name(key, connection)) else { return }
    guard !settle(span.number, until: end.ownTimeMs) else { return }
    // Its beginning has gone out already.
    guard let start = span.startMs, let until = end.ownTimeMs,
      var members = LogArguments.members(of: end.args)
    else { return }
    var lasted = ByteWriter()
    lasted.append(until - start)
    members.add("lasted_ms", word: lasted.string)
    end.args = members.object
  }

  // Gives a waiting event its end; false if it no longer waits.
  @discardableResult
  private mutating func settle(_ number: Int, until: Double?) -> Bool {
    let index = number - sent + head
    guard index >= head, index < waiting.count else { return false }
    waiting[index].isOpen = false
    if let until, waiting[index].record.ownTimeMs != nil { waiting[index].record.untilMs = until }
    return true
  }

  private func name(_ key: String, _ connection: Int?) -> String { "\(connection ?? -1)/\(key)" }
}
