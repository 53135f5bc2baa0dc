import CallModel

/// The totals of a stream, accumulated from its samples in order of time.
struct StreamCounterTotals {
  /// The last known value of each metric.
  private(set) var last = Sample(timeMs: 0)
  /// The sums of counters before their resets.
  private var before = Sample(timeMs: 0)
  private(set) var span = Span()
  private var rtt = Mean()
  private var jitter = Mean()
  private(set) var jitterMax: Double?
  private var frameRate = Mean()
  private var bytes = Growth()
  private var frames = Growth()
  private var packets = -Double.infinity
  private var totalSamples = -Double.infinity

  /// Adds samples from an index on, in order of time.
  mutating func add(_ rows: UnsafeBufferPointer<QueuedSample>, from first: Int) {
    guard let base = rows.baseAddress else { return }
    var begin = first
    for index in first..<rows.count {
      let restarted = addFigures((base + index).sample)
      if restarted.isEmpty { continue }
      merge(rows, begin..<index)
      begin = index
      keep(restarted)
    }
    merge(rows, begin..<rows.count)
  }

  /// Adds the next sample.
  mutating func add(_ sample: Sample) {
    var sample = sample
    sample.look { add($0) }
  }

  private mutating func add(_ sample: SampleView) {
    let restarted = addFigures(sample)
    if !restarted.isEmpty { keep(restarted) }
    last.merge(sample)
  }

  /// The total of a counter: its current value, plus its value before each reset.
  func total(_ metric: Metric) -> Double? { last[metric].map { $0 + (before[metric] ?? 0) } }

  private mutating func merge(_ rows: UnsafeBufferPointer<QueuedSample>, _ range: Range<Int>) {
    // Backwards: the last sample has most metrics.
    guard let base = rows.baseAddress else { return }
    var latest = Sample(timeMs: 0)
    for index in range.reversed() { latest.fill(from: (base + index).sample) }
    latest.look { last.merge($0) }
  }

  /// Returns the counters that were reset.
  private mutating func addFigures(_ sample: SampleView) -> CounterGroups {
    span.add(sample.timeMs)
    rtt.add(sample[.rttMs])
    frameRate.add(sample[.frameRate])
    if let value = sample[.jitterMs] {
      jitter.add(value)
      jitterMax = max(jitterMax ?? value, value)
    }
    var restarted: CounterGroups = []
    let hasPackets = packets.isFinite
    if Self.falls(&packets, to: sample[.packets]) { restarted.insert(.packets) }
    if bytes.add(sample[.bytes], at: sample.timeMs), !hasPackets { restarted.insert(.packets) }
    if Self.falls(&totalSamples, to: sample[.totalSamples]) { restarted.insert(.sound) }
    if frames.add(sample[.frames], at: sample.timeMs) { restarted.insert(.picture) }
    return restarted
  }

  private static func falls(_ last: inout Double, to value: Double?) -> Bool {
    guard let value, value.isFinite else { return false }
    defer { last = value }
    return value < last
  }

  private mutating func keep(_ restarted: CounterGroups) {
    for (group, metrics) in CounterGroups.metrics where restarted.contains(group) {
      for metric in metrics { if let value = total(metric) { before[metric] = value } }
    }
  }

  var rttMean: Double? { rtt.value }
  var jitterMean: Double? { jitter.value }
  /// Mean payload bit rate between the first and the last report of bytes.
  var bitrateMean: Double? { bytes.perMs.map { $0 * 8000 } }
  /// Mean frame rate from the first to the last frame, as browsers go on reporting removed video; from the gauge if
  /// frames are not counted.
  var frameRateMean: Double? { frames.perMsWhileGrowing.map { $0 * 1000 } ?? frameRate.value }
  /// Share of played audio that was concealed.
  var concealedShare: Double? {
    guard let concealed = total(.concealedSamples), let total = total(.totalSamples), total > 0 else {
      return nil
    }
    // If nothing can be decoded, browsers count more concealed than played samples.
    return min(1, concealed / total)
  }
}

/// Counters that are reset together. Browsers reset them when a receiver stops and restarts, as after a hold.
private struct CounterGroups: OptionSet {
  let rawValue: Int

  static let packets = CounterGroups(rawValue: 1)
  static let sound = CounterGroups(rawValue: 2)
  static let picture = CounterGroups(rawValue: 4)

  /// The metrics with a total in the stream's row.
  static let metrics: [(group: CounterGroups, metrics: [Metric])] = [
    (
      .packets,
      [
        .packets, .bytes, .expected, .lost, .duplicates, .reordered, .late, .fecPackets, .rtxPackets, .nack,
        .pli, .fir,
      ]
    ),
    (.sound, [.totalSamples, .concealedSamples, .silentConcealedSamples]),
    (.picture, [.frames, .freezeCount, .freezeMs, .pauseCount, .pauseMs]),
  ]
}

/// Mean of the known values.
private struct Mean {
  private var sum = 0.0
  private var count = 0.0

  mutating func add(_ value: Double?) {
    guard let value, value.isFinite else { return }
    sum += value
    count += 1
  }

  var value: Double? { count > 0 ? sum / count : nil }
}

/// Growth of a counter over time; after a reset it counts from zero.
private struct Growth {
  private var firstMs: Double?
  private var lastMs = 0.0
  private var lastValue = 0.0
  /// From the report before the first increase to the report of the last one.
  private var growing: (from: Double, to: Double)?
  private var sum = 0.0

  /// Whether it was reset.
  mutating func add(_ value: Double?, at time: Double) -> Bool {
    guard let value, value.isFinite else { return false }
    let isReset = firstMs != nil && value < lastValue
    if firstMs == nil { firstMs = time } else { sum += isReset ? value : value - lastValue }
    if value != lastValue, time >= lastMs, let firstMs {
      growing = (growing?.from ?? (firstMs < time ? lastMs : firstMs), time)
    }
    lastMs = time
    lastValue = value
    return isReset
  }

  /// Rate between the first and last increase; zero if it never grew.
  var perMsWhileGrowing: Double? {
    guard let growing, growing.to > growing.from else { return perMs }
    return sum / (growing.to - growing.from)
  }

  var perMs: Double? {
    guard let firstMs, lastMs > firstMs else { return nil }
    return sum / (lastMs - firstMs)
  }
}
