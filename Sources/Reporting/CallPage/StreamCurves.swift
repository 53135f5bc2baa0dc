import CallModel
import CallStore

/// What a stream did between its samples: the growth of counters, aware of resets, and its gauges.
struct StreamCurves {
  var loss = Series()
  var jitter = Series()
  var concealed = Series()
  var bitrate = Series()
  var target = Series()
  var frameRate = Series()
  var height = Series()
  var freeze = Series()

  /// Reads the samples of a stream; times from `zeroMs`. Throws what the store throws.
  init(_ stream: StreamAccount, in store: Store, zeroMs: Double) throws {
    for part in stream.parts {
      let cursor = try store.samples(ofStream: part.key)
      var sample = Sample(timeMs: 0)
      var before: Sample?
      while try cursor.next(into: &sample) {
        add(sample, before, sample.timeMs - zeroMs)
        before = sample
      }
    }
  }

  private mutating func add(_ sample: Sample, _ before: Sample?, _ atMs: Double) {
    jitter.append(atMs, sample[.jitterMs])
    target.append(atMs, sample[.targetBps])
    height.append(atMs, sample[.height])
    guard let before, sample.timeMs > before.timeMs else { return }
    let interval = sample.timeMs - before.timeMs
    let isReset = (sample[.packets] ?? 0) < (before[.packets] ?? 0)
    func growth(_ metric: Metric) -> Double? {
      guard let now = sample[metric] else { return nil }
      guard !isReset, let then = before[metric] else { return isReset ? now : nil }
      return metric == .lost ? now - then : now < then ? now : now - then
    }
    if let packets = growth(.packets), let lost = growth(.lost), packets + max(lost, 0) > 0 {
      loss.append(atMs, max(lost, 0) / (packets + max(lost, 0)))
    } else {
      loss.append(atMs, nil)
    }
    if let made = growth(.concealedSamples), let all = growth(.totalSamples) {
      concealed.append(atMs, all > 0 ? min(1, made / all) : nil)
    }
    bitrate.append(atMs, growth(.bytes).map { $0 * 8000 / interval })
    frameRate.append(atMs, growth(.frames).map { $0 * 1000 / interval } ?? sample[.frameRate])
    freeze.append(atMs, growth(.freezeMs).map { min(1, $0 / interval) })
  }
}
