import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("One verdict on what two ends tell")
struct CallVerdictTests {
  /// A call as its ends log it: seconds, event and arguments.
  private func judge(_ ends: [(name: String, events: [(Double, String, String)])]) throws -> Store {
    let call = try EndsOfOneCall()
    for end in ends {
      try call.write(end.name) { writer in
        for (second, name, args) in end.events {
          try writer.event(
            EventRecord(timeMs: 1_000_000_000 + second * 1000, event: name, raw: name, args: args), of: 0)
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return store
  }

  @Test("the caller who gave up is believed before the callee who only saw the ringing end")
  func cancelled() throws {
    let caller = [
      (0, "call.created", "{}"), (0.1, "call.ringing", "{}"), (2, "call.ended", #"{"by":"local"}"#),
    ]
    let callee = [(0.1, "call.incoming", "{}"), (2.1, "call.ended", #"{"by":"remote"}"#)]
    let both = try judge([("caller", caller), ("callee", callee)])
    #expect(try both.query("SELECT outcome FROM calls").rows.first?.first?.string == "cancelled")
    let alone = try judge([("callee", callee)])
    #expect(try alone.query("SELECT outcome FROM calls").rows.first?.first?.string == "no-answer")
  }

  @Test("a log of whole seconds tells no setup of none or of one second", arguments: [0.0, 1])
  func wholeSeconds(step: Double) throws {
    func setups(_ more: [(Double, String, String)]) throws -> [Double?]? {
      let events =
        [(0, "sdp.offer-created", "{}"), (0, "ice.checking", "{}"), (0, "ice.connected", "{}")]
        + [(step, "dtls.connected", "{}"), (step, "call.established", "{}"), (31, "call.ended", "{}")] + more
      return try judge([("caller", events)]).query("SELECT setup_ms, setup_wall_ms FROM setups").rows.first?
        .map(\.number)
    }
    #expect(try setups([]) == [nil, nil])
    #expect(try setups([(0.017, "ice.candidate", "{}")]) == [step * 1000, step * 1000])
    #expect(try setups([(0.36, "ice.pair-changed", "{}")]) == [nil, nil], "the time of a poll")
    let room = (0.4, "conference.roster-synced", "{}")
    #expect(try setups([room]) == [step * 1000, step * 1000], "the same log has milliseconds elsewhere")
  }

  @Test("a call starts with its own first event, not with what the application did hours before")
  func started() throws {
    let app = [
      (-30_000.0, "session.registered", "{}"), (-20_000, "push.subscribed", "{}"),
      (-9000, "app.background", "{}"),
      (-9000, "media.device-changed", "{}"),
    ]
    let call = [
      (-2.0, "push.received", "{}"), (0, "call.incoming", "{}"), (6, "call.ended", "{}"),
    ]
    let store = try judge([("app", app + call + [(9000, "session.closed", "{}")])])
    #expect(
      try store.query("SELECT started_ms, duration_ms FROM calls").rows.first?.map(\.number) == [
        999_998_000, 8000,
      ])
    let token = try judge([("app", app + [(-3, "token.requested", "{}")] + call)])
    #expect(try token.query("SELECT started_ms FROM calls").rows.first?.first?.number == 999_997_000)
    let alone = try judge([("app", app)])
    #expect(try alone.query("SELECT started_ms FROM calls").rows.first?.first?.number == 970_000_000)
  }

  @Test("one moment is no duration")
  func oneMoment() throws {
    let store = try judge([("app", [(0, "call.created", "{}")])])
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == nil)
  }
}
