/// Turns times into windows: a regular grid without end, or a list of intervals.
struct WindowGrid {
  private enum Shape {
    case regular(origin: Double)
    case listed([(start: Double, end: Double)])
  }
  private let shape: Shape

  /// The grid of five-second windows that begins at the first media.
  init(origin: Double) { shape = .regular(origin: origin) }

  /// Given intervals; windows are numbered by their place in the list.
  init(intervals: [(startMs: Double, endMs: Double)]) {
    shape = .listed(intervals.map { ($0.startMs, $0.endMs) })
  }

  /// Start of window `index`.
  func start(_ index: Int) -> Double {
    switch shape {
    case .regular(let origin): origin + Double(index) * WindowCut.lengthMs
    case .listed(let intervals): intervals.indices.contains(index) ? intervals[index].start : 0
    }
  }

  /// End of window `index`, which itself belongs to the next.
  func end(_ index: Int) -> Double {
    switch shape {
    case .regular: start(index) + WindowCut.lengthMs
    case .listed(let intervals): intervals.indices.contains(index) ? intervals[index].end : 0
    }
  }

  /// Number of listed intervals, nil for the regular grid.
  var count: Int? {
    if case .listed(let intervals) = shape { intervals.count } else { nil }
  }

  /// The first window that ends after an instant; 0 for given intervals.
  func firstOpen(at time: Double) -> Int {
    guard let origin, time > origin else { return 0 }
    return Int(min(1e9, ((time - origin) / WindowCut.lengthMs).rounded(.down)))
  }

  /// The window that holds an instant; the first of several.
  func index(at time: Double) -> Int? {
    var found: Int?
    forEachOverlap(from: time, to: time.nextUp) { index, _ in if found == nil { found = index } }
    return found
  }

  /// Calls `body` with every window that shares in what grew evenly in [from, to), or has time in common with it.
  ///
  /// Edges are as soft as reports every `BoundaryWeight.reportMs` make them, whatever reports there are, so that a score does
  /// not depend on how often someone looked; the shares of all windows add up to 1.
  func forEachShare(
    from: Double, to: Double, _ body: (_ index: Int, _ share: Double, _ overlapMs: Double) -> Void
  ) {
    guard from < to, from.isFinite, to.isFinite else { return }
    let edge = BoundaryWeight(from: from, to: to)
    forEachOverlap(from: from - edge.halfWidth, to: to + edge.halfWidth) { index, _ in
      let (start, end) = (start(index), end(index))
      let share = edge.before(end, notBefore: origin) - edge.before(start, notBefore: origin)
      let overlap = max(0, min(to, end) - max(from, start))
      if share > 0 || overlap > 0 { body(index, max(0, share), overlap) }
    }
  }

  /// Where the first window begins, nil for given intervals.
  private var origin: Double? {
    if case .regular(let origin) = shape { origin } else { nil }
  }

  /// Calls `body` with every window that shares time with [from, to), and the shared milliseconds.
  func forEachOverlap(from: Double, to: Double, _ body: (_ index: Int, _ overlapMs: Double) -> Void) {
    guard from < to, from.isFinite, to.isFinite else { return }
    switch shape {
    case .regular(let origin):
      let first = max(0, ((from - origin) / WindowCut.lengthMs).rounded(.down))
      let last = ((to - origin) / WindowCut.lengthMs).rounded(.up) - 1
      guard last >= first, first < 1e9 else { return }
      // A segment never spans more than its longest interpolation; the limit is for hostile clocks.
      for index in Int(first)...Int(min(last, first + 100_000)) {
        let overlap = min(to, end(index)) - max(from, start(index))
        if overlap > 0 { body(index, overlap) }
      }
    case .listed(let intervals):
      for (index, interval) in intervals.enumerated() {
        let overlap = min(to, interval.end) - max(from, interval.start)
        if overlap > 0 { body(index, overlap) }
      }
    }
  }
}

/// How much of what grew evenly between two reports lies before the edge of a window.
///
/// What two seconds brought between two reports cannot be placed within them. Where reports come more often it could be,
/// but then a score would depend on how often someone looked: so the growth between closer reports is spread as if it
/// were known as seldom. PESQ of 8-second segments agrees with either alike.
struct BoundaryWeight {
  /// Time between two reports that makes an edge by itself as soft as all are.
  static let reportMs = 2000.0

  private let from: Double
  private let length: Double
  /// How far on both sides of an edge growth counts in part, ms: with the variance of the report's own length it makes
  /// that of `reportMs`.
  let halfWidth: Double

  /// The growth of [from, to), ms.
  init(from: Double, to: Double) {
    self.from = from
    length = to - from
    halfWidth = max(0, Self.reportMs * Self.reportMs - length * length).squareRoot() / 2
  }

  /// The share before an edge, 0–1; sharper near the start of media, before which there is nothing to share with.
  func before(_ edge: Double, notBefore start: Double?) -> Double {
    let half = min(halfWidth, start.map { max(0, edge - $0) } ?? halfWidth)
    guard half > 0 else { return min(1, max(0, (edge - from) / length)) }
    return (area(edge + half) - area(edge - half)) / (2 * half)
  }

  /// Integral of the share that had come, from the beginning to `time`.
  private func area(_ time: Double) -> Double {
    let run = time - from
    if run <= 0 { return 0 }
    return run < length ? run * run / (2 * length) : run - length / 2
  }
}
