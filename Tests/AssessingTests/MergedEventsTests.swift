import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("Events of an end in several files")
struct MergedEventsTests {
  /// A log of one connection of which the lines are counted from elsewhere.
  private func log(source: Int64, connection: Int64, firstLine: Int) -> [StoredEvent] {
    [EventName.callRinging, .callEstablished, .callEnded].enumerated().map { place, name in
      let record = EventRecord(
        timeMs: Double(1000 * place), event: name, raw: name.rawValue, line: firstLine + place)
      return StoredEvent(record: record, endpoint: 1, source: source, connection: connection)
    }
  }

  @Test("keys, which depend on the order of import, decide nothing", arguments: [true, false])
  func order(isOneConnection: Bool) {
    let told = [(1, 2), (2, 1)].map { (first: Int64, second: Int64) in
      let events =
        log(source: first, connection: first, firstLine: 10)
        + log(source: second, connection: second, firstLine: 20)
      let connections: [Int64: Int64] = isOneConnection ? [1: 1, 2: 1] : [1: 1, 2: 2]
      return MergedEvents(of: events.sorted { $0.source < $1.source }, connections: connections).events
        .map(\.line)
    }
    #expect(told[0] == told[1])
  }
}
