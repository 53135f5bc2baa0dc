import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("Sound that left and was not heard, though no packet of it is missing where it was recorded")
struct UnheardSoundTests {
  private typealias Counted = MinuteOfCall.Counted

  /// The verdict on the capture of a call of a minute: of the callee's sound the caller has `extra`, and the callee's
  /// begins at `firstMs`.
  private func captured(_ extra: String? = nil, firstMs: Double = 0, pausesAgain: Bool = false) throws
    -> String
  {
    let start = MinuteOfCall.startMs
    let call = try EndsOfOneCall()
    for end in ["caller", "callee"] {
      try call.write(end, format: .pcap) { writer in
        try writer.addEvents([(0, .callEstablished)], from: start)
        var facts = StreamFacts()
        (facts.source, facts.direction, facts.kind) = (.capture, .inbound, .audio)
        (facts.ssrc, facts.codec, facts.clockRate) = (
          end == "caller" ? 2_000_000_001 : 2_000_000_002, "PCMU", 8000
        )
        try writer.stream(0, of: 0, facts)
        let first = end == "caller" ? firstMs : 0
        func isPaused(_ ms: Double) -> Bool { pausesAgain && end == "caller" && ms > 40_000 && ms < 52_000 }
        var packets = 0.0
        for ms in stride(from: first + 1000, through: 60_000, by: 1000) {
          if !isPaused(ms) { packets += 50 }
          var sample = Sample(timeMs: start + ms)
          (sample[.packets], sample[.expected], sample[.lost]) = (packets, packets, 0)
          sample[.lastPacketMs] = start + (isPaused(ms) ? 40_000 : ms)
          sample[.totalSamples] = packets * 160
          sample[.concealedSamples] = 0
          try writer.sample(sample, of: 0, extra: nil)
        }
        var totals = StreamTotals()
        (totals.firstMs, totals.lastMs) = (start + first, start + 60_000)
        (totals.packets, totals.expected) = (Int(packets), Int(packets))
        totals.extra = end == "caller" ? extra : nil
        try writer.totals(totals, of: 0)
        try writer.addEvents([(60, .callEnded)], from: start)
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return try store.query("SELECT verdict, verdict_end, verdict_cause, verdict_rule FROM calls").rows[0]
      .compactMap(\.string).joined(separator: " ")
  }

  private func during(_ seconds: ClosedRange<Double>) -> String {
    let start = MinuteOfCall.startMs
    return
      #""from_ms":\#(start + seconds.lowerBound * 1000),"until_ms":\#(start + seconds.upperBound * 1000)"#
  }

  @Test("what errors came back for, what went where nobody was, and what the receiver's reports never count")
  func undelivered() throws {
    #expect(try captured().hasPrefix("good"))
    let deaf = "silent caller lost-on-path sound-to-end"
    #expect(
      try captured(#"{"returned":{"error":"port unreachable","count":30,\#(during(20...59))}}"#) == deaf)
    #expect(
      try captured(#"{"astray":{"to":"192.168.1.5:4000","far_end":"203.0.113.7:4000",\#(during(20...60))}}"#)
        == deaf)
    #expect(try captured(#"{"not_received":{"packets":2000,\#(during(20...60))}}"#) == deaf)
    #expect(
      try captured(#"{"not_received":{"packets":600,\#(during(20...32))}}"#)
        == "poor caller lost-on-path long-gap"
    )
    let most = #"{"lost_beyond":{"lost":2850,"missing":0,"packets":3000}}"#
    #expect(try captured(most) == "silent caller lost-on-path sound-whole")
    let some = #"{"lost_beyond":{"lost":1200,"missing":0,"packets":3000}}"#
    #expect(try captured(some) == "poor caller loss-at-far-end")
  }

  @Test("sound that begins long after the answer was missed until then, unless it comes in bursts")
  func late() throws {
    #expect(try captured(firstMs: 3000).hasPrefix("good"))
    #expect(try captured(firstMs: 8000) == "poor caller not-sent bad-time")
    #expect(try captured(firstMs: 12_000) == "poor caller not-sent long-gap")
    #expect(try !captured(firstMs: 12_000, pausesAgain: true).hasPrefix("poor"))
  }

  @Test("statistics: what the far end reports lost as good as whole was not heard there")
  func statistics() throws {
    func sending(_ lost: @escaping (Double) -> Double) -> Counted {
      var sent = MinuteOfCall.sending
      sent.more = { second, sample in
        MinuteOfCall.spoken(second, &sample)
        sample[.lost] = lost(second)
        sample[.rttMs] = 20 + second
      }
      return sent
    }
    func verdict(_ lost: @escaping (Double) -> Double) throws -> String {
      try MinuteOfCall([("caller", [sending(lost), MinuteOfCall.hearing()])]).verdict
    }
    #expect(try verdict { $0 * 50 } == "silent lost-on-path sound-whole")
    #expect(try verdict { max(0, $0 - 31) * 50 } == "silent lost-on-path sound-to-end")
    #expect(try verdict { $0 * 20 } == "poor loss-at-far-end")
  }

  @Test("a microphone that gives silence all the while, and no word of a mute, where one end tells")
  func deadMicrophone() throws {
    let silence = Counted(direction: .outbound, packets: { $0 * 50 }) { second, sample in
      sample[.totalAudioEnergy] = 0
      sample[.totalSamplesDurationMs] = second * 1000
    }
    let streams = [silence, MinuteOfCall.hearing()]
    #expect(try MinuteOfCall([("caller", streams)]).verdict == "not-sent silent-source not-sent-whole")
    #expect(
      try MinuteOfCall([("caller", streams)], events: [(1, .callMuted)]).verdict.hasPrefix("good"))
  }

  @Test("a person who listens in a quiet room is no dead microphone: at the end of a call, at either end")
  func quiet() throws {
    func energy(_ quiet: Double) -> (Double) -> Double { { min($0, 20) * 0.002 + max(0, $0 - 20) * quiet } }
    func verdict(_ quiet: Double, _ direction: StreamDirection) throws -> String {
      let stream = Counted(direction: direction, packets: { $0 * 50 }) { second, sample in
        if direction == .inbound { MinuteOfCall.played(second, &sample) }
        sample[.totalAudioEnergy] = energy(quiet)(second)
        sample[.totalSamplesDurationMs] = second * 1000
      }
      let other = direction == .inbound ? MinuteOfCall.sending : MinuteOfCall.hearing()
      return try MinuteOfCall([("caller", [stream, other])]).verdict
    }
    // -75 dBFS, and nothing at all.
    for direction in [StreamDirection.inbound, .outbound] {
      #expect(try verdict(3e-8, direction).hasPrefix("good"))
      #expect(try verdict(0, direction).hasPrefix("not-sent"))
      #expect(try verdict(0, direction).hasSuffix("silent-source not-sent-to-end"))
    }
  }

  @Test("sound that stopped when the connection broke for good was lost, though nobody counted it")
  func broke() throws {
    let cut: (Double) -> Double = { min($0, 40) * 50 }
    let streams = [MinuteOfCall.sending, MinuteOfCall.hearing(cut)]
    let established: [(Double, EventName)] = [(0, .callEstablished), (0, .iceConnected)]
    #expect(
      try MinuteOfCall([("callee", streams)], events: established).verdict
        == "not-sent callee not-sent not-sent-to-end")
    #expect(
      try MinuteOfCall(
        [("callee", streams)], events: established + [(43, .iceDisconnected), (48, .iceFailed)]
      )
      .verdict.contains("lost-on-path"))
  }

  @Test("the far end's camera may be switched off, its sound does not go away")
  func remoteEnded() throws {
    func verdict(_ args: String) throws -> String {
      let call = try EndsOfOneCall()
      try call.write("caller") { writer in
        for (second, name, args) in [
          (0.0, EventName.callEstablished, "{}"), (20, .mediaRemoteEnded, args), (60, .callEnded, "{}"),
        ] {
          try writer.event(
            EventRecord(
              timeMs: MinuteOfCall.startMs + second * 1000, event: name, raw: name.rawValue, args: args),
            of: 0)
        }
      }
      let store = try call.finished()
      try Assessor(store: store).assessStale()
      return try store.query("SELECT verdict FROM calls").rows[0][0].string ?? ""
    }
    #expect(try verdict(#"{"kind":"video"}"#) == "unjudged")
    #expect(try verdict(#"{"kind":"audio"}"#) == "poor")
    #expect(try verdict("{}") == "poor")
  }
}
