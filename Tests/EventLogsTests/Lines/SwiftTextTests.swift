import CallModel
import Testing

@Suite("What Swift prints around a value is none of it")
struct SwiftTextTests {
  private func info(_ type: String, _ call: String, _ ms: Int) -> String {
    let time = Int(scriptStart) + ms
    return
      #"2026-11-21 03:55:00.\#(100 + ms / 100) App[4:9] Detailed info is [AnyHashable("type"): "\#(type)", AnyHashable("callId"): "\#(call)", AnyHashable("time"): "\#(time)", AnyHashable("action"): "callMetric"]"#
      + "\n"
  }

  @Test("a dictionary whose keys are of any type: its own times, and two calls for two ids")
  func dictionaries() throws {
    let log = try read(
      .sdkText,
      info("callCreate", "A-1", 0) + info("callRestSent", "A-1", 420) + info("callRinging", "A-1", 1200)
        + info("incomingCall", "B-2", 25_000) + info("callCreate", "B-2", 30_000))
    #expect(
      log.names == [.callCreated, .callRequestSent, .callRinging, .callIncoming, .callCreated])
    #expect(log.records.map { ($0.timeMs ?? 0) - scriptStart } == [0, 420, 1200, 25_000, 30_000])
    #expect(Set(log.facts.values.compactMap(\.call)) == ["A-1", "B-2"])
    #expect(log.records.first?.argument("action") == "callMetric")
  }

  @Test(
    "optional values, in an object, as pairs, alone and in the holes of a line",
    arguments: [
      (
        #"Detailed info is ["type": Optional("callCreate"), "callId": Optional(AnyHashable("A-1")), "action": "callMetric", "time": Optional(1795226100000)]"#,
        "callId", "A-1"
      ),
      (#"callRinging callId: Optional("A-1"), delay: Optional(5)"#, "callId", "A-1"),
      (#"callRinging callId=Optional("A-1")"#, "callId", "A-1"),
      (#"callRinging [AnyHashable("callId"): "A-1", "n": 2]"#, "callId", "A-1"),
      (#"incomingCall: id is Optional("A-1")"#, "callId", "A-1"),
      (#"callStatusChanged: Call state is RINGING call id is Optional("A-1")"#, "callId", "A-1"),
      (
        #"Call is ended because of reason Optional("Not Found") with code Optional(404)"#, "words",
        "the callee does not exist"
      ),
    ])
  func optionals(line: String, name: String, value: String) throws {
    let log = try read(.sdkText, "2026-11-21T03:55:00Z \(line)\n")
    #expect(log.records.last?.argument(name) == value)
  }

  @Test("other SDKs' texts too, and no secret in any")
  func others() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-21T03:55:00Z makeCall Optional("meet")
      2026-11-21T03:55:01Z onDisconnect Optional("Token expired")
      2026-11-21T03:55:02Z onError [AnyHashable("error"): "Invalid PIN", AnyHashable("sessionToken"): "HIDDEN1"]

      """)
    #expect(log.records.map { $0.argument("code") } == [nil, "Token expired", "Invalid PIN"])
    #expect(!log.records.map(\.args).joined().contains("HIDDEN"))
  }

  @Test("wrappings without end are survived")
  func endless() throws {
    let text = String(repeating: "Optional(", count: 50_000)
    _ = try read(.sdkText, "Detailed info is [\(text)\nonRinging \(text)\nincomingCall: id is \(text)\n")
  }
}
