import CallModel
import SetupTime
import Testing

@Suite("Two clocks of one call")
struct ClockSkewTests {
  private func sdp(_ ufrag: String) -> String { #"{"sdp":"v=0\r\na=ice-ufrag:\#(ufrag)\r\n"}"# }

  @Test("an offer there and an answer back bound the difference from both sides")
  func messages() throws {
    let caller = script(
      "0 sdp.offer-created \(sdp("aa"))", "5 sdp.local-set", "120 sdp.answer-received \(sdp("bb"))")
    let callee = script("-7960 sdp.offer-received \(sdp("aa"))", "-7920 sdp.answer-created \(sdp("bb"))")
    let skew = try #require(clockSkew(of: callee, against: caller))
    #expect(skew.offsetMs == 8000)
    #expect(skew.uncertaintyMs == 40)
    #expect(skew.matters)
    #expect(callee.first.map(skew.aligned)?.timeMs == 1_000_040)
    #expect(callee.first?.timeMs == 992_040, "nothing is shifted in place")
  }

  @Test("events that both logs report: the median of what they differ by")
  func twins() throws {
    let client = script(
      "0 call.created", #"900 conference.participant-joined {"participant":"u1"}"#,
      #"1500 conference.participant-joined {"participant":"u2"}"#, "9000 call.ended")
    let server = script(
      #"43890 conference.participant-joined {"participant":"u1"}"#,
      #"44510 conference.participant-joined {"participant":"u2"}"#, "52040 call.ended")
    let skew = try #require(clockSkew(of: server, against: client))
    #expect(skew.offsetMs == -43010)
    #expect(skew.pairs == 3)
    #expect(skew.uncertaintyMs == 20)
  }

  @Test(
    "captures of one call: the same SIP messages, also of a branch that was cancelled; none that occurs twice"
  )
  func sipMessages() throws {
    func message(_ time: Int, _ raw: String, _ cseq: String) -> EventRecord {
      EventRecord(timeMs: Double(time), event: .unknown, raw: raw, args: #"{"cseq":"\(cseq)"}"#)
    }
    let proxy = [0, 0].flatMap { _ in
      [
        message(0, "SIP INVITE", "2 INVITE"), message(2, "SIP INVITE", "2 INVITE"),
        message(3020, "SIP CANCEL", "2 CANCEL"), message(3021, "SIP 200 OK (CANCEL)", "2 CANCEL"),
        message(3022, "SIP 487 Request Terminated (INVITE)", "2 INVITE"),
      ]
    }
    let branch = [
      // Rung second: its INVITE is not the first one.
      message(-1000, "SIP INVITE", "2 INVITE"), message(1720, "SIP CANCEL", "2 CANCEL"),
      message(1721, "SIP 200 OK (CANCEL)", "2 CANCEL"),
      message(1722, "SIP 487 Request Terminated (INVITE)", "2 INVITE"),
    ]
    let skew = try #require(clockSkew(of: branch, against: proxy))
    #expect(skew.offsetMs == 1300 && skew.pairs == 3 && skew.uncertaintyMs == 1)
    #expect(clockSkew(of: branch, against: proxy, sameEnd: false) == nil)
  }

  @Test("two ends witness only what both see of a third")
  func otherEnds() {
    let caller = script("0 call.established", "100 call.ended", "5 dtls.connected")
    let callee = script("9000 call.established", "9100 call.ended", "9005 dtls.connected")
    #expect(clockSkew(of: callee, against: caller, sameEnd: false) == nil)
    let a = script("0 conference.presentation-started", "500 conference.presentation-stopped")
    let b = script("9000 conference.presentation-started", "9500 conference.presentation-stopped")
    #expect(clockSkew(of: b, against: a, sameEnd: false)?.offsetMs == -9000)
  }

  /// What the log of one end tells of a room that it enters: the roster, who is there, the stage, then what happens in it.
  private func room(enteredAt entry: Int, shift: Int = 0, _ lines: String...) -> [EventRecord] {
    let own = [
      "conference.roster-syncing", #"conference.participant-present {"participant":"alice"}"#,
      "conference.roster-synced", "conference.updated", "conference.stage", "conference.layout",
      #"conference.participant-joined {"participant":"alice"}"#,
      #"conference.participant-joined {"participant":"carol"}"#,
    ].enumerated().map { "\(entry + 10 * $0.offset) \($0.element)" }
    let shifted = lines.map { line in
      let words = line.split(separator: " ", maxSplits: 1)
      return "\((Int(words[0]) ?? 0) + shift) \(words[1])"
    }
    return script(own + shifted)
  }

  private static let mutedAndBack = [
    #"40000 call.muted {"participant":"bob","kind":"audio"}"#,
    #"50000 call.unmuted {"participant":"bob","kind":"audio"}"#,
  ]

  @Test("the room as each end found it is no witness; what somebody does in it is")
  func enteringARoom() throws {
    let first = room(enteredAt: 0)
    let later = room(enteredAt: 25_000)
    #expect(clockSkew(of: later, against: first, sameEnd: false) == nil)
    let both = Self.mutedAndBack
    let skew = try #require(
      clockSkew(
        of: room(enteredAt: 25_000, both[0], both[1]), against: room(enteredAt: 0, both[0], both[1]),
        sameEnd: false))
    #expect(skew.offsetMs == 0 && skew.pairs == 2)
    let ahead = room(enteredAt: 25_000, shift: 7000, both[0], both[1])
    #expect(
      clockSkew(of: ahead, against: room(enteredAt: 0, both[0], both[1]), sameEnd: false)?.offsetMs == -7000)
    #expect(clockSkew(of: later, against: first)?.offsetMs == -25_000, "of one end it is a witness")
  }

  @Test("what names nobody, and what each end is told of itself, is no witness")
  func unnamed() {
    let a = room(enteredAt: 0, "40000 call.muted", "50000 conference.message", "60000 conference.stage")
    let b = room(enteredAt: 0, "47000 call.muted", "57000 conference.message", "67000 conference.stage")
    #expect(clockSkew(of: b, against: a, sameEnd: false) == nil)
  }

  @Test("who left a room before another came has no other clock")
  func meetingInARoom() throws {
    let left = try #require(
      CallTimes(script("0 token.requested", "5 sdp.offer-sent", "9 call.established", "90 call.ended")))
    let came = try #require(
      CallTimes(script("900 token.requested", "905 sdp.offer-sent", "909 call.established", "990 call.ended"))
    )
    #expect(came.apart(from: left) == nil)
  }

