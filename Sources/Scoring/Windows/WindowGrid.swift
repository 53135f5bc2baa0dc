/// Maps times to windows: an endless regular grid, or a list of intervals.
struct WindowGrid {
  private enum Shape {
    case regular(origin: Double)
    case listed([(start: Double, end: Double)])
  }
  private let shape: Shape

  /// The grid of five-second windows that starts at the first media.
  init(origin: Double) { shape = .regular(origin: origin) }

  /// Given intervals; windows are numbered by their position in the list.
  init(intervals: [(startMs: Double, endMs: Double)]) {
    shape = .listed(intervals.map { ($0.startMs, $0.endMs) })
  }

  func start(_ index: Int) -> Double {
    switch shape {
    case .regular(let origin): origin + Double(index) * WindowCut.lengthMs
    case .listed(let intervals): intervals.indices.contains(index) ? intervals[index].start : 0
    }
  }

  /// End of window `index`, exclusive.
  func end(_ index: Int) -> Double {
    switch shape {
    case .regular: start(index) + WindowCut.lengthMs
    case .listed(let intervals): intervals.indices.contains(index) ? intervals[index].end : 0
    }
  }

  /// Number of listed intervals; nil for the regular grid.
  var count: Int? {
    if case .listed(let intervals) = shape { intervals.count } else { nil }
  }

  /// The first window that ends after the given time; 0 for given intervals.
  func firstOpen(at time: Double) -> Int {
    guard let origin, time > origin else { return 0 }
    return Int(min(1e9, ((time - origin) / WindowCut.lengthMs).rounded(.down)))
  }

  /// The window that contains the given time; the first if there are several.
  func index(at time: Double) -> Int? {
    var found: Int?
    forEachOverlap(from: time, to: time.nextUp) { index, _ in if found == nil { found = index } }
    return found
  }

  /// Calls `body` with every window that gets a share of even growth over [from, to), or overlaps it.
  ///
  /// All edges are as soft as reports every `BoundaryWeight.reportMs` make them, regardless of the actual interval, so
  /// that a score does not depend on the polling interval; the shares of all windows add up to 1.
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

  /// Start of the first window; nil for given intervals.
  private var origin: Double? {
    if case .regular(let origin) = shape { origin } else { nil }
  }

  /// Calls `body` with every window that overlaps [from, to), and the overlap in ms.
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

/// Determines how much of the even growth between two reports belongs before the edge of a window.
///
/// Growth between two reports that are 2 s apart cannot be placed any more precisely. Shorter reports would allow that,
/// but then the score would depend on the polling interval, so their growth is spread as if reports were 2 s apart.
/// PESQ of 8-second segments agrees equally well with both.
struct BoundaryWeight {
  /// Time between two reports that by itself makes an edge as soft as all edges are, ms.
  static let reportMs = 2000.0

  private let from: Double
  private let length: Double
  /// Distance on both sides of an edge within which growth counts partly, ms: together with the variance of the
  /// report's own length it has the variance of `reportMs`.
  let halfWidth: Double

  /// Growth over [from, to), ms.
  init(from: Double, to: Double) {
    self.from = from
    length = to - from
    halfWidth = max(0, Self.reportMs * Self.reportMs - length * length).squareRoot() / 2
  }

  /// The share before an edge, 0–1; the edge is sharper near the start of media, because there is no window before it.
  func before(_ edge: Double, notBefore start: Double?) -> Double {
    let half = min(halfWidth, start.map { max(0, edge - $0) } ?? halfWidth)
    guard half > 0 else { return min(1, max(0, (edge - from) / length)) }
    return (area(edge + half) - area(edge - half)) / (2 * half)
  }

  /// Integral of the share up to `time`.
  private func area(_ time: Double) -> Double {
    let run = time - from
    if run <= 0 { return 0 }
    return run < length ? run * run / (2 * length) : run - length / 2
  }
}
