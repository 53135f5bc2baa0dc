/// When something last arrived from the far end other than by a given stream.
///
/// If many streams report at once, the latest two are kept, because one of them may be the stream that asks.
struct LastActivity {
  /// Something arrived within this period, or exactly then if both times are equal.
  struct Arrival {
    var from: Double
    var to: Double
    /// Whether it was not media but a connectivity check or an RTCP report in a capture.
    var isNonMedia = false
  }

  /// What arrived at about the same time, from the two streams with the latest times.
  private struct Moment {
    let startMs: Double
    var first: (name: Int, arrival: Arrival)
    var second: (name: Int, arrival: Arrival)?

    func latest(except name: Int) -> Arrival? { first.name == name ? second?.arrival : first.arrival }

    mutating func add(_ arrival: Arrival, by name: Int) {
      if name != first.name, arrival.from > second?.arrival.from ?? -.infinity || second?.name == name {
        second = (name, arrival)
      }
      if let other = second, other.arrival.from > first.arrival.from {
        (first, second) = (other, first)
      }
    }
  }

  /// Minimum time between arrivals of different moments, ms.
  private static let apartMs = 500.0

  private var now: Moment?
  private var before: Moment?

  /// Records that something arrived; `name` is the index of a stream, or -1 for the transport.
  mutating func record(_ arrival: Arrival, by name: Int) {
    if let moment = now, arrival.to < moment.startMs + Self.apartMs {
      now?.add(arrival, by: name)
    } else {
      before = now
      now = Moment(startMs: arrival.to, first: (name, arrival))
    }
  }

  /// What last arrived by anything but that stream, clearly before the given time.
  func latest(wellBefore time: Double, except name: Int) -> Arrival? {
    func clear(_ moment: Moment?) -> Arrival? {
      moment?.latest(except: name).flatMap { $0.to <= time - Self.apartMs ? $0 : nil }
    }
    return clear(now) ?? clear(before)
  }
}
