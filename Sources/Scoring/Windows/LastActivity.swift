/// When an end was last heard of by other means than a given stream.
///
/// Of many streams that report at once two are witnesses enough, for one that asks is not its own.
struct LastActivity {
  /// Something came in this time; at that instant where both are the same.
  struct Beat {
    var from: Double
    var to: Double
    /// Whether it was no media, but a check or a report in a capture.
    var isSign = false
  }

  /// What was heard at about one time, by the two that know best when.
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

  /// Beats this far apart are of different moments, ms.
  private static let apartMs = 500.0

  private var now: Moment?
  private var before: Moment?

  /// Takes what a witness heard; streams by their place, the path as -1.
  mutating func beat(_ beat: Beat, by name: Int) {
    if let moment = now, beat.to < moment.startMs + Self.apartMs {
      now?.add(beat, by: name)
    } else {
      before = now
      now = Moment(startMs: beat.to, first: (name, beat))
    }
  }

  /// What was last heard by another than that stream, clearly before an instant.
  func heard(wellBefore time: Double, except name: Int) -> Beat? {
    func clear(_ moment: Moment?) -> Beat? {
      moment?.heard(except: name).flatMap { $0.to <= time - Self.apartMs ? $0 : nil }
    }
    return clear(now) ?? clear(before)
  }
}
