/// When an end was last heard of by other means than a given stream.
///
/// Of many streams that report at once two are witnesses enough, for one that asks is not its own.
struct Pulse {
  /// Something came in this time; at that instant where both are the same.
  struct Beat {
    var from: Double
    var to: Double
  }

  /// What was heard at about one time.
  private struct Moment {
    var first: (name: Int, beat: Beat)
    var second: (name: Int, beat: Beat)?

    func heard(except name: Int) -> Beat? { first.name == name ? second?.beat : first.beat }
  }

  /// Beats this far apart are of different moments, ms.
  private static let apartMs = 500.0

  private var now: Moment?
  private var before: Moment?

  /// Takes what a witness heard; streams by their place, the path as -1.
  mutating func beat(_ beat: Beat, by name: Int) {
    guard let moment = now, beat.to < moment.first.beat.to + Self.apartMs else {
      before = now
      now = Moment(first: (name, beat))
      return
    }
    if moment.second == nil, moment.first.name != name { now?.second = (name, beat) }
  }

  /// What was last heard by another than that stream, clearly before an instant.
  func heard(wellBefore time: Double, except name: Int) -> Beat? {
    func clear(_ moment: Moment?) -> Beat? {
      moment?.heard(except: name).flatMap { $0.to <= time - Self.apartMs ? $0 : nil }
    }
    return clear(now) ?? clear(before)
  }
}
