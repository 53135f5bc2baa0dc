import CallModel

/// The figures of a stream's whole life, gathered as its samples pass in the order of time.
struct StreamTally {
  /// The last value of every metric that was ever reported.
  private(set) var last = Sample(timeMs: 0)
  private(set) var span = Span()
  private var rtt = Mean()
  private var jitter = Mean()
  private(set) var jitterMax: Double?
  private var frameRate = Mean()
  private var bytes = Growth()
  private var frames = Growth()

  /// Adds samples from an index on, in the order of time.
  mutating func add(_ rows: UnsafeBufferPointer<WaitingSample>, from first: Int) {
    for index in first..<rows.count { addFigures(rows[index].sample) }
    // From the last to the first: most metrics are known from the last already.
    var latest = Sample(timeMs: 0)
    for index in (first..<rows.count).reversed() { latest.fill(from: rows[index].sample) }
    last.merge(latest)
  }

  /// Adds the next sample.
  mutating func add(_ sample: borrowing Sample) {
    addFigures(sample)
    last.merge(sample)
  }

  private mutating func addFigures(_ sample: borrowing Sample) {
    span.add(sample.timeMs)
    rtt.add(sample[.rttMs])
    frameRate.add(sample[.frameRate])
    if let value = sample[.jitterMs] {
      jitter.add(value)
      jitterMax = max(jitterMax ?? value, value)
    }
    bytes.add(sample[.bytes], at: sample.timeMs)
    frames.add(sample[.frames], at: sample.timeMs)
  }

  var rttMean: Double? { rtt.value }
  var jitterMean: Double? { jitter.value }
  /// Payload bits a second between the first and the last report of bytes.
  var bitrateMean: Double? { bytes.perMs.map { $0 * 8000 } }
  /// Frames a second over the stream's life; by the gauge where frames are not counted.
  var frameRateMean: Double? { frames.perMs.map { $0 * 1000 } ?? frameRate.value }
  /// Share of the audio played that was made up.
  var concealedShare: Double? {
    guard let concealed = last[.concealedSamples], let total = last[.totalSamples], total > 0 else {
      return nil
    }
    return concealed / total
  }
}

/// Mean of the values that are known.
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

/// How much a counter grew over a time; after a reset it counts from zero.
private struct Growth {
  private var firstMs: Double?
  private var lastMs = 0.0
  private var lastValue = 0.0
  private var sum = 0.0

  mutating func add(_ value: Double?, at time: Double) {
    guard let value, value.isFinite else { return }
    if firstMs == nil { firstMs = time } else { sum += value >= lastValue ? value - lastValue : value }
    lastMs = time
    lastValue = value
  }

  var perMs: Double? {
    guard let firstMs, lastMs > firstMs else { return nil }
    return sum / (lastMs - firstMs)
  }
}
