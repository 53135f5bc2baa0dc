import CallModel
import CallStore

/// When packets came, as the samples of streams tell: from one report to the last packet that the next one counts.
struct PacketTimes {
  /// A shorter time without is none, ms.
  private static let leastMs = 800.0

  private var spans: [(from: Double, to: Double)] = []

  /// Adds a stream. What came after a quiet time came at the pace of before it, up to its last packet; of sound, which has a
  /// steady pace, so did what came in a report that counts too little for its time.
  mutating func read(_ cursor: SampleCursor, kind: MediaKind?) throws {
    var sample = Sample(timeMs: 0)
    var before: Sample?
    var packetsPerMs: Double?
    var lastMs: Double?
    while try cursor.next(into: &sample) {
      defer { before = sample }
      guard let earlier = before, let now = sample[.packets], let then = earlier[.packets], now > then else {
        continue
      }
      let to = sample.look { $0.lastPacketTime(after: earlier.timeMs) } ?? sample.timeMs
      let came = now - then + max(0, (sample[.lost] ?? 0) - (earlier[.lost] ?? 0))
      let length = packetsPerMs.map { came / $0 } ?? .infinity
      var from = earlier.timeMs
      if let lastMs, from - lastMs >= Self.leastMs {
        from = max(from, to - length)
      } else if kind == .audio, to - length - from >= Self.leastMs {
        from = to - length
      } else if to > from {
        packetsPerMs = came / (to - from)
      }
      lastMs = to
      add(from, to)
    }
  }

  private mutating func add(_ from: Double, _ to: Double) {
    if let last = spans.last, from >= last.from, from - last.to < Self.leastMs {
      spans[spans.count - 1].to = max(last.to, to)
    } else {
      spans.append((from, to))
    }
  }

  /// The times in which none came and that reach into a time; what lies before the first or after the last is taken to be as long
  /// as that.
  func gaps(from start: Double, to end: Double) -> [(from: Double, to: Double)] {
    var gaps: [(from: Double, to: Double)] = []
    var heardUntil: Double?
    for span in spans.sorted(by: { $0.from < $1.from }) {
      let from = heardUntil ?? start
      if span.from > max(from, start), from < end { gaps.append((from, span.from)) }
      heardUntil = max(heardUntil ?? span.to, span.to)
    }
    if let from = heardUntil, from < end { gaps.append((from, end)) }
    return gaps
  }
}
