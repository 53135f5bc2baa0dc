import CallModel

/// A sender that would like to send more than the machine or the network lets it.
struct SenderLimitDetector {
  /// How long a sender is left to find its rate, ms.
  static let rampMs = 10_000.0
  /// Estimated bandwidth below which video, or sound alone, starves, bit/s.
  static let starvedVideoBps = 150_000.0
  static let starvedAudioBps = 40_000.0
  /// Share of the bandwidth found that must be used, for the estimate grows only as far as someone sends: of a still picture
  /// it tells nothing (libwebrtc calls a sender limited by its application under 0.65; what is sent is counted here
  /// without the headers of IP and UDP).
  static let leastUsed = 0.5
  /// What libwebrtc aims at by default, at most, for a camera's picture of any size (`GetMaxDefaultVideoBitrateKbps`), bit/s.
  static let plentyBps = 2_500_000.0

  private var cpu = Hysteresis(onAfterMs: 5000, offAfterMs: 3000)
  private var bandwidth = Hysteresis(onAfterMs: 5000, offAfterMs: 3000)
  private var estimate = Hysteresis(onAfterMs: 5000, offAfterMs: 3000)
  private var previous: [Int: Double] = [:]
  /// When the first packet was sent, and the first of a picture: each has its rate to find; and of each stream.
  private var firstSentMs: Double?
  private var firstPictureMs: Double?
  private var begunMs: [Int: Double] = [:]
  private var lowestBps: Double?
  /// When bandwidth was last found for a connection, and whether it used it.
  private var found: [Int64: (timeMs: Double, isUsed: Bool)] = [:]

  mutating func see(_ sample: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.direction == .outbound else { return }
    if (sample[.packets] ?? 0) > 0 {
      firstSentMs = firstSentMs ?? sample.timeMs
      if role.kind == .video { firstPictureMs = firstPictureMs ?? sample.timeMs }
      if begunMs[stream] == nil { begunMs[stream] = sample.timeMs }
    }
    guard role.kind == .video, let code = sample[.limitedBy] else { return }
    let from = previous.updateValue(sample.timeMs, forKey: stream) ?? sample.timeMs
    cpu.observe(code == Double(LimitedBy.cpu.rawValue), from: from, to: sample.timeMs)
    guard isSettled(from, since: begunMs[stream]) else { return }
    // An encoder calls every rate low that it was given, by whomever: a limit of the application's as well.
    let isStarved =
      code == Double(LimitedBy.bandwidth.rawValue) && sample[.targetBps] ?? 0 < Self.plentyBps
      && isUsed(role.connections, since: from)
    bandwidth.observe(isStarved, from: from, to: sample.timeMs)
  }

  /// Whether a stream's connection uses the bandwidth that was last found for it; taken for granted where none was.
  private func isUsed(_ connections: [Int64], since timeMs: Double) -> Bool {
    connections.compactMap { found[$0] }.max { $0.timeMs < $1.timeMs }.map { $0.timeMs < timeMs || $0.isUsed }
      ?? true
  }

  /// Takes an instant of a path and the one before it of the same connection.
  mutating func see(_ sample: TransportSample, after earlier: TransportSample?) {
    // Nobody finds that nothing can be sent: 0 is what those write who do not estimate.
    guard let bps = sample.availableOutgoingBps, bps > 0, let earlier else { return }
    let isUsed = Self.isUsed(bps, sample, after: earlier)
    found[sample.connection] = (sample.timeMs, isUsed)
    guard isSettled(earlier.timeMs, since: firstPictureMs ?? firstSentMs) else { return }
    let least = firstPictureMs == nil ? Self.starvedAudioBps : Self.starvedVideoBps
    let starved = bps < least && isUsed
    if starved { lowestBps = min(lowestBps ?? bps, bps) }
    estimate.observe(starved, from: earlier.timeMs, to: sample.timeMs)
  }

  /// Whether the sender uses what was found; taken for granted where the path does not count.
  private static func isUsed(_ bps: Double, _ sample: TransportSample, after earlier: TransportSample) -> Bool
  {
    guard earlier.countsOn(to: sample), let before = earlier.bytesSent, let now = sample.bytesSent,
      now >= before, sample.timeMs > earlier.timeMs
    else { return true }
    return (now - before) * 8000 / (sample.timeMs - earlier.timeMs) >= leastUsed * bps
  }

  private func isSettled(_ time: Double, since first: Double?) -> Bool {
    first.map { time - $0 >= Self.rampMs } ?? false
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    cpu.finish()
    bandwidth.finish()
    estimate.finish()
    var findings = cpu.spans.map { span in
      Finding(
        "cpu-limited", .warning, from: span.start, to: span.end,
        Evidence().with("limited_ms", span.end - span.start).with("by", "qualityLimitationReason"),
        "The sender's processor is too slow for its picture for \(seconds(span.end - span.start)).")
    }
    findings += bandwidth.spans.map { span in
      Finding(
        "bandwidth-starved", .warning, from: span.start, to: span.end,
        Evidence().with("limited_ms", span.end - span.start).with("by", "qualityLimitationReason"),
        "The sender's bandwidth is too small for its picture for \(seconds(span.end - span.start)).")
    }
    // The estimate tells the same story; it only speaks where the encoder did not.
    for span in estimate.spans
    where !bandwidth.spans.contains(where: { $0.start < span.end && $0.end > span.start }) {
      findings.append(
        Finding(
          "bandwidth-starved", .warning, from: span.start, to: span.end,
          Evidence().with("limited_ms", span.end - span.start).with("lowest_available_bps", lowestBps)
            .with("by", "availableOutgoingBitrate"),
          "The bandwidth found for sending is too small for \(seconds(span.end - span.start))."))
    }
    return findings
  }
}
