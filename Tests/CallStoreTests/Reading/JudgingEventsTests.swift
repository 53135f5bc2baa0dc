import CallModel
import Testing

@testable import CallStore

@Suite("Judging reads only the first and last background events")
struct JudgingEventsTests {
  /// A call with this many conference events, and a relevant one after every hundredth of them.
  private func events(_ background: Int) throws -> [StoredEvent] {
    let store = try Store.inMemory()
    let queue = SourceQueue(store)
    try queue.write(.named("a"), stored: { _ in }) { writer in
      try writer.connection(0, end("caller", Identity(.ufragLocal, "a")))
      for number in 0..<background {
        try writer.event(
          EventRecord(timeMs: Double(number), event: .conferenceLayout, raw: "\(number)"), of: 0)
        guard number % 100 == 99 else { continue }
        try writer.event(EventRecord(timeMs: Double(number), event: .callHeld, raw: "hold"), of: 0)
      }
      return .imported
    }
    try queue.flush()
    return try store.judgingEvents(
      ofCall: try #require(try store.value("SELECT call_key FROM calls").integer))
  }

  @Test("all of them if there are few", arguments: [0, 100, 3000, 3960])
  func few(background: Int) throws {
    #expect(try events(background).count == background + background / 100)
  }

  @Test("all if only the other events are many", arguments: [3961, 4000])
  func justEnough(background: Int) throws {
    #expect(try events(background).count == background + background / 100)
  }

  @Test("beyond that the first and last two thousand, and all relevant ones", arguments: [4001, 6000])
  func many(background: Int) throws {
    let events = try events(background)
    let read = events.filter { $0.record.event == .conferenceLayout }.map(\.record.raw)
    #expect(read == (Array(0..<2000) + Array((background - 2000)..<background)).map(String.init))
    #expect(events.count == 4000 + background / 100)
    #expect(events.map { $0.record.timeMs ?? -1 } == events.map { $0.record.timeMs ?? -1 }.sorted())
  }

  /// A call of one end with these events.
  private func store(_ events: [EventRecord]) throws -> (Store, call: Int64) {
    let store = try Store.inMemory()
    let queue = SourceQueue(store)
    try queue.write(.named("a"), stored: { _ in }) { writer in
      try writer.connection(0, end("caller", Identity(.ufragLocal, "a")))
      for event in events { try writer.event(event, of: 0) }
      return .imported
    }
    try queue.flush()
    return (store, try #require(try store.value("SELECT call_key FROM calls").integer))
  }

  @Test("summaries of candidate pairs are not used for judging, and are not events of a call")
  func pairs() throws {
    let (store, call) = try store([
      EventRecord(timeMs: 1, event: .callEstablished, raw: "up"),
      EventRecord(timeMs: 9, event: .mediaPathPairs, raw: "candidate-pair"),
    ])
    #expect(try store.judgingEvents(ofCall: call).map(\.record.raw) == ["up"])
    #expect(try store.events(ofCall: call).count == 2)
    #expect(EventName.mediaPathPairs.isEvidenceOfCall == nil)
  }

  @Test("of too many relevant ones, the first and last in time")
  func tooMany() throws {
    let times = (0..<6000).map { ($0 + 3000) % 6000 }
    let (store, call) = try store(
      times.map { EventRecord(timeMs: Double($0), event: .iceChecking, raw: "\($0)") })
    let read = try store.judgingEvents(ofCall: call, most: 10).map(\.record.raw)
    #expect(read == (Array(0..<10) + Array(5990..<6000)).map(String.init))
  }

  @Test(
    "keepalives, frames, messages and retries are background",
    arguments: [EventName.sessionKeepalive, .sessionFrame, .appMessage, .appMessageSent, .networkRetry])
  func background(event: EventName) throws {
    let (store, call) = try store(
      (0..<5000).map { EventRecord(timeMs: Double($0), event: event, raw: "") }
        + [EventRecord(timeMs: 2500, event: .callEnded, raw: "end")])
    let read = try store.judgingEvents(ofCall: call)
    #expect(read.count == 4001 && read.contains { $0.record.raw == "end" })
  }

  @Test("long arguments are reduced to short members with their types; descriptions are complete")
  func longArguments() throws {
    let long = String(repeating: "x", count: 3000)
    let short =
      #""yes":true,"no":false,"none":null,"n":1.5,"text":"a\"b","list":[1,{"a":true}],"object":{"b":[]}"#
    let args = #"{"payload":"\#(long)","deep":{"a":"\#(long)"},\#(short)}"#
    let (store, call) = try store([
      EventRecord(timeMs: 1, event: .callCreated, raw: "", args: args),
      EventRecord(timeMs: 2, event: .sdpOfferCreated, raw: "", args: args),
      EventRecord(timeMs: 3, event: .callEnded, raw: "", args: "{\(short)}"),
    ])
    let read = try store.judgingEvents(ofCall: call).map(\.record)
    #expect(read[0].args.utf8.count < 200)
    for name in ["yes", "no", "none", "n", "text", "list"] {
      #expect(read[0].argument(name) == read[2].argument(name), "\(name)")
    }
    #expect(read[0].args.contains(#""list":[1,{"a":true}]"#) && read[0].args.contains(#""yes":true"#))
    #expect(read[1].args == args && read[2].args == "{\(short)}")
  }
}
