import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("One verdict on what two ends tell")
struct CallVerdictTests {
  /// A call as its ends log it: seconds, event and arguments.
  private func judge(_ ends: [(name: String, events: [(Double, EventName, String)])]) throws -> Store {
    let call = try EndsOfOneCall()
    for end in ends {
      try call.write(end.name) { writer in
        for (second, name, args) in end.events {
          try writer.event(
            EventRecord(timeMs: 1_000_000_000 + second * 1000, event: name, raw: name.rawValue, args: args),
            of: 0)
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return store
  }

  @Test("the caller who gave up is believed before the callee who only saw the ringing end")
  func cancelled() throws {
    let caller: [(Double, EventName, String)] = [
      (0, .callCreated, "{}"), (0.1, .callRinging, "{}"), (2, .callEnded, #"{"by":"local"}"#),
    ]
    let callee: [(Double, EventName, String)] = [
      (0.1, .callIncoming, "{}"), (2.1, .callEnded, #"{"by":"remote"}"#),
    ]
    let both = try judge([("caller", caller), ("callee", callee)])
    #expect(try both.query("SELECT outcome FROM calls").rows.first?.first?.string == "cancelled")
    let alone = try judge([("callee", callee)])
    #expect(try alone.query("SELECT outcome FROM calls").rows.first?.first?.string == "no-answer")
  }

  @Test("a log of whole seconds tells no setup of none or of one second", arguments: [0.0, 1])
  func wholeSeconds(step: Double) throws {
    func setups(_ more: [(Double, EventName, String)]) throws -> [Double?]? {
      let events: [(Double, EventName, String)] =
        [(0, .sdpOfferCreated, "{}"), (0, .iceChecking, "{}"), (0, .iceConnected, "{}")]
        + [(step, .dtlsConnected, "{}"), (step, .callEstablished, "{}"), (31, .callEnded, "{}")] + more
      return try judge([("caller", events)]).query("SELECT setup_ms, setup_wall_ms FROM setups").rows.first?
        .map(\.number)
    }
    #expect(try setups([]) == [nil, nil])
    #expect(try setups([(0.017, .iceCandidate, "{}")]) == [step * 1000, step * 1000])
    #expect(try setups([(0.36, .icePairChanged, "{}")]) == [nil, nil], "the time of a poll")
    let room: (Double, EventName, String) = (0.4, .conferenceRosterSynced, "{}")
    #expect(try setups([room]) == [step * 1000, step * 1000], "the same log has milliseconds elsewhere")
  }

  @Test("a call starts with its own first event, not with what the application did hours before")
  func started() throws {
    let app: [(Double, EventName, String)] = [
      (-30_000.0, .sessionRegistered, "{}"), (-20_000, .pushSubscribed, "{}"),
      (-9000, .appBackground, "{}"),
      (-9000, .mediaDeviceChanged, "{}"),
    ]
    let call: [(Double, EventName, String)] = [
      (-2.0, .pushReceived, "{}"), (0, .callIncoming, "{}"), (6, .callEnded, "{}"),
    ]
    let store = try judge([("app", app + call + [(9000, .sessionClosed, "{}")])])
    #expect(
      try store.query("SELECT started_ms, duration_ms FROM calls").rows.first?.map(\.number) == [
        999_998_000, 8000,
      ])
    let token = try judge([("app", app + [(-3, .tokenRequested, "{}")] + call)])
    #expect(try token.query("SELECT started_ms FROM calls").rows.first?.first?.number == 999_997_000)
    let alone = try judge([("app", app)])
    #expect(try alone.query("SELECT started_ms FROM calls").rows.first?.first?.number == 970_000_000)
  }

  @Test("one moment is no duration")
  func oneMoment() throws {
    let store = try judge([("app", [(0, .callCreated, "{}")])])
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == nil)
  }
}
