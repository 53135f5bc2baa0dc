import CallModel

extension MediaStream {
  /// The whole-stream figures for the store.
  func totals() -> StreamTotals {
    var t = StreamTotals()
    t.firstMs = Double(firstNs) / 1e6
    t.lastMs = Double(lastNs) / 1e6
    t.packets = sequence.unique
    t.bytes = payloadBytes
    t.expected = sequence.expected
    t.lost = sequence.lost
    t.duplicates = sequence.duplicates
    t.reordered = sequence.reordered
    t.restarts = sequence.restarts
    t.probes = probes
    t.captureDuplicates = captureDuplicates
    t.maxDeltaMs = Double(maxDeltaNs) / 1e6
    if hasTiming, let mean = jitter.meanMs {
      t.jitterMeanMs = mean
      t.jitterMaxMs = jitter.maxMs
      if kind == .video { t.frameJitterMeanMs = frameJitter.meanMs }
    }
    takeWireshark(into: &t)
    return t
  }

  /// TShark's columns; for a stream that moved, sums over its pairs of addresses and the mean weighted by packets.
  private func takeWireshark(into t: inout StreamTotals) {
    t.wiresharkPackets = figures.reduce(0) { $0 + $1.wireshark.packets }
    t.wiresharkLost = figures.reduce(0) { $0 + $1.wireshark.lost }
    let timed = figures.map(\.wireshark).filter(\.hasJitter)
    guard !timed.isEmpty else { return }
    let weight = timed.reduce(0) { $0 + $1.packets }
    t.wiresharkJitterMeanMs =
      timed.reduce(0) { $0 + $1.meanJitterMs * Double($1.packets) } / Double(max(1, weight))
    t.wiresharkJitterMaxMs = timed.reduce(0) { max($0, $1.maxJitterMs) }
  }
}
