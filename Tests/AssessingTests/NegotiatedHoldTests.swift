import CallModel
import Scoring
import Testing

@testable import Assessing

@Suite("Hold by the directions of SDP")
struct NegotiatedHoldTests {
  /// A description at a second, with the direction of each section.
  private func sdp(
    _ second: Double, _ event: EventName, type: String = "offer", session: Int = 1,
    _ sections: (String, String)...
  ) -> EventRecord {
    let lines = sections.map { "m=\($0.0) 9 RTP/AVP 0\\r\\na=\($0.1)\\r\\n" }.joined()
    let text = "v=0\\r\\no=- \(session) 2 IN IP4 192.0.2.1\\r\\n" + lines
    return EventRecord(
      timeMs: second * 1000, event: event, raw: event.rawValue,
      args: "{\"type\":\"\(type)\",\"sdp\":\"\(text)\"}")
  }

  /// What an end that always offers is told: its offers, and the answers of the other.
  private func offering(_ ways: [(Double, String)], session: (Int) -> Int = { _ in 1 }) -> [EventRecord] {
    ways.enumerated().flatMap { number, way in
      [
        sdp(way.0, .sdpLocalSetting, session: session(number), ("audio", "sendrecv")),
        sdp(way.0 + 0.1, .sdpAnswerReceived, session: 77, ("audio", way.1)),
      ]
    }
  }

  @Test("the holder, who goes on sending, hears nothing from answer to answer")
  func holder() {
    let held = quietSpans(offering([(0, "sendrecv"), (8, "recvonly"), (20, "sendrecv")]))
    #expect(held == [QuietSpan(startMs: 8100, endMs: 20_100, kind: .audio)])
  }

  @Test("the held one still hears; inactive silences both, and each medium is for itself")
  func held() {
    func answering(_ way: String) -> [QuietSpan] {
      quietSpans([
        sdp(0, .sdpLocalSetting, type: "answer", ("audio", "sendrecv"), ("video", "sendrecv")),
        sdp(8, .sdpLocalSetting, type: "answer", ("audio", way), ("video", "sendrecv")),
      ])
    }
    #expect(answering("recvonly") == [])
    #expect(answering("inactive") == [QuietSpan(startMs: 8000, kind: .audio)])
  }

  @Test(
    "a medium that signalling in a capture takes away is quiet by itself until it is given back, or the call is over"
  )
  func takenAway() {
    func event(_ second: Double, _ name: EventName, _ kind: String) -> EventRecord {
      EventRecord(timeMs: second * 1000, event: name, raw: name.rawValue, args: "{\"kind\":\"\(kind)\"}")
    }
    let picture = QuietSpan(startMs: 8000, endMs: 20_000, kind: .video)
    let account = [event(8, .mediaTakenAway, "video"), event(9, .mediaTakenAway, "audio")]
    #expect(
      quietSpans(account + [event(20, .mediaGivenBack, "video")])
        == [picture, QuietSpan(startMs: 9000, kind: .audio)])
    let ended = EventRecord(timeMs: 20_000, event: .callEnded, raw: "SIP BYE")
    #expect(
      quietSpans(account + [ended]) == [picture, QuietSpan(startMs: 9000, endMs: 20_000, kind: .audio)])
  }

  @Test("what never was to come is no hold, and of several connections nothing is said")
  func neither() {
    #expect(quietSpans(offering([(0, "recvonly"), (8, "recvonly")])) == [])
    #expect(quietSpans(offering([(0, "sendrecv"), (8, "recvonly")], session: { $0 })) == [])
  }
}
