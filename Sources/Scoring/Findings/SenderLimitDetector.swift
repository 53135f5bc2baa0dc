import CallModel

/// Detects a sender whose machine or network does not let it send as much as it would like to.
struct SenderLimitDetector {
  private static let unlimited = Hysteresis(
    onAfterMs: Threshold.limitedFor.value, offAfterMs: Threshold.unlimitedFor.value)

  private var cpu = unlimited
  private var bandwidth = unlimited
  private var estimate = unlimited
  /// The encoder of the only picture, which is enabled and takes none of the frames that its source gives.
  private var stalled = unlimited
  private var counted: [Int: (encoded: Double, captured: Double)] = [:]
  private var previous: [Int: Double] = [:]
  /// When the first packet, and the first video packet, were sent, since each has its own ramp-up; and by stream.
  private var firstSentMs: Double?
  private var firstPictureMs: Double?
  private var begunMs: [Int: Double] = [:]
  private var lowestBps: Double?
  /// When bandwidth was last estimated for a connection, and whether the sender used it.
  private var found: [Int64: (timeMs: Double, isUsed: Bool)] = [:]

  mutating func see(_ sample: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.direction == .outbound else { return }
    if (sample[.packets] ?? 0) > 0 {
      firstSentMs = firstSentMs ?? sample.timeMs
      if role.kind == .video { firstPictureMs = firstPictureMs ?? sample.timeMs }
      if begunMs[stream] == nil { begunMs[stream] = sample.timeMs }
    }
    guard role.kind == .video else { return }
    let from = previous.updateValue(sample.timeMs, forKey: stream) ?? sample.timeMs
    if let encoded = sample[.frames], let captured = sample[.framesCaptured] {
      let before = counted.updateValue((encoded, captured), forKey: stream)
      let isStill = before.map { $0.encoded == encoded && $0.encoded > 0 && captured > $0.captured } ?? false
      // Without bandwidth an encoder is paused, and no frame is asked of it.
      let isPaused =
        sample[.limitedBy] == Double(LimitedBy.bandwidth.rawValue) || sample[.targetBps] ?? .infinity <= 0
      stalled.observe(isStill && sample[.active] == 1 && !isPaused, from: from, to: sample.timeMs)
    }
    guard let code = sample[.limitedBy] else { return }
    cpu.observe(code == Double(LimitedBy.cpu.rawValue), from: from, to: sample.timeMs)
    guard isSettled(from, since: begunMs[stream]) else { return }
    // An encoder reports `bandwidth` for any low rate it was given, including one set by the application.
    let isStarved =
      code == Double(LimitedBy.bandwidth.rawValue)
      && sample[.targetBps] ?? 0 < Threshold.plentyOfBandwidth.value
      && isUsed(role.connections, since: from)
    bandwidth.observe(isStarved, from: from, to: sample.timeMs)
  }

  /// Whether a stream's connection uses its last estimated bandwidth; true if there is no estimate.
  private func isUsed(_ connections: [Int64], since timeMs: Double) -> Bool {
    connections.compactMap { found[$0] }.max { $0.timeMs < $1.timeMs }.map { $0.timeMs < timeMs || $0.isUsed }
      ?? true
  }

  /// Takes a sample of a transport and its predecessor on the same connection.
  mutating func see(_ sample: TransportSample, after earlier: TransportSample?) {
    // No estimator returns 0: it is written by those that do not estimate.
    guard let bps = sample.availableOutgoingBps, bps > 0, let earlier else { return }
    let isUsed = Self.isUsed(bps, sample, after: earlier)
    found[sample.connection] = (sample.timeMs, isUsed)
    guard isSettled(earlier.timeMs, since: firstPictureMs ?? firstSentMs) else { return }
    let least = firstPictureMs == nil ? Threshold.starvedSound.value : Threshold.starvedPicture.value
    let starved = bps < least && isUsed
    if starved { lowestBps = min(lowestBps ?? bps, bps) }
    estimate.observe(starved, from: earlier.timeMs, to: sample.timeMs)
  }

  /// Whether the sender uses the estimated bandwidth; true if the transport does not count bytes.
  private static func isUsed(_ bps: Double, _ sample: TransportSample, after earlier: TransportSample) -> Bool
  {
    guard earlier.countsOn(to: sample), let before = earlier.bytesSent, let now = sample.bytesSent,
      now >= before, sample.timeMs > earlier.timeMs
    else { return true }
    return (now - before) * 8000 / (sample.timeMs - earlier.timeMs) >= Threshold.usedBandwidth.value * bps
  }

  private func isSettled(_ time: Double, since first: Double?) -> Bool {
    first.map { time - $0 >= Threshold.ramp.value } ?? false
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    cpu.finish()
    bandwidth.finish()
    estimate.finish()
    stalled.finish()
    var findings = cpu.spans.map { span in
      Finding(
        .cpuLimited, .warning, from: span.start, to: span.end,
        Evidence().with("limited_ms", span.end - span.start).with("by", "qualityLimitationReason"),
        "The sender's processor is too slow for its picture for \(seconds(span.end - span.start)).")
    }
    // Of several layers one may rest.
    findings += (counted.count == 1 ? stalled.spans : []).map { span in
      Finding(
        .cpuLimited, .warning, from: span.start, to: span.end,
        Evidence().with("stalled_ms", span.end - span.start).with("by", "framesEncoded"),
        "The sender's encoder stands still for \(seconds(span.end - span.start)), while its camera goes on and nothing has switched it off."
      )
    }
    findings += bandwidth.spans.map { span in
      Finding(
        .bandwidthStarved, .warning, from: span.start, to: span.end,
        Evidence().with("limited_ms", span.end - span.start).with("by", "qualityLimitationReason"),
        "The sender's bandwidth is too small for its picture for \(seconds(span.end - span.start)).")
    }
    // The estimate shows the same limit, so it is used only if the encoder reported none.
    for span in estimate.spans
    where !bandwidth.spans.contains(where: { $0.start < span.end && $0.end > span.start }) {
      findings.append(
        Finding(
          .bandwidthStarved, .warning, from: span.start, to: span.end,
          Evidence().with("limited_ms", span.end - span.start).with("lowest_available_bps", lowestBps)
            .with("by", "availableOutgoingBitrate"),
          "The bandwidth found for sending is too small for \(seconds(span.end - span.start))."))
    }
    return findings
  }
}
