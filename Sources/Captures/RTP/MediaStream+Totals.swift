import CallModel

extension MediaStream {
  /// The whole-stream figures for the store.
  func totals() -> StreamTotals {
    var t = StreamTotals()
    t.firstMs = firstNs.unixMs
    t.lastMs = lastNs.unixMs
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
    if clockRate > 0, let mean = jitter.meanMs {
      t.jitterMeanMs = mean
      t.jitterMaxMs = jitter.maxMs
      if kind == .video && tellsPictures { t.frameJitterMeanMs = frameJitter.meanMs }
    }
    t.late = played?.late
    t.rtx = repairedBy == nil ? nil : repeats
    t.fec = audio.map { $0.fec.received + $0.redundant } ?? (redundant > 0 ? redundant : nil)
    if let packetMs, let bursts = losses.metrics.figures(packetMs: packetMs) {
      t.burstDensity = bursts.burstDensity
      t.gapDensity = bursts.gapDensity
      t.burstMs = bursts.burstMs
      t.gapMs = bursts.gapMs
    }
    if let near = path.ends.0.meanAnswerMs, let far = path.ends.1.meanAnswerMs { t.rttMs = near + far }
    t.extra = extra
    takeWireshark(into: &t)
    return t
  }

  /// Mean time of media a packet stands for, ms.
  private var packetMs: Double? {
    sequence.expected > 1 ? Double(lastNs - firstNs) / 1e6 / Double(sequence.expected - 1) : nil
  }

  /// What has no column: what it repairs, where it went, runs of loss.
  private var extra: String? {
    var w = ArgumentWriter()
    if role == .repair { w.add("role", "rtx") }
    if role == .redundancy { w.add("role", "fec") }
    if role == .probing { w.add("role", "padding") }
    if role == .data { w.add("role", "data") }
    if let repairs { w.add("repairs_ssrc", Int(repairs.ssrc)) }
    if figures.count > 1 {
      w.add("addresses", figures.map { "\($0.source.text)>\($0.destination.text)" }.joined(separator: " "))
    }
    if ttl > 0 { w.add("ttl", Int(ttl)) }
    if recent.notPassedOn > 0 { w.add("not_passed_on", recent.notPassedOn) }
    if uncaptured > 0 { w.add("uncaptured", uncaptured) }
    if sequence.lost > 0 {
      let runs = (0..<11).map { String(losses.histogram[$0]) }.joined(separator: ",")
      w.add(raw: "loss_runs", "[\(runs)]")
    }
    if let audio, audio.fec.received > 0 {
      let guess = hasLevels ? "audio level" : "assumed share 0.5"
      w.add("fec_evidence", audio.fec.isClear ? "Opus header" : guess)
      w.add("fec_used", audio.fec.used)
    }
    if let paused = played?.pausedConcealed, paused > 0 { w.add("paused_concealed", Int(paused)) }
    if let audio, audio.redundant > 0 { w.add("red_restored", audio.restored) }
    if let reported = reports.json(clockRate: clockRate) { w.add(raw: "receiver_reports", reported) }
    if let errors = returned.json { w.add(raw: "returned", errors) }
    if let astray { w.add(raw: "astray", astray) }
    if let beyond = reportedLoss.json { w.add(raw: "lost_beyond", beyond) }
    return w.text == "{}" ? nil : w.text
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
