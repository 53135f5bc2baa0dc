/// Values over time, of which not all need be known.
struct Series {
  /// One bar of the drawing: a sample, or the least and greatest of several.
  struct Point: Equatable {
    /// Milliseconds from the start of the call.
    var atMs: Double
    var low: Double?
    var high: Double?
  }

  private(set) var points: [Point] = []

  /// Whether nothing is known at any time.
  var isEmpty: Bool { !points.contains { $0.low != nil } }

  /// Adds what was measured at a time; nil is a gap.
  mutating func append(_ atMs: Double, _ value: Double?) {
    let known = value.flatMap { $0.isFinite ? $0 : nil }
    // One gap is as good as many.
    if known == nil, let last = points.last, last.low == nil { return }
    points.append(Point(atMs: atMs, low: known, high: known))
  }

  /// The series in at most so many points: neighbours become one with their least and greatest value, so that no peak is lost.
  func thinned(to most: Int) -> Series {
    guard points.count > most, most > 0 else { return self }
    let stride = (points.count + most - 1) / most
    var result = Series()
    var start = 0
    while start < points.count {
      let group = points[start..<min(start + stride, points.count)]
      let first = group.first?.atMs ?? 0
      let low = group.compactMap(\.low).min()
      let high = group.compactMap(\.high).max()
      result.points.append(Point(atMs: first, low: low, high: high))
      start += stride
    }
    return result
  }

  /// Multiplies every value.
  mutating func scale(by factor: Double) {
    for index in points.indices {
      points[index].low = points[index].low.map { $0 * factor }
      points[index].high = points[index].high.map { $0 * factor }
    }
  }
}
