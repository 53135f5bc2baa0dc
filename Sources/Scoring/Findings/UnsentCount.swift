import CallModel

/// Times without sound in which, by its own count (RTCP sender reports), the far end sent nothing: it was not lost on the way.
struct UnsentCount {
  /// How things stood when a sender report came.
  private struct Mark {
    var timeMs: Double
    var sent: Double
    var came: Double
  }

  private struct Course {
    /// The last report from before the silence that goes on, or the last of all.
    var mark: Mark?
    /// Since when nothing comes, and when it came again.
    var dryMs: Double?
    var endMs: Double?
  }

  /// What is missing explains a silence where it fills this share of it.
  private static let explainedShare = 0.2

  private var courses: [Int: Course] = [:]
  private(set) var spans: [QuietSpan] = []

  /// Takes a sample of a stream and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.source == .stats, role.kind == .audio, role.direction != .outbound,
      let packets = sample[.packets], let before = earlier[.packets], packets >= before
    else { return }
    var course = courses[stream] ?? Course()
    defer { courses[stream] = course }
    if packets > before {
      if course.dryMs != nil, course.endMs == nil { course.endMs = earlier.timeMs }
    } else if before > 0, course.dryMs == nil {
      course.dryMs = earlier.timeMs
    }
    guard let mark = Self.mark(sample, after: earlier, packets, before) else { return }
    if let dryMs = course.dryMs, let known = course.mark {
      // A report from within the silence speaks for it up to there.
      if let span = Self.unsent(from: dryMs, to: min(course.endMs ?? mark.timeMs, mark.timeMs), known, mark) {
        keep(span)
      }
      if let endMs = course.endMs, mark.timeMs >= endMs { course = Course(mark: mark) }
    } else if course.dryMs == nil {
      course.mark = mark
    } else if course.endMs != nil {
      course = Course(mark: mark)
    }
  }

  private static func unsent(from: Double, to: Double, _ before: Mark, _ after: Mark) -> QuietSpan? {
    let missing = after.sent - before.sent - (after.came - before.came)
    guard to - from >= SoundWatch.missingMs, after.sent >= before.sent,
      missing * FirstMedia.packetMs <= explainedShare * (to - from)
    else { return nil }
    return QuietSpan(startMs: from, endMs: to)
  }

  /// A report from within a silence is followed by better ones.
  private mutating func keep(_ span: QuietSpan) {
    if let last = spans.last, last.startMs == span.startMs {
      spans[spans.count - 1] = span
    } else if spans.count < Spell.mostKept {
      spans.append(span)
    }
  }

  /// A new sender report, with what had come when it was made.
  private static func mark(
    _ sample: SampleView, after earlier: SampleView, _ packets: Double, _ before: Double
  ) -> Mark? {
    guard let sent = sample[.farPackets], let time = sample[.farPacketsMs], time != earlier[.farPacketsMs],
      sample.timeMs > earlier.timeMs
    else { return nil }
    let later = min(1, max(0, (sample.timeMs - time) / (sample.timeMs - earlier.timeMs)))
    return Mark(
      timeMs: time, sent: sent, came: packets - (packets - before) * later + max(0, sample[.lost] ?? 0))
  }
}
