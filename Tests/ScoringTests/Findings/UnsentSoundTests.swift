import CallModel
import Scoring
import Testing

/// Sound that does not come because nobody sent it.
@Suite("Findings on sound that was not sent")
struct UnsentSoundTests: FindingSuite {
  /// Both ways in a capture; the far end's sound stops from 10 to 22 s, with so many packets missing afterwards.
  private func captured(lost: Double) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio, .inbound, .capture)
    let outbound = trace.stream(.audio, .outbound, .capture)
    for time in stride(from: 1.0, through: 40, by: 1) {
      let got = time <= 10 ? time : max(10, time - 12)
      let last = time > 10 && time <= 22 ? 10 : time
      trace.report(
        inbound, at: time,
        [.packets: got * 50, .lost: time > 22 ? lost : 0, .lastPacketMs: Trace.start + last * 1000])
      trace.report(outbound, at: time, [.packets: time * 50])
    }
    return trace
  }

  @Test("Where the numbers of a capture go on, the far end sent no sound: told, not judged")
  func numbersGoOn() throws {
    let finding = try #require(findings(captured(lost: 0)).first)
    #expect("\(finding.name) \(finding.severity)" == "far-end-silent info")
    #expect(finding.startMs == Trace.start + 10_000)
    #expect(abs((finding.endMs ?? 0) - (Trace.start + 22_000)) <= 1000)
    #expect(codes(captured(lost: 600)) == ["one-way-audio"])
  }

  /// Sound of Opus as a capture has it, which stops from 10 s on for so long and goes on with the next number, or all at once.
  private func stopped(forS pause: Double, lost: Double = 0, atOnce: Bool = false) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio, .inbound, .capture)
    for time in stride(from: 1.0, through: 40, by: 1) {
      let back = 10.2 + pause
      let sent = time <= 10 ? time : time < back ? 10.2 : time - (atOnce ? 0 : pause)
      let played = time * 48_000
      let made = min(max(0, time - 10.2), pause) * 48_000
      trace.report(
        inbound, at: time,
        [
          .packets: sent * 50, .lost: time >= back ? lost : 0, .totalSamples: played,
          .concealedSamples: made, .silentConcealedSamples: made * 0.9,
          .lastPacketMs: Trace.start + (time > 10 && time < back ? 10.2 : time) * 1000,
        ])
    }
    return trace
  }

  @Test("A far end that stalled for a moment is reported, what the network lost or held back is not")
  func standstill() throws {
    let finding = try #require(findings(stopped(forS: 3)).first)
    #expect("\(finding.name) \(finding.severity)" == "far-end-silent info")
    #expect(finding.text.contains("stalled"))
    #expect(abs((finding.startMs ?? 0) - (Trace.start + 10_200)) <= 100)
    #expect(codes(stopped(forS: 3, lost: 150)) == [])
    #expect(codes(stopped(forS: 3, atOnce: true)) == [])
    #expect(codes(stopped(forS: 0.6)) == [])
  }

  @Test(
    "A pause by the far end's own count of packets is its own, and a loss is a loss",
    arguments: [true, false])
  func senderCounts(isPause: Bool) throws {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    let outbound = trace.stream(.audio, .outbound)
    for time in stride(from: 1.0, through: 60, by: 1) {
      let got = time <= 10 ? time : max(10, time - 20)
      let reported = ((time - 0.4) / 5).rounded(.down) * 5
      let counted = isPause ? (reported <= 10 ? reported : max(10, reported - 20)) : reported
      trace.report(
        inbound, at: time,
        [
          .packets: got * 50, .lastPacketMs: Trace.start + (time > 10 && time <= 30 ? 10 : time) * 1000,
          .farPackets: counted * 50, .farPacketsMs: Trace.start + reported * 1000,
        ])
      trace.report(outbound, at: time, [.packets: time * 50])
      trace.path(at: time, bytes: time * 10_000)
    }
    let finding = try #require(findings(trace).first)
    #expect(
      "\(finding.name) \(finding.severity)" == (isPause ? "far-end-silent info" : "one-way-audio error"))
  }

  @Test("A capture where it was sent tells as well what was not")
  func notCaptured() throws {
    let missing = try #require(findings(healthy(received: { min($0, 10) })).first)
    for stops in [true, false] {
      var far = Trace()
      let outbound = far.stream(.audio, .outbound, .capture)
      let inbound = far.stream(.audio, .inbound, .capture)
      for time in stride(from: 1.0, through: 40, by: 1) {
        let sent = stops ? min(time, 10) : time
        far.report(inbound, at: time, [.packets: time * 50])
        // Nobody samples for long what has stopped.
        if sent == time || time < 25 {
          far.report(outbound, at: time, [.packets: sent * 50, .lastPacketMs: Trace.start + sent * 1000])
        }
      }
      var scan = FindingScan(streams: far.streams)
      for step in far.steps { scan.add(step.sample, of: step.stream) }
      _ = scan.finish(FindingContext())
      #expect(scan.notSent.explain(missing).name == (stops ? "far-end-silent" : "one-way-audio"))
    }
  }

  @Test("What the far end did not send is no fault of the way: told, not judged")
  func notSent() throws {
    let missing = try #require(findings(healthy(received: { min($0, 10) })).first)
    let silent = try #require(findings(healthy(energy: 1e-9)).first)
    let muted = try #require(findings(healthy(energy: 0)).first)
    func said(_ finding: Finding, _ far: Trace) -> String {
      var scan = FindingScan(streams: far.streams)
      for step in far.steps { scan.add(step.sample, of: step.stream) }
      _ = scan.finish(FindingContext())
      let reported = scan.notSent.shifted(byMs: 0).explain(finding)
      return "\(reported.name) \(reported.severity)"
    }
    let stopped = healthy(change: { time, sent in sent[.packets] = min(time, 10) * 50 })
    let mute = healthy(change: { _, sent in sent[.audioLevel] = 0 })
    #expect(said(missing, stopped) == "far-end-silent info")
    #expect(said(silent, mute) == "far-end-silent info")
    #expect(said(missing, healthy()) == "one-way-audio error")
    #expect(said(missing, mute) == "one-way-audio error", "packets were sent, whatever was in them")
    let loud = healthy(change: { _, sent in sent[.audioLevel] = 0.1 })
    #expect(said(silent, loud) == "one-way-audio error")
    #expect(said(muted, mute) == "far-end-silent info")
    #expect(
      said(muted, loud) == "one-way-audio warning", "its element is muted, or it is played by Web Audio")
    #expect(said(muted, healthy()) == "one-way-audio error", "of what was sent nothing is known")
  }

  @Test("Who sends no sound any more and is still heard of has not dropped the call", arguments: [40.0, 12])
  func stillThere(heardUntil: Double) {
    var trace = Trace()
    let inbound = trace.stream(.audio, .inbound, .capture)
    let outbound = trace.stream(.audio, .outbound, .capture)
    for time in stride(from: 1.0, through: 40, by: 1) {
      trace.report(
        inbound, at: time,
        [.packets: min(time, 10) * 50, .lost: 0, .lastPacketMs: Trace.start + min(time, 10) * 1000])
      trace.report(outbound, at: time, [.packets: time * 50])
      if time > 10, time <= heardUntil { trace.sign(at: time) }
    }
    #expect(codes(trace) == (heardUntil == 40 ? ["one-way-audio"] : ["dropped-mid-call"]))
  }
}
