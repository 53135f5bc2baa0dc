import CallModel
import Scoring
import Testing

@Suite("A shared screen that stands still is frozen where its source moved")
struct SourceMotionTests {
  /// What a sender says of a source that gives `rate` frames a second until `stop`, and one a second from then on.
  private func motion(_ rate: Double, until stop: Double = 1e9, every: Double = 1) -> SourceMotion {
    var motion = SourceMotion()
    for time in stride(from: 0, through: 40, by: every) {
      var sample = Sample(timeMs: Trace.start + time * 1000 + 300)
      sample[.framesCaptured] = (min(time, stop) * rate + max(0, time - stop)).rounded(.down)
      motion.add(sample)
    }
    return motion
  }

  /// A screen of which no frame comes from 15 s to 23 s, with nothing lost and no key frame asked for; the browser counts what
  /// it saw only where `counts`.
  private func freezePoints(_ motion: SourceMotion?, counts: Bool = true) -> [Int] {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 40)
    let picture = trace.stream(.video)
    trace.streams[picture].screen = true
    trace.streams[picture].ssrc = 70_001
    trace.cleanVideo(picture, until: 40) { time, values in
      let missing = min(max(0, time - 15), 8)
      values[.frames] = ((time - missing) * 20).rounded(.down)
      values[.packets] = (time - missing) * 100 + missing
      values[.interFrameDelayMs] = (missing > 0 && time < 23 ? 15 : time) * 1000 - 60
      if counts, time >= 23 { (values[.freezeCount], values[.freezeMs]) = (1, 8000) }
      if !counts { for metric in [Metric.freezeCount, .freezeMs] { values[metric] = nil } }
    }
    let spans: [UInt32: SpanSet] = motion.map { [70_001: SpanSet($0.spans())] } ?? [:]
    return trace.windows(motion: spans).map { $0.pointsLost?[.freeze] ?? 0 }
  }

  @Test("what the browser counts, and what it does not", arguments: [true, false])
  func moved(counts: Bool) {
    let points = freezePoints(motion(15), counts: counts)
    #expect(points[3] > 30 && points[4] > 20)
    #expect(points[..<3].allSatisfy { $0 == 0 } && points[6...].allSatisfy { $0 == 0 })
  }

  @Test("a page that stood still, or of which nobody tells, is not", arguments: [true, false])
  func still(counts: Bool) {
    #expect(freezePoints(nil, counts: counts).allSatisfy { $0 == 0 })
    #expect(freezePoints(motion(15, until: 15), counts: counts).allSatisfy { $0 == 0 })
    #expect(freezePoints(motion(1), counts: counts).allSatisfy { $0 == 0 })
    #expect(
      freezePoints(motion(15, every: 10), counts: counts).allSatisfy { $0 == 0 }, "reports too far apart")
  }
}
