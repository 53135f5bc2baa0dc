/// When an end was last heard from by other means than a given stream.
///
/// If many streams report at once, the latest two are kept, because one of them may be the stream that asks.
struct LastActivity {
  /// Something arrived within this period, or exactly then if both times are equal.
  struct Beat {
    var from: Double
    var to: Double
    /// Whether it was not media but a connectivity check or an RTCP report in a capture.
    var isSign = false
  }

  /// What was heard at about the same time, from the two streams with the latest times.
  private struct Moment {
    let startMs: Double
    var first: (name: Int, beat: Beat)
    var second: (name: Int, beat: Beat)?

    func heard(except name: Int) -> Beat? { first.name == name ? second?.beat : first.beat }

    mutating func add(_ beat: Beat, by name: Int) {
      if name != first.name, beat.from > second?.beat.from ?? -.infinity || second?.name == name {
        second = (name, beat)
      }
      if let other = second, other.beat.from > first.beat.from {
        (first, second) = (other, first)
      }
    }
  }

  /// Minimum time between beats of different moments, ms.
  private static let apartMs = 500.0

  private var now: Moment?
  private var before: Moment?

  /// Records that something arrived; `name` is the index of a stream, or -1 for the transport.
  mutating func beat(_ beat: Beat, by name: Int) {
    if let moment = now, beat.to < moment.startMs + Self.apartMs {
      now?.add(beat, by: name)
    } else {
      before = now
      now = Moment(startMs: beat.to, first: (name, beat))
    }
  }

  /// What was last heard from anything but that stream, clearly before the given time.
  func heard(wellBefore time: Double, except name: Int) -> Beat? {
    func clear(_ moment: Moment?) -> Beat? {
      moment?.heard(except: name).flatMap { $0.to <= time - Self.apartMs ? $0 : nil }
    }
    return clear(now) ?? clear(before)
  }
}
