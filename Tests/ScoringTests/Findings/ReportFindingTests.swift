import CallModel
import Testing

/// What reports of the far end tell, and what it tells that none come.
@Suite("Findings of reports, and of their absence")
struct ReportFindingTests: FindingSuite {
  @Test(
    "What the far end reports lost of what it was sent is told, from 2 % on",
    arguments: [(0.0, [Severity]()), (0.015, []), (0.03, [.info]), (0.2, [.warning])])
  func reportedLoss(share: Double, severities: [Severity]) {
    // A report every five seconds.
    let trace = healthy(change: { time, values in
      if time >= 5 { values[.lost] = (time / 5).rounded(.down) * 250 * share }
    })
    let found = findings(trace)
    #expect(found.map(\.name) == severities.map { _ in "remote-loss" })
    #expect(found.map(\.severity) == severities)
    if share == 0.2 {
      #expect(found.first?.text == "The other end reports 20 % of the sound it was sent as lost.")
    }
  }

  @Test("Reports that come late, or are lost, do not make loss greater")
  func lateReport() throws {
    let trace = healthy(change: { time, values in values[.lost] = time < 22 ? 0 : time < 39 ? 110 : 195 })
    let text = try #require(findings(trace).first).text
    #expect(text == "The other end reports 10 % of the sound it was sent as lost.")
  }

  @Test("Loss that the far end reports for a while stands at its time, however long the call")
  func reportedForAWhile() throws {
    let trace = healthy(change: { time, values in
      values[.lost] = min(max(0, time - 10), 10) * 5
      values[.fractionLost] = 0
    })
    let found = try #require(findings(trace).first)
    #expect(found.name == "remote-loss")
    #expect(abs((found.startMs ?? 0) - Trace.start - 10_000) <= 1500)
    #expect(abs((found.endMs ?? 0) - Trace.start - 21_000) <= 1500)
  }

  /// The same without any report from 12.5 to 24.5 s.
  private func asleep(_ trace: Trace) -> Trace {
    let hole = Trace.start + 12_500..<Trace.start + 24_500
    var trace = trace
    trace.steps.removeAll { hole.contains($0.time) }
    trace.transports.removeAll { hole.contains($0.timeMs) }
    return trace
  }

  @Test("Reports that fail to come point at the rig, unless media went on meanwhile")
  func rig() {
    let paused = findings(asleep(healthy()))
    #expect(paused.map(\.severity) == [.info])
    #expect(
      paused.map(\.text) == [
        "No reports for 13 s: only they paused, media was received and played all the while."
      ])
    var starved = asleep(healthy())
    for index in starved.steps.indices
    where starved.steps[index].sample[.totalSamplesDurationMs] != nil {
      let seconds = (starved.steps[index].time - Trace.start) / 1000
      starved.steps[index].sample[.totalSamples] = seconds * 48_000
      starved.steps[index].sample[.concealedSamples] = seconds > 20 ? 11.7 * 48_000 : 0
    }
    let missed = findings(starved).filter { $0.name == "rig-fault" }
    #expect(
      missed.map(\.text) == [
        "No reports for 13 s: only they paused, sound was played all the while; 90 % of it was concealed, because too little came."
      ], "playout goes on also where nothing comes")
    var stalled = asleep(healthy())
    for index in stalled.steps.indices where stalled.steps[index].time > Trace.start + 20_000 {
      if let played = stalled.steps[index].sample[.totalSamplesDurationMs] {
        stalled.steps[index].sample[.totalSamplesDurationMs] = played - 11_000
      }
    }
    let found = findings(stalled)
    #expect(found.map(\.severity) == [.warning])
    #expect(found.map(\.text) == ["No reports for 13 s: the page or the machine was stalled."])
  }

  @Test("What nobody reported is not one-way, nor silent, nor slow")
  func unseen() {
    let slept = healthy(received: { $0 > 12 && $0 <= 25 ? 12 : $0 })
    #expect(codes(asleep(slept)) == ["rig-fault"])
    #expect(
      codes(asleep(healthy(received: { min($0, 12) }))) == ["rig-fault", "one-way-audio"],
      "but what was seen is told")
  }

  @Test("Two reports at once and then one every ten seconds: no machine stood still")
  func settling() {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    for time in [0, 0.6] + Array(stride(from: 10.0, through: 120, by: 10)) {
      trace.report(inbound, at: time, [.packets: time * 50, .lastPacketMs: Trace.start + time * 1000])
    }
    #expect(!codes(trace).contains("rig-fault"))
  }

  @Test("One stream without reports is no machine that stands still")
  func otherStreams() {
    var trace = healthy()
    let video = trace.stream(.video)
    for time in [1.0, 2, 3, 4, 30, 31, 32] { trace.report(video, at: time, [.packets: time * 100]) }
    #expect(codes(trace) == [])
    trace.steps.removeAll { $0.stream != video }
    #expect(codes(trace) == [], "the path was reported meanwhile")
    trace.transports = []
    #expect(codes(trace) == ["rig-fault"])
  }
}
