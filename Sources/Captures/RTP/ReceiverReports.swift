/// What the receiver of a stream reported of it in the clear: report blocks (RFC 3550 section 6.4.1) and VoIP metrics
/// (RFC 3611 section 4.7).
struct ReceiverReports {
  /// A call's quality as the receiver measured it; nil is "unavailable" (127 or 255).
  struct VoIPMetrics {
    var lossShare: Double
    var discardShare: Double
    var roundTripMs: Int
    var endSystemDelayMs: Int
    var rFactor: Int?
    var listeningMOS: Double?
    var conversationalMOS: Double?
  }

  /// Report blocks so far.
  private(set) var count = 0
  /// Packets lost since the beginning, as last reported; duplicates make it fall (RFC 3550).
  private(set) var lost = 0
  /// Share lost between two reports, as last reported and at worst, 0–1.
  private(set) var fraction = 0.0
  private(set) var worstFraction = 0.0
  /// Jitter as last reported, in ticks of the stream's clock.
  private(set) var jitterTicks = 0
  private(set) var metrics: VoIPMetrics?
  /// Whether a report came that no sample has told yet.
  private var isNew = false

  /// Takes a report block, 24 bytes.
  mutating func take(block b: Octets) {
    guard b.count >= 24 else { return }
    count += 1
    isNew = true
    fraction = Double(b.byte(4)) / 256
    worstFraction = max(worstFraction, fraction)
    let total = Int(b.word(4) & 0xFF_FFFF)
    lost = total >= 0x80_0000 ? total - 0x100_0000 : total
    jitterTicks = Int(b.word(12))
  }

  /// Takes a VoIP metrics block, 36 bytes from its type on.
  mutating func take(voipMetrics b: Octets) {
    guard b.count >= 36 else { return }
    func mos(_ at: Int) -> Double? { b.byte(at) == 127 ? nil : Double(b.byte(at)) / 10 }
    metrics = VoIPMetrics(
      lossShare: Double(b.byte(8)) / 256, discardShare: Double(b.byte(9)) / 256,
      roundTripMs: Int(b.short(16)), endSystemDelayMs: Int(b.short(18)),
      rFactor: b.byte(24) == 127 ? nil : Int(b.byte(24)), listeningMOS: mos(26), conversationalMOS: mos(27))
  }

  /// The share lost by a report that came since this was last asked.
  mutating func newFraction() -> Double? {
    defer { isNew = false }
    return isNew ? fraction : nil
  }
}
