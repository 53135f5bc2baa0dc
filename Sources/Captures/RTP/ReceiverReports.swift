/// What the receiver of a stream reported of it in the clear: report blocks (RFC 3550 section 6.4.1) and VoIP metrics
/// (RFC 3611 section 4.7).
struct ReceiverReports {
  /// A call's quality as the receiver measured it; nil is what it could not (127, and 0 ms).
  private struct VoIPMetrics {
    var lossShare: Double
    var discardShare: Double
    var roundTripMs: Int?
    var endSystemDelayMs: Int?
    var rFactor: Int?
    var listeningMOS: Double?
    var conversationalMOS: Double?
  }

  /// Report blocks so far.
  private var count = 0
  /// Packets lost since the beginning, as last reported; duplicates make it fall (RFC 3550).
  private(set) var lost = 0
  /// Greatest share lost between two reports, 0–1.
  private var worstFraction = 0.0
  /// Jitter as last reported, in ticks of the stream's clock.
  private var jitterTicks = 0
  private var metrics: VoIPMetrics?
  /// Share lost by a report that no sample has told yet.
  private var untoldFraction: Double?

  /// Takes a report block, 24 bytes.
  mutating func take(block b: Octets) {
    guard b.count >= 24 else { return }
    let fraction = Double(b.byte(4)) / 256
    count += 1
    untoldFraction = fraction
    worstFraction = max(worstFraction, fraction)
    let total = Int(b.word(4) & 0xFF_FFFF)
    lost = total >= 0x80_0000 ? total - 0x100_0000 : total
    jitterTicks = Int(b.word(12))
  }

  /// Takes a VoIP metrics block, 36 bytes from its type on.
  mutating func take(voipMetrics b: Octets) {
    guard b.count >= 36 else { return }
    func time(_ at: Int) -> Int? { b.short(at) == 0 ? nil : Int(b.short(at)) }
    func rating(_ at: Int) -> Int? { b.byte(at) == 127 ? nil : Int(b.byte(at)) }
    metrics = VoIPMetrics(
      lossShare: Double(b.byte(8)) / 256, discardShare: Double(b.byte(9)) / 256, roundTripMs: time(16),
      endSystemDelayMs: time(18), rFactor: rating(24), listeningMOS: rating(26).map { Double($0) / 10 },
      conversationalMOS: rating(27).map { Double($0) / 10 })
  }

  /// The share lost by a report that came since this was last asked.
  mutating func newFraction() -> Double? {
    defer { untoldFraction = nil }
    return untoldFraction
  }

  /// All of it as a JSON object, nil where nothing was reported: loss beyond this point and within the receiver shows here.
  func json(clockRate: Int) -> String? {
    var w = ArgumentWriter()
    if count > 0 {
      w.add("count", count)
      w.add("lost", lost)
      w.add("worst_fraction_lost", worstFraction)
      if clockRate > 0 { w.add("jitter_ms", Double(jitterTicks) * 1000 / Double(clockRate)) }
    }
    if let metrics {
      w.add("loss_share", metrics.lossShare)
      w.add("discard_share", metrics.discardShare)
      if let ms = metrics.roundTripMs { w.add("rtt_ms", ms) }
      if let ms = metrics.endSystemDelayMs { w.add("end_system_delay_ms", ms) }
      if let r = metrics.rFactor { w.add("r_factor", r) }
      if let mos = metrics.listeningMOS { w.add("mos_lq", mos, decimals: 1) }
      if let mos = metrics.conversationalMOS { w.add("mos_cq", mos, decimals: 1) }
    }
    return count > 0 || metrics != nil ? w.text : nil
  }
}
