import CallModel
import Testing

@Suite("A call that nothing ended, and what opens another")
struct LeftCallTests {
  /// Lines in short, seconds and text; the events of each call, in the order in which the calls began.
  private func calls(_ lines: [String], tag: String = "") throws -> [String] {
    let text = lines.map { line in
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      return "\(Int(scriptStart + 1000 * (Double(words[0]) ?? 0))) \(tag)\(words[1])\n"
    }
    let log = try read(.sdkText, text.joined())
    return Dictionary(grouping: log.events) { $0.connection ?? -1 }.sorted { $0.key < $1.key }
      .map {
        $0.value.map { String($0.record.event.rawValue.drop { $0 != "." }.dropFirst()) }.joined(
          separator: " ")
      }
  }

  private let first = [
    "0 ucDidStartSession:", "0.2 createCallToAddress:sip:a@x.example",
    "1 call:didChangeStatus: ACBClientCallStatusRinging",
    "3 call:didChangeStatus: ACBClientCallStatusInCall",
  ]
  private func again(_ second: Double) -> [String] {
    [
      "\(second) createCallToAddress:sip:b@x.example",
      "\(second + 1) call:didChangeStatus: ACBClientCallStatusRinging",
      "\(second + 3) call:didChangeStatus: ACBClientCallStatusInCall",
      "\(second + 30) call:didChangeStatus: ACBClientCallStatusEnded",
    ]
  }

  @Test(
    "after a minute of silence what opens a call begins another, and what the application did before goes with it"
  )
  func silence() throws {
    let second = "created ringing established ended"
    #expect(try calls(first + again(7200)) == ["registered created ringing established", second])
    #expect(
      try calls(first + ["7199 ucDidStartSession:"] + again(7200))
        == ["registered created ringing established", "registered " + second])
    #expect(try calls(Array(first.dropLast()) + again(7200)) == ["registered created ringing", second])
  }

  @Test("within the minute a session that begins anew tells, other words do not")
  func restart() throws {
    #expect(try calls(first + ["40 ucDidStartSession:"] + again(40.5)).count == 2)
    #expect(try calls(first + again(40)).count == 1)
    #expect(
      try calls(
        first + ["30 uc:willRetryConnectionNumber:1 in:0.5", "40 ucDidStartSession:"] + again(40.5)
      ).count == 1)
    // A session may begin once the call was asked for.
    #expect(
      try calls([
        "0 createCallToAddress:sip:a@x.example", "0.5 ucDidStartSession:",
        "0.6 call:didChangeStatus: ACBClientCallStatusSetup",
        "1 call:didChangeStatus: ACBClientCallStatusRinging",
      ]).count == 1)
  }

  @Test("a call that stands says nothing for hours, and goes on")
  func established() throws {
    let end = "9000 call:didChangeStatus: ACBClientCallStatusEnded"
    #expect(try calls(first + [end]).count == 1)
    #expect(try calls(first + ["7000 ucDidStartSession:", end]).count == 1)
    // What comes in beside it cannot be told apart.
    #expect(
      try calls(
        first + ["7000 didReceiveCall:", "7000.1 call:didChangeStatus: ACBClientCallStatusAlerting", end]
      ).count == 1)
    // Nor can a call that is made while it is held.
    #expect(try calls(first + ["500 call.hold()"] + again(700)).count == 1)
  }

  @Test("slow steps of one call are no calls")
  func slow() throws {
    #expect(
      try calls([
        "0 createCallToAddress:sip:a@x.example", "90 call:didChangeStatus: ACBClientCallStatusRinging",
        "155 call:didChangeStatus: ACBClientCallStatusRinging",
        "220 call:didChangeStatus: ACBClientCallStatusInCall",
      ]).count == 1)
    #expect(
      try calls([
        "0 call:didChangeStatus: ACBClientCallStatusAlerting",
        "80 call:didChangeStatus: ACBClientCallStatusSetup",
        "81 call:didChangeStatus: ACBClientCallStatusInCall",
      ]).count == 1)
  }

  @Test("where a session began anew a call that comes in is another one; so is one with an id")
  func incoming() throws {
    let incoming = ["7201 didReceiveCall:", "7205 call:didChangeStatus: ACBClientCallStatusInCall"]
    #expect(try calls(first + ["7200 ucDidStartSession:"] + incoming).count == 2)
    #expect(try calls(first + ["7201 didReceiveCall: callId=zz"]).count == 2)
  }

  @Test(
    "who calls somebody else once the network was lost has given the call up; the same one may be called again"
  )
  func givenUp() throws {
    let lost = ["10 onConnectionRetry(1, 500)", "12 onConnectivityLost"]
    let other = try calls(first + lost + again(40))
    #expect(other.count == 2 && other[0].hasSuffix("retry lost") && other[1].hasSuffix("ended"), "\(other)")
    let same = again(40).map { $0.replacing("sip:b@", with: "sip:a@") }
    #expect(try calls(first + lost + same).count == 1)
  }
}
