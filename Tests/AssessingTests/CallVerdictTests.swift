import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("One verdict on what two ends tell")
struct CallVerdictTests {
  /// A call as its ends log it: seconds, event and arguments.
  private func judge(_ ends: [(name: String, events: [(Double, String, String)])]) throws -> Store {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    for end in ends {
      var header = SourceHeader(path: end.name, sha256: end.name, format: .runLog, importedMs: 1)
      header.call = "one"
      try queue.write(header, stored: { _ in }) { writer in
        var facts = ConnectionFacts()
        facts.endpoint = end.name
        try writer.connection(0, facts)
        for (second, name, args) in end.events {
          try writer.event(
            EventRecord(timeMs: 1_000_000_000 + second * 1000, event: name, raw: name, args: args), of: 0)
        }
        return SourceStatus(.imported)
      }
    }
    try queue.flush()
    try Assessor(store: store).assessStale()
    return store
  }

  @Test("the caller who gave up is believed before the callee who only saw the ringing end")
  func cancelled() throws {
    let caller = [(0, "call.created", "{}"), (0.1, "call.ringing", "{}"), (2, "call.ended", "{}")]
    let callee = [(0.1, "call.incoming", "{}"), (2.1, "call.ended", #"{"by":"remote"}"#)]
    let both = try judge([("caller", caller), ("callee", callee)])
    #expect(try both.query("SELECT outcome FROM calls").rows.first?.first?.string == "cancelled")
    let alone = try judge([("callee", callee)])
    #expect(try alone.query("SELECT outcome FROM calls").rows.first?.first?.string == "no-answer")
  }
}
