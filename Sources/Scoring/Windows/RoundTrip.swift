/// Round-trip time per window: reports of the far end where there are any, connectivity checks otherwise.
struct RoundTrip {
  /// A value holds until the next, but no longer than this; the first one also for as long before it, because
  /// reports begin some seconds after the media.
  static let holdMs = 15_000.0

  private struct Series {
    var last: (time: Double, value: Double)?
    /// Whether the last value has held for as long as it may, and is in the bins.
    var isSpent = false
    var bins = WindowBins<WeightedMean>()

    mutating func hold(until time: Double, on grid: WindowGrid) {
      guard let last, !isSpent else { return }
      grid.forEachOverlap(from: last.time, to: min(time, last.time + RoundTrip.holdMs)) { index, overlap in
        bins[index, default: WeightedMean()].add(last.value, weight: overlap)
      }
    }

    mutating func settle(at now: Double, on grid: WindowGrid) -> Double {
      guard let last else { return now - RoundTrip.holdMs }
      if now > last.time + RoundTrip.holdMs {
        hold(until: now, on: grid)
        isSpent = true
      }
      return isSpent ? now : last.time
    }
  }

  private var reported = Series()
  private var checked = Series()

  /// A value from RTCP, said once, when its report was new.
  mutating func report(_ value: Double, at time: Double, on grid: WindowGrid) {
    Self.take(value, at: time, on: grid, into: &reported)
  }

  /// A value from connectivity checks.
  mutating func check(_ value: Double, at time: Double, on grid: WindowGrid) {
    Self.take(value, at: time, on: grid, into: &checked)
  }

  /// Lets the last values hold until the end.
  mutating func finish(at end: Double, on grid: WindowGrid) {
    reported.hold(until: end, on: grid)
    checked.hold(until: end, on: grid)
  }

  /// Puts into the windows what can hold no longer, and gives the instant up to which nothing to come can change any.
  mutating func settle(at now: Double, on grid: WindowGrid) -> Double {
    min(reported.settle(at: now, on: grid), checked.settle(at: now, on: grid))
  }

  /// Forgets windows that were made.
  mutating func forget(before index: Int) {
    reported.bins.forget(before: index)
    checked.bins.forget(before: index)
  }

  /// Mean of a window, ms.
  func mean(_ index: Int) -> Double? { reported.bins[index]?.value ?? checked.bins[index]?.value }

  /// Whether the far end's reports told it: connectivity checks may go another way than media, or be answered late.
  func isReported(_ index: Int) -> Bool { reported.bins[index]?.value != nil }

  private static func take(_ value: Double, at time: Double, on grid: WindowGrid, into series: inout Series) {
    guard value.isFinite, value >= 0 else { return }
    if series.last == nil { series.last = (time - holdMs, value) }
    series.hold(until: time, on: grid)
    series.last = (time, value)
    series.isSpent = false
  }
}

/// Mean of a gauge over time; nil until something is known.
struct WeightedMean {
  private var sum = 0.0
  private var weight = 0.0

  /// The mean, nil without observations.
  var value: Double? { weight > 0 ? sum / weight : nil }

  /// Takes a value that held for `weight` (ms).
  mutating func add(_ value: Double?, weight extra: Double) {
    guard let value, value.isFinite, extra > 0 else { return }
    sum += value * extra
    weight += extra
  }
}

/// What was gathered for each window, by its index. Nearly all that comes concerns the last windows, so they lie in a row,
/// in order; windows of which nothing is known take no room.
struct WindowBins<Value> {
  private(set) var indices: [Int] = []
  private var values: [Value] = []

  /// What is known of a window, nil where nothing is.
  subscript(_ index: Int) -> Value? {
    let place = place(of: index)
    return place < indices.count && indices[place] == index ? values[place] : nil
  }

  /// What is known of a window, which begins as `new`.
  subscript(_ index: Int, default new: @autoclosure () -> Value) -> Value {
    get { self[index] ?? new() }
    _modify {
      let place = place(of: index)
      if place == indices.count || indices[place] != index {
        indices.insert(index, at: place)
        values.insert(new(), at: place)
      }
      yield &values[place]
    }
  }

  /// Forgets the windows before one.
  mutating func forget(before index: Int) {
    let count = place(of: index)
    indices.removeFirst(count)
    values.removeFirst(count)
  }

  /// Where a window lies, or would.
  private func place(of index: Int) -> Int {
    guard let last = indices.last, last >= index else { return indices.count }
    var (low, high) = (0, indices.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if indices[middle] < index { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension WindowBins: Sendable where Value: Sendable {}
