import Bytes
import CallModel

/// The log of calls and events of one connection of a dump.
struct UpdateLog {
  private struct Entry {
    var raw = ""
    var value = EventValue.none
    var timeMs: Double?
    var localTime: [UInt8] = []
  }

  private let connection: PeerConnection
  private let events: ApiEvents
  /// Entries of old dumps, whose times are of a zone that only the statistics tell.
  private var waiting: [Entry] = []
  private var budget = WaitingBudget()

  init(_ connection: PeerConnection, _ events: ApiEvents) {
    self.connection = connection
    self.events = events
  }

  /// Takes an entry: `{type, value, timestamp}`, or `{time, type, value}` of old.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return }
    var entry = Entry()
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "type" where try scanner.peek() == .string: entry.raw = try scanner.string().string
      case "value": entry.value = try EventValue(scanner.skip())
      case "timestamp": entry.timeMs = try ReportTime.read(&scanner)
      case "time" where try scanner.peek() == .string: entry.localTime = try scanner.string().decoded()
      default: try scanner.skip()
      }
    }
    if entry.timeMs == nil, !entry.localTime.isEmpty {
      let size = entry.raw.utf8.count + entry.value.json.count + entry.localTime.count
      if budget.takes(size) { waiting.append(entry) }
    } else {
      try events.give(entry.raw, entry.value, timeMs: entry.timeMs, of: connection)
    }
  }

  /// Gives what waited for the zone: the first entry is taken to be near the first poll, zones are whole quarters of an hour.
  mutating func finish(firstPollMs: Double?) throws {
    guard !waiting.isEmpty else { return }
    let clock = LocalClock(waiting.map(\.localTime), firstPollMs: firstPollMs)
    if let offset = clock?.offsetMinutes {
      let sign = offset < 0 ? "-" : "+"
      let digits = [abs(offset) / 60, abs(offset) % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      try connection.context.sink.note(
        "the log has local times without a zone: \(sign)\(digits[0]):\(digits[1]) by the first poll")
    } else {
      let why =
        LocalClock.canRead(waiting.map(\.localTime))
        ? "and nothing tells their zone" : "in no form that is known"
      try connection.context.sink.note("the log has local times, \(why): left without time")
    }
    for note in clock?.notes ?? [] { try connection.context.sink.note(note) }
    for entry in waiting {
      try events.give(entry.raw, entry.value, timeMs: clock?.epochMs(entry.localTime), of: connection)
    }
    waiting = []
    try budget.finish("entries of a connection's log in local time", connection.context.sink)
  }
}
