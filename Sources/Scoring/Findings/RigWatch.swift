import CallModel

/// A machine at fault rather than the network: reports that fail to come, and a playout clock that stands still.
struct RigWatch {
  /// A hole between reports counts beyond this, and beyond `timesUsual` the usual interval, ms.
  static let holeMs = 5000.0
  static let timesUsual = 4.0
  /// Share of wall time that playout must advance by.
  static let slowPlayout = 0.8

  /// By the place of the stream.
  private var usual: [Double?] = []
  private var holes: [(start: Double, end: Double, usual: Double)] = []
  private var slow = Spell(onAfterMs: 10_000, offAfterMs: 2000)

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.source == .stats else { return }
    let interval = sample.timeMs - earlier.timeMs
    while usual.count <= stream { usual.append(nil) }
    if let usual = usual[stream], interval > max(Self.holeMs, Self.timesUsual * usual),
      holes.count < Spell.mostKept
    {
      holes.append((earlier.timeMs, sample.timeMs, usual))
    } else {
      usual[stream] = usual[stream].map { $0 + (interval - $0) / 8 } ?? interval
    }
    guard role.direction != .outbound, let before = earlier[.totalSamplesDurationMs],
      let after = sample[.totalSamplesDurationMs], let packets = sample[.packets],
      packets > earlier[.packets] ?? packets, after >= before
    else { return }
    slow.observe(after - before < Self.slowPlayout * interval, from: earlier.timeMs, to: sample.timeMs)
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    slow.finish()
    var findings: [Finding] = []
    var covered = -Double.infinity
    for hole in holes.sorted(by: { $0.start < $1.start }) where hole.start >= covered {
      covered = hole.end
      findings.append(
        Finding(
          "rig-fault", .warning, from: hole.start, to: hole.end,
          Evidence().with("without_reports_ms", hole.end - hole.start).with("usual_interval_ms", hole.usual),
          "No reports for \(seconds(hole.end - hole.start)): the page or the machine stood still."))
    }
    for span in slow.spans {
      findings.append(
        Finding(
          "rig-fault", .warning, from: span.start, to: span.end,
          Evidence().with("slow_ms", span.end - span.start).with("playout_share_threshold", Self.slowPlayout),
          "Playout ran slower than time for \(seconds(span.end - span.start)): the audio device or the machine is at fault."
        ))
    }
    return findings
  }
}