  @Test("a caller and a callee bear witness by the beginning and the end of their call")
  func bothEnds() throws {
    let caller = script("0 call.created", "4800 call.established", "30000 call.ended")
    let callee = script("7450 call.incoming", "11700 call.established", "37100 call.ended")
    let skew = try #require(clockSkew(of: callee, against: caller, sameEnd: false))
    #expect(skew.offsetMs == -7000)
    #expect(skew.matters)
    let longer = script("7450 call.incoming", "11700 call.established", "47100 call.ended")
    #expect(clockSkew(of: longer, against: caller, sameEnd: false) == nil)
    #expect(
      clockSkew(of: caller, against: caller, sameEnd: false) == nil, "two callers are not one call's ends")
  }

  @Test("an end that was there only after the other had hung up has another clock")
  func apart() throws {
    let a = try #require(CallTimes(script("0 call.established", "1000 call.ended")))
    let b = try #require(CallTimes(script("9000 call.established", "12000 call.ended")))
    #expect(a.apart(from: b) == 8000)
    #expect(b.apart(from: a) == 8000)
    #expect(a.apart(from: a) == nil)
    #expect(CallTimes(script("0 call.ended", "5 call.established")) == nil)
  }

  @Test("stamps of whole seconds are no witness of half a second")
  func wholeSeconds() throws {
    let exact = script("400 call.created", "1500 call.ringing", "2600 call.established", "9500 call.ended")
    let whole = script("0 call.created", "1000 call.ringing", "2000 call.established", "9000 call.ended").map
    {
      var event = $0
      event.clockStepMs = 1000
      return event
    }
    #expect(try #require(clockSkew(of: whole, against: exact)).matters == false)
  }

  @Test("one clock, within what the network takes, is no skew; strangers bear no witness")
  func none() throws {
    let a = script("0 sdp.local-set \(sdp("aa"))", "100 sdp.answer-received \(sdp("bb"))")
    let b = script("20 sdp.offer-received \(sdp("aa"))", "60 sdp.local-set \(sdp("bb"))")
    #expect(try #require(clockSkew(of: b, against: a)).matters == false)
    #expect(clockSkew(of: script("0 call.ended"), against: script("9 call.created")) == nil)
    #expect(
      clockSkew(
        of: script("0 call.ended", "10 call.held"), against: script("0 call.ended", "90000 call.held")) == nil
    )
    #expect(clockSkew(of: [], against: []) == nil)
  }
}
