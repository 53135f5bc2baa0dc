import CallModel
import Testing

@Suite("What is missing is lost only where something shows that it was sent")
struct MissingMediaTests {
  private typealias Counted = MinuteOfCall.Counted
  private var sending: Counted { MinuteOfCall.sending }

  private func hearing(_ packets: @escaping (Double) -> Double = { $0 * 50 }) -> Counted {
    MinuteOfCall.hearing(packets)
  }

  private func verdict(_ ends: [(name: String, streams: [Counted])]) throws -> String {
    try MinuteOfCall(ends).verdict
  }

  @Test("sound that stops at one end, of which nobody counts what was sent, was not sent")
  func stops() throws {
    let cut: (Double) -> Double = { min($0, 30) * 50 }
    #expect(try verdict([("callee", [sending, hearing(cut)])]) == "not-sent callee not-sent not-sent-to-end")
    let counted = MinuteOfCall.reported(hearing(cut))
    #expect(try verdict([("callee", [sending, counted])]) == "silent callee lost-on-path sound-to-end")
    #expect(
      try verdict([("callee", [sending, hearing(cut)]), ("caller", [sending, hearing()])])
        == "silent callee lost-on-path sound-to-end")
  }

  @Test("an end of which a file in the middle is missing did not miss what the other end sent then")
  func missingFile() throws {
    func part(_ seconds: ClosedRange<Double>) -> (name: String, streams: [Counted]) {
      var streams = [sending, hearing()]
      for place in streams.indices {
        (streams[place].reported, streams[place].ssrc) = (seconds, 2_000_000_001 + UInt32(place))
      }
      return ("callee", streams)
    }
    var caller = [sending, hearing()]
    (caller[0].ssrc, caller[1].ssrc) = (2_000_000_002, 2_000_000_001)
    #expect(try verdict([part(1...20), part(40...60), ("caller", caller)]).hasPrefix("good"))
  }

  @Test("a connected call of pictures alone, of which none came, is without a picture, not without sound")
  func noPictureOfPicturesAlone() throws {
    func picture(_ direction: StreamDirection, _ packets: @escaping (Double) -> Double) -> Counted {
      Counted(direction: direction, kind: .video, packets: packets) { second, sample in
        sample[.frames] = packets(second) / 4
        sample[.framesReceived] = sample[.frames]
      }
    }
    let sent = picture(.outbound) { $0 * 100 }
    let ends = [
      (name: "callee", streams: [sent, picture(.inbound) { _ in 0 }]),
      (name: "caller", streams: [sent, picture(.inbound) { $0 * 100 }]),
    ]
    let call = try MinuteOfCall(ends, events: [(0, .callEstablished), (0, .iceConnected)])
    let verdict = try call.verdict
    #expect(verdict.hasPrefix("no-picture callee"), "\(verdict)")
  }

  @Test("who leaves takes the report of its sound along, and nothing is missing")
  func leaves() throws {
    var gone = hearing()
    gone.reported = 1...30
    #expect(try verdict([("callee", [sending, gone])]).hasPrefix("good"))
  }

  @Test("sound that the other end sent is missed also where no stream of it was ever reported")
  func neverReported() throws {
    let ends = [("callee", [sending]), ("caller", [sending, hearing()])]
    #expect(try verdict(ends) == "silent callee lost-on-path sound-whole")
    #expect(
      try verdict([("callee", [sending, hearing()]), ("caller", [sending, hearing()])]).hasPrefix("good"))
  }

  @Test("a camera that sends no packets any more is switched off, where only one end tells")
  func cameraOff() throws {
    func seeing(_ packets: @escaping (Double) -> Double, sent: ((Double) -> Double)? = nil) -> Counted {
      Counted(direction: .inbound, kind: .video, packets: packets) { second, sample in
        sample[.frames] = min(second, packets(second) / 100) * 25
        sample[.framesReceived] = sample[.frames]
        if let sent {
          sample[.farPackets] = sent(second)
          sample[.farPacketsMs] = MinuteOfCall.startMs + second * 1000
        }
      }
    }
    let off: (Double) -> Double = { min($0, 30) * 100 }
    #expect(try verdict([("callee", [sending, hearing(), seeing(off)])]).hasPrefix("good"))
    #expect(try verdict([("callee", [sending, hearing(), seeing(off, sent: off)])]).hasPrefix("good"))
    #expect(
      try verdict([("callee", [sending, hearing(), seeing(off, sent: { $0 * 100 })])])
        == "no-picture callee lost-on-path picture-to-end")
  }

  @Test("loss of the picture at the far end is none of its sound")
  func lossAtFarEnd() throws {
    func reported(_ kind: MediaKind) -> Counted {
      Counted(direction: .outbound, kind: kind, packets: { $0 * 50 }) { second, sample in
        sample[.lost] = second * 10
        sample[.rttMs] = 20 + second
      }
    }
    #expect(try verdict([("caller", [sending, hearing(), reported(.video)])]).hasPrefix("good"))
    #expect(try verdict([("caller", [reported(.audio)])]) == "poor loss-at-far-end")
  }

  private let none: (Double) -> Double = { _ in 0 }

  @Test("a picture that never came was sent by what its sender, or the reports of it, say")
  func pictureNeverCame() throws {
    let empty = Counted(direction: .inbound, kind: .video, packets: none)
    let shown = Counted(direction: .outbound, kind: .video, packets: { $0 * 100 })
    let seen = "no-picture callee lost-on-path picture-whole"
    #expect(
      try verdict([("callee", [sending, hearing(), empty]), ("caller", [sending, hearing(), shown])]) == seen,
      "though the callee shows none itself")
    #expect(try verdict([("callee", [sending, hearing(), MinuteOfCall.reported(empty)])]) == seen)
    #expect(try verdict([("callee", [sending, hearing(), empty])]).hasPrefix("good"), "a camera that is off")
    let ends = [("callee", [sending, hearing(), empty]), ("caller", [sending, hearing(), shown])]
    #expect(
      try MinuteOfCall(ends, note: SourceNote.repeatsOnly).verdict.hasPrefix("good"),
      "statistics of retransmissions alone say nothing of the picture")
    let still = MinuteOfCall.reported(empty, sent: { min($0, 20) })
    #expect(try verdict([("callee", [sending, hearing(), still])]).hasPrefix("good"), "probes alone")
  }

  @Test("sound that never came, by the reports of its sender")
  func soundNeverCame() throws {
    let empty = Counted(direction: .inbound, packets: none)
    let call = try MinuteOfCall([("callee", [sending, MinuteOfCall.reported(empty)])])
    #expect(try call.verdict == "silent callee lost-on-path sound-whole")
    #expect(try call.findings.contains("callee one-way-audio error"))
  }

  @Test("one voice of three that never came is an error, by the reports of its sender")
  func voiceNeverCame() throws {
    func voice(_ ssrc: UInt32, _ packets: @escaping (Double) -> Double) -> Counted {
      var voice = Counted(direction: .inbound, packets: packets)
      voice.ssrc = ssrc
      return voice
    }
    var (others, empty) = ([hearing(), hearing()], Counted(direction: .inbound, packets: none))
    (others[0].ssrc, others[1].ssrc, empty.ssrc) = (1_000_000_001, 1_000_000_002, 1_000_000_003)
    let call = try MinuteOfCall([("callee", [sending] + others + [MinuteOfCall.reported(empty)])])
    #expect(try call.verdict == "poor callee lost-on-path error-finding")
    #expect(try call.findings == ["callee stream-not-received error"])
    #expect(
      try verdict([("callee", [sending] + others + [empty])]).hasPrefix("good"),
      "a participant who sends nothing is not missed")
  }

  @Test("a stream that was taken away is missed where what took its place did not come")
  func otherSSRC() throws {
    func part(_ stream: Counted, _ ssrc: UInt32, _ reported: ClosedRange<Double>) -> Counted {
      var part = stream
      (part.ssrc, part.reported) = (ssrc, reported)
      return part
    }
    let (first, second): (UInt32, UInt32) = (1_000_000_001, 1_000_000_002)
    let later = MinuteOfCall.sending { max(0, $0 - 30) * 50 }
    let sent = [part(sending, first, 1...30), part(later, second, 31...60)]
    let heard = part(hearing(), first, 1...30)
    #expect(
      try verdict([("callee", [sending, heard]), ("caller", sent + [hearing()])])
        == "silent callee lost-on-path sound-to-end")
    let went = part(hearing { max(0, $0 - 30) * 50 }, second, 31...60)
    #expect(
      try verdict([("callee", [sending, heard, went]), ("caller", sent + [hearing()])]).hasPrefix("good"))
    #expect(
      try verdict([("callee", [part(sending, 7, 31...60), went]), ("caller", sent + [hearing()])])
        .hasPrefix("good"), "who joins late misses nothing before")
    #expect(
      try verdict([
        ("callee", [sending, part(hearing(), 3_000_000_001, 1...30)]), ("caller", sent + [hearing()]),
      ]).hasPrefix("good"), "a server that passes on what it likes")
  }

  @Test("sound that an end never sent, though its microphone was heard, is missed at the other one")
  func neverSent() throws {
    let unsent = MinuteOfCall.sending(none)
    let alone = try MinuteOfCall([("caller", [unsent, hearing()])])
    #expect(try alone.verdict == "silent not-sent sound-whole", "at an end that is not on record")
    #expect(try alone.findings == ["caller sound-not-sent warning"])
    #expect(
      try verdict([("caller", [unsent, hearing()]), ("callee", [sending])])
        == "silent callee not-sent sound-whole")
    var off = unsent
    off.more = { second, sample in
      MinuteOfCall.spoken(second, &sample)
      sample[.active] = 0
    }
    #expect(try verdict([("caller", [off, hearing()])]).hasPrefix("good"), "it is switched off")
    let mute = Counted(direction: .outbound, packets: none)
    #expect(try verdict([("caller", [mute, hearing()])]) == "not-sent not-sent not-sent-whole")
    let muted = try MinuteOfCall([("caller", [unsent, hearing()])], events: [(1, .callMuted)])
    #expect(try muted.verdict.hasPrefix("good") && muted.findings.isEmpty)
  }

  @Test("sound that an end stopped to send may be a hold of which nobody tells")
  func stopsToSend() throws {
    let stopped = MinuteOfCall.sending { min($0, 30) * 50 }
    let call = try MinuteOfCall([("caller", [stopped, hearing()])])
    #expect(try call.verdict == "not-sent not-sent not-sent-to-end")
    #expect(try call.findings == ["caller sound-not-sent info"])
    let late = MinuteOfCall.sending { max(0, $0 - 10) * 50 }
    #expect(try verdict([("caller", [late, hearing()])]).hasPrefix("good"))
  }

  @Test("a time in which neither end sends is told of at both, and a third of a call is not good")
  func neitherSends() throws {
    func paused(_ seconds: Double) -> (Double) -> Double {
      { ($0 <= 20 ? $0 : max(20, $0 - seconds)) * 50 }
    }
    func ends(_ seconds: Double) -> [(name: String, streams: [Counted])] {
      let streams = [MinuteOfCall.sending(paused(seconds)), hearing(paused(seconds))]
      return [("callee", streams), ("caller", streams)]
    }
    let long = try MinuteOfCall(ends(25))
    #expect(try long.verdict == "not-sent callee not-sent not-sent-third")
    #expect(
      try long.findings == [
        "callee far-end-silent info", "callee sound-not-sent info", "caller far-end-silent info",
        "caller sound-not-sent info",
      ])
    #expect(try verdict(ends(12)).hasPrefix("good"))
    let held = try MinuteOfCall(ends(25), events: [(20, .callHeld), (45, .callResumed)])
    #expect(try held.verdict.hasPrefix("good") && held.findings.isEmpty)
  }

  @Test("sound that the other end sent in the middle is missed also by who sends none")
  func listener() throws {
    let hole: (Double) -> Double = { ($0 <= 20 ? $0 : max(20, $0 - 25)) * 50 }
    #expect(
      try verdict([("callee", [hearing(hole)]), ("caller", [sending, hearing()])])
        == "silent callee lost-on-path sound-third")
  }

  @Test("a call of pictures alone: one that stops is missed where its sender shows it")
  func picturesAlone() throws {
    func picture(_ direction: StreamDirection, until end: Double = 60) -> Counted {
      Counted(direction: direction, kind: .video, packets: { min($0, end) * 100 }) { second, sample in
        sample[.frames] = min(second, end) * 25
      }
    }
    #expect(
      try verdict([
        ("callee", [picture(.outbound), picture(.inbound, until: 30)]),
        ("caller", [picture(.outbound), picture(.inbound)]),
      ]) == "no-picture callee lost-on-path picture-to-end")
    #expect(
      try verdict([
        ("callee", [picture(.outbound), picture(.inbound, until: 30)]),
        ("caller", [picture(.outbound, until: 30), picture(.inbound)]),
      ]).hasPrefix("good"), "a camera that was switched off")
  }

  @Test("a picture of which packets were sent and no frame stood still at its sender")
  func noFramesSent() throws {
    func picture(_ direction: StreamDirection, stops: Bool) -> Counted {
      Counted(direction: direction, kind: .video, packets: { $0 * 100 }) { second, sample in
        sample[.frames] = (stops && second > 20 ? max(20, second - 15) : second) * 25
      }
    }
    func verdict(sent: Bool) throws -> String {
      try self.verdict([
        ("callee", [sending, hearing(), picture(.inbound, stops: true)]),
        ("caller", [sending, hearing(), picture(.outbound, stops: !sent)]),
      ])
    }
    #expect(try verdict(sent: true) == "poor callee undecodable long-gap")
    #expect(try !verdict(sent: false).contains("undecodable"))
  }

  @Test("sound that is played at half of its speed is not well heard, whatever came")
  func slowPlayout() throws {
    var slow = hearing()
    slow.more = { second, sample in
      MinuteOfCall.played(second, &sample)
      sample[.totalSamples] = second * 24_000
      sample[.totalSamplesDurationMs] = second * 500
    }
    #expect(try verdict([("callee", [sending, slow])]) == "poor callee bad-time")
    #expect(
      try verdict([("callee", [sending, slow, hearing()])]).hasPrefix("good"),
      "another stream is played in time")
    func emitting(_ speed: Double, packets: @escaping (Double) -> Double = { $0 * 50 }) -> Counted {
      var stream = Counted(direction: .inbound, packets: packets) { second, sample in
        sample[.jitterBufferEmitted] = second * 48_000 * speed
      }
      stream.codec = "opus"
      return stream
    }
    #expect(
      try verdict([("callee", [sending, emitting(0.5)])]) == "poor callee bad-time", "nobody counts playout")
    #expect(try verdict([("callee", [sending, emitting(0.98)])]).hasPrefix("good"))
    #expect(
      try verdict([("callee", [sending, emitting(0.1) { $0 * 5 }])]).hasPrefix("good"), "a pause of the codec"
    )
  }
}
