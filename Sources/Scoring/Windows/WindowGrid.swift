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
  /// Edges are as soft as reports every `SoftEdge.reportMs` make them, whatever reports there are, so that a score does
  /// not depend on how often someone looked; the shares of all windows add up to 1.
  func forEachShare(
    from: Double, to: Double, _ body: (_ index: Int, _ share: Double, _ overlapMs: Double) -> Void
  ) {
    guard from < to, from.isFinite, to.isFinite else { return }
    let edge = SoftEdge(from: from, to: to)
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
