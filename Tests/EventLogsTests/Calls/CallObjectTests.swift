import CallModel
import Testing

@Suite("The object of a call that a line prints tells whose it is")
struct CallObjectTests {
  /// A call that stands when another comes in and is not taken; §A and §B stand for the calls.
  private static func ios(_ prefix: String, _ incoming: String) -> [String] {
    [
      "200 createCallToAddress:sip:a@x.example",
      "1000 \(prefix)§A didChangeStatus: ACBClientCallStatusRinging",
      "3000 \(prefix)§A didChangeStatus: ACBClientCallStatusInCall", "20000 \(incoming)§B",
      "20010 \(prefix)§B didChangeStatus: ACBClientCallStatusAlerting",
      "24000 \(prefix)§B didChangeStatus: ACBClientCallStatusEnded",
      "70000 \(prefix)§A didChangeStatus: ACBClientCallStatusEnded",
    ]
  }

  private static func android(_ tag: String, _ argument: String) -> [String] {
    [
      "200 \(tag)§A createCall", "1000 \(tag)§A onStatusChanged(\(argument)§A, RINGING)",
      "3000 \(tag)§A onStatusChanged(\(argument)§A, IN_CALL)", "20000 \(tag)§B onIncomingCall",
      "20010 \(tag)§B onStatusChanged(\(argument)§B, ALERTING)",
      "24000 \(tag)§B onStatusChanged(\(argument)§B, ENDED)",
      "70000 \(tag)§A onStatusChanged(\(argument)§A, ENDED)",
    ]
  }

  static let logs: [(lines: [String], a: String, b: String)] = [
    (ios("call:", "phone:didReceiveCall: "), "<ACBClientCall: 0x60001>", "<ACBClientCall: 0x60002>"),
    (
      ios("call: ", "phone:<P: 0x5> didReceiveCall: "), "<ACBClientCall: 0x60001>", "<ACBClientCall: 0x60002>"
    ),
    (ios("call=", "phone:didReceiveCall: "), "<ACBClientCall: 0x60001>", "<ACBClientCall: 0x60002>"),
    (ios("call:", "phone:didReceiveCall: "), "0x60001", "0x60002"),
    (android("", "com.x."), "CallImpl@1a2b", "CallImpl@3c4d"),
    (android("", ""), "Call#17", "Call#18"), (android("", ""), "[call 17]", "[call 18]"),
  ]

  /// The events of each call in short, in the order in which the calls began.
  private func calls(_ lines: [String]) throws -> [String] {
    let text = lines.map { line in
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      return "\(Int(scriptStart + (Double(words[0]) ?? 0))) \(words[1])\n"
    }
    let log = try read(.sdkText, text.joined())
    #expect(!log.identities.contains { $0.kind == .call })
    #expect(log.facts.values.allSatisfy { $0.call == nil })
    return Dictionary(grouping: log.events) { $0.connection ?? -1 }.sorted { $0.key < $1.key }
      .map { $0.value.map { String($0.record.event.rawValue.dropFirst(5)) }.joined(separator: " ") }
  }

  @Test("a call that came in beside another", arguments: logs.indices)
  func beside(index: Int) throws {
    let log = Self.logs[index]
    let named = log.lines.map { $0.replacing("§A", with: log.a).replacing("§B", with: log.b) }
    #expect(
      try calls(named) == ["created ringing established ended", "alerting alerting ended"],
      "\(named.joined(separator: "\n"))")
  }

  @Test(
    "what only looks like one is none",
    arguments: ["A call", "Call@", "call:0x", "[call 17", "bobCall@10.0.0.1", "Call#", "Call@app.js"])
  func others(text: String) throws {
    #expect(
      try calls([
        "0 createCall", "10 onRinging Call#1", "20 onRinging Call#1", "30 onInCall Call#1",
        "40 onIncomingCall \(text)",
        "50 onEnded Call#1",
      ]).count == 1)
  }

  @Test("Rebtel's, behind the name")
  func rebtel() throws {
    #expect(
      try calls([
        "0 callUserWithId: bob", "800 callReceivedOnRemoteEnd: <REBCall: 0x1>",
        "7800 callEstablished: <REBCall: 0x1>", "20000 client:didReceiveIncomingCall: <REBCall: 0x2>",
        "25000 callEnded: <REBCall: 0x2>", "60000 callEnded: <REBCall: 0x1>",
      ]) == ["created ringing established ended", "incoming ended"])
  }

  @Test("a later call may have the object of an earlier one")
  func takenAgain() throws {
    let one = Array(Self.ios("call:", "").prefix(3)) + [Self.ios("call:", "")[6]]
    func at(_ offset: Double) -> [String] {
      one.map { line in
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        return "\((Double(words[0]) ?? 0) + offset) \(words[1])"
      }.map { $0.replacing("§A", with: "<ACBClientCall: 0x1>") }
    }
    let call = "created ringing established ended"
    #expect(try calls(at(0) + at(100_000) + at(200_000)) == [call, call, call])
  }

  @Test("an SDK that wraps the call anew for each word tells of one call")
  func wrappers() throws {
    #expect(
      try calls([
        "0 onIncomingCall(CallImpl@1a)", "10 onStatusChanged(CallImpl@1b, ALERTING)",
        "3000 onStatusChanged(CallImpl@1c, IN_CALL)", "9000 onStatusChanged(CallImpl@1d, ENDED)",
      ]) == ["alerting alerting established ended"])
  }
}
