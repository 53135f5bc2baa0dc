import CallModel

/// Round-trip time per window: from the far end's RTCP reports if there are any, otherwise from connectivity checks.
struct RoundTrip {
  /// A value is valid until the next one, but no longer than this, ms; the first one also for this long before it,
  /// because reports start some seconds after the media.
  private static let holdMs = 15_000.0

  private struct Series {
    var last: (time: Double, value: Double)?
    /// Whether the last value has been valid for the maximum time and is in the bins.
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

  /// A value from RTCP, once per report.
  mutating func report(_ value: Double, at time: Double, on grid: WindowGrid) {
    Self.take(value, at: time, on: grid, into: &reported)
  }

  /// A value from connectivity checks.
  mutating func check(_ value: Double, at time: Double, on grid: WindowGrid) {
    Self.take(value, at: time, on: grid, into: &checked)
  }

  /// Extends the last values to the end.
  mutating func finish(at end: Double, on grid: WindowGrid) {
    reported.hold(until: end, on: grid)
    checked.hold(until: end, on: grid)
  }

  /// Stores values that are no longer valid; returns the time before which no later value can change a window.
  mutating func settle(at now: Double, on grid: WindowGrid) -> Double {
    min(reported.settle(at: now, on: grid), checked.settle(at: now, on: grid))
  }

  /// Forgets windows that were already returned.
  mutating func forget(before index: Int) {
    reported.bins.forget(before: index)
    checked.bins.forget(before: index)
  }

  /// Mean of a window, ms.
  func mean(_ index: Int) -> Double? { reported.bins[index]?.value ?? checked.bins[index]?.value }

  /// Whether the value is from the far end's reports: connectivity checks may take another path than media, or be
  /// answered late.
  func isReported(_ index: Int) -> Bool { reported.bins[index]?.value != nil }

  private static func take(_ value: Double, at time: Double, on grid: WindowGrid, into series: inout Series) {
    guard value.isFinite, value >= 0 else { return }
    if series.last == nil { series.last = (time - holdMs, value) }
    series.hold(until: time, on: grid)
    series.last = (time, value)
    series.isSpent = false
  }
}

/// Time-weighted mean of a gauge; nil until something is known.
struct WeightedMean {
  private var sum = 0.0
  private var weight = 0.0

  /// The mean; nil without observations.
  var value: Double? { weight > 0 ? sum / weight : nil }

  /// Adds a value that was valid for `weight` ms.
  mutating func add(_ value: Double?, weight extra: Double) {
    guard let value, value.isFinite, extra > 0 else { return }
    sum += value * extra
    weight += extra
  }
}

/// Values collected per window, by index. Nearly all additions concern the last windows, so they are stored in an
/// ordered array; windows without a value take no space.
struct WindowBins<Value> {
  private(set) var indices: [Int] = []
  private var values: [Value] = []

  /// The value of a window; nil if there is none.
  subscript(_ index: Int) -> Value? {
    let place = place(of: index)
    return place < indices.count && indices[place] == index ? values[place] : nil
  }

  /// Whether a window has a value.
  func contains(_ index: Int) -> Bool {
    let place = place(of: index)
    return place < indices.count && indices[place] == index
  }

  /// The value of a window, created as `new` if there is none.
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

  /// Removes the windows before the given one.
  mutating func forget(before index: Int) {
    let count = place(of: index)
    indices.removeFirst(count)
    values.removeFirst(count)
  }

  /// The position of a window in the array, or where it would be inserted.
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

/// Offset of the far end's clock from this one, from the times at which its sender reports were sent and received.
struct FarClock {
  /// Minimum number of reports, and the maximum that is kept.
  private static let reports = (least: 3, most: 64)

  private var leadsMs = OrderedValues()

  mutating func add(_ sample: SampleView) {
    guard let sent = sample[.farReportMs], let came = sample[.farPacketsMs], leadsMs.count < Self.reports.most
    else { return }
    leadsMs.insert(sent - came)
  }

  /// Median offset less the one-way delay of the reports, ms; nil if there are too few reports.
  var leadMs: Double? {
    leadsMs.count < Self.reports.least ? nil : leadsMs.values[leadsMs.count / 2]
  }
}
