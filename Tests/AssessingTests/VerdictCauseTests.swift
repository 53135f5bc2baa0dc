import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("What a failed or dropped call is blamed on")
struct VerdictCauseTests {
  private typealias Told = (second: Double, name: EventName, args: String)

  private func cause(_ events: [Told]) throws -> String? {
    let call = try EndsOfOneCall()
    try call.write("caller") { writer in
      for (place, event) in events.enumerated() {
        try writer.event(
          EventRecord(
            timeMs: 1_000_000_000 + event.second * 1000, event: event.name, raw: event.name.rawValue,
            sdk: "x",
            args: event.args, line: place + 1),
          of: 0)
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return try store.query("SELECT verdict_cause FROM calls").rows.first?.first?.string
  }

  private static let dialled: [Told] = [
    (0, .callDialing, "{}"), (0.9, .mediaLocalFailed, #"{"kind":"video","value":"NotFoundError"}"#),
  ]
  private static let givenUp: [Told] = [
    (1, .callRinging, "{}"), (5, .callEstablished, "{}"), (305, .networkRetry, "{}"),
    (325, .networkLost, #"{"code":"LOST","outcome":"dropped"}"#),
  ]
  private static let refused: [Told] = [
    (1, .callRinging, "{}"), (3, .callFailed, #"{"code":"503","outcome":"failed"}"#),
  ]
  private static let notThere: [Told] = [(1.1, .callFailed, #"{"code":"NOT_FOUND","outcome":"failed"}"#)]
  private static let broken: [Told] = [
    (5, .callEstablished, "{}"), (60, .callFailed, #"{"code":"ERROR","outcome":"failed"}"#),
  ]

  @Test("a camera that was missing when it began is no cause: the call went on without it")
  func goesOn() throws {
    #expect(try cause(Self.dialled + Self.givenUp) == "unknown")
    #expect(try cause(Self.dialled + Self.refused) == "server")
    #expect(try cause(Self.dialled + Self.notThere) == "unknown")
    #expect(try cause(Self.dialled + Self.broken) == "unknown")
  }

  @Test(
    "where nothing but the end came of it, it is",
    arguments: [
      (#"{"kind":"audio","value":"NotReadableError"}"#, "{}", "device"),
      (#"{"kind":"audio","value":"NotReadableError"}"#, #"{"code":"ERROR","outcome":"failed"}"#, "device"),
      (#"{"kind":"all","value":"NotAllowedError: refused"}"#, "{}", "permission"),
      (#"{"kind":"video","value":"NotReadableError"}"#, "{}", "device"),
    ])
  func fails(failure: String, end: String, expected: String) throws {
    #expect(
      try cause([
        (0, .callDialing, "{}"), (7.6, .mediaLocalFailed, failure), (7.7, .callFailed, end),
      ]) == expected)
  }
}
