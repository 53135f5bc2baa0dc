import CallModel
import Testing

@testable import CallStore

@Suite("Of the events that only tell of the day, a judgement looks at the first and the last")
struct JudgingEventsTests {
  /// A call with so many events of a conference, and one that matters after every hundredth of them.
  private func events(_ background: Int) throws -> [StoredEvent] {
    let store = try Store.inMemory()
    let queue = SourceQueue(store)
    try queue.write(.named("a"), stored: { _ in }) { writer in
      try writer.connection(0, end("caller", Identity(.ufragLocal, "a")))
      for number in 0..<background {
        try writer.event(
          EventRecord(timeMs: Double(number), event: "conference.roster", raw: "\(number)"), of: 0)
        guard number % 100 == 99 else { continue }
        try writer.event(EventRecord(timeMs: Double(number), event: "call.held", raw: "hold"), of: 0)
      }
      return .imported
    }
    try queue.flush()
    return try store.judgingEvents(
      ofCall: try #require(try store.value("SELECT call_key FROM calls").integer))
  }

  @Test("all of them where there are few", arguments: [0, 100, 3000, 3960])
  func few(background: Int) throws {
    #expect(try events(background).count == background + background / 100)
  }

  @Test("all where the others alone make them many", arguments: [3961, 4000])
  func justEnough(background: Int) throws {
    #expect(try events(background).count == background + background / 100)
  }

  @Test("the first and the last two thousand of more, and all that matter", arguments: [4001, 6000])
  func many(background: Int) throws {
    let events = try events(background)
    let told = events.filter { $0.record.event == "conference.roster" }.map(\.record.raw)
    #expect(told == (Array(0..<2000) + Array((background - 2000)..<background)).map(String.init))
    #expect(events.count == 4000 + background / 100)
    #expect(events.map { $0.record.timeMs ?? -1 } == events.map { $0.record.timeMs ?? -1 }.sorted())
  }
}
