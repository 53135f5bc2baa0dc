import CallModel
import Testing

@Suite("A SIP call that is transferred")
struct TransferTests {
  private static let target = "Refer-To: <sip:carol@example.org?Replaces=other%3Bto-tag%3D4>\r\n"

  private func transfers(_ read: Recorder) -> [EventRecord] {
    read.events.filter { $0.event == .callTransferred }
  }

  @Test("it is when the new call is reported to stand", arguments: ["200 OK", "486 Busy Here"])
  func reported(outcome: String) throws {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 5000, byB: false)
    call.request(5000, "REFER", 7, extra: Self.target, byB: true)
    call.answer(5010, "202 Accepted", "7 REFER", byA: true)
    for (ms, status) in [(5020.0, "100 Trying"), (6000, outcome)] {
      call.request(
        ms, "NOTIFY", Int(ms), body: "SIP/2.0 \(status)\r\n", content: "message/sipfrag;version=2.0")
    }
    call.request(7000, "BYE", 8)
    let read = try call.read()
    let ended = try #require(read.events.first { $0.event == .callEnded })
    guard outcome.hasPrefix("2") else {
      #expect(transfers(read).isEmpty && !ended.args.contains("transferred"))
      return
    }
    let event = try #require(transfers(read).first)
    #expect(transfers(read).count == 1)
    #expect(event.timeMs == Double(call.builder.startUs) / 1000 + 6000)
    #expect(event.args == #"{"by":"callee","target":"carol@example.org","replaces":true}"#)
    #expect(ended.args.contains(#""reason":"transferred""#))
  }

  @Test(
    "or when a party hangs up upon it, not when it was refused", arguments: ["202 Accepted", "603 Decline"])
  func hungUp(answer: String) throws {
    var call = TalkBuilder()
    call.request(5000, "REFER", 7, extra: "Refer-To: sip:carol@example.org\r\n")
    call.answer(5010, answer, "7 REFER")
    call.request(5100, "BYE", 8)
    let read = try call.read()
    #expect(transfers(read).count == (answer.hasPrefix("2") ? 1 : 0))
    if let event = transfers(read).first {
      #expect(event.args == #"{"by":"caller","target":"carol@example.org"}"#)
    }
  }
}
