import Packets

/// What the receiver of a stream reported about it in unencrypted RTCP: report blocks (RFC 3550 section
/// 6.4.1) and VoIP metrics (RFC 3611 section 4.7).
struct ReceiverReports {
  /// The quality measured by the receiver, by the names used in events. Figures that it could not measure are
  /// absent.
  struct VoIPMetrics {
    fileprivate var figures: [(name: String, value: Double)] = []

    /// The names that phones' quality reports use for the same figures (RFC 6035 section 4.6); shares in per
    /// cent.
    private static let names = [
      "loss_share": "loss_percent", "discard_share": "discarded_percent",
      "burst_density": "burst_loss_percent",
      "gap_density": "gap_loss_percent", "r_factor": "r_conversational", "mos_lq": "mos_listening",
      "mos_cq": "mos_conversational",
    ]

    /// Writes the figures in the form of phones' quality reports.
    func write(to w: inout ArgumentWriter) {
      for (name, value) in figures where name != "jitter_buffer_limit_ms" {
        let member = Self.names[name] ?? name
        let isShare = member.hasSuffix("percent")
        let shown = isShare ? value * 100 : value
        if shown == shown.rounded() {
          w.add(member, Int(shown))
        } else {
          w.add(member, shown, decimals: 1)
        }
      }
    }

    /// Reads a block: 36 bytes, beginning with its type.
    init(_ b: Octets) {
      func share(_ name: String, _ at: Int) { figures.append((name, Double(b.byte(at)) / 256)) }
      // A delay of 0 ms means that it was not measured; a burst of 0 ms means that there was none.
      func time(_ name: String, _ at: Int, zeroIsKnown: Bool = false) {
        if zeroIsKnown || b.short(at) > 0 { figures.append((name, Double(b.short(at)))) }
      }
      // 127 means "unavailable", and values out of range are to be ignored (RFC 3611 section 4.7.5).
      func rating(_ name: String, _ at: Int, _ range: ClosedRange<UInt8>, tenths: Bool = false) {
        guard range.contains(b.byte(at)) else { return }
        figures.append((name, tenths ? Double(b.byte(at)) / 10 : Double(b.byte(at))))
      }
      func level(_ name: String, _ at: Int) {
        let level = Int8(bitPattern: b.byte(at))
        if level <= 0 { figures.append((name, Double(level))) }
      }
      share("loss_share", 8)
      share("discard_share", 9)
      share("burst_density", 10)
      share("gap_density", 11)
      time("burst_ms", 12, zeroIsKnown: true)
      time("gap_ms", 14, zeroIsKnown: true)
      level("signal_dbm", 20)
      level("noise_dbm", 21)
      rating("echo_return_loss_db", 22, 0...126)
      time("jitter_buffer_ms", 30)
      time("jitter_buffer_max_ms", 32)
      time("jitter_buffer_limit_ms", 34)
      time("rtt_ms", 16)
      time("end_system_delay_ms", 18)
      rating("r_factor", 24, 0...100)
      rating("mos_lq", 26, 10...50, tenths: true)
      rating("mos_cq", 27, 10...50, tenths: true)
    }
  }

  /// The number of report blocks so far.
  private var count = 0
  /// The cumulative number of packets lost, as last reported. Duplicates make it fall (RFC 3550).
  private(set) var lost = 0
  /// The highest fraction lost in a report, 0–1.
  private var worstFraction = 0.0
  /// The jitter as last reported, in ticks of the stream's clock.
  private var jitterTicks = 0
  private var metrics: VoIPMetrics?
  /// A reported fraction lost that has not been included in a sample yet.
  private var pendingFraction: Double?

  /// Takes a report block, 24 bytes.
  mutating func take(block b: Octets) {
    guard b.count >= 24 else { return }
    let fraction = Double(b.byte(4)) / 256
    count += 1
    pendingFraction = fraction
    worstFraction = max(worstFraction, fraction)
    let total = Int(b.word(4) & 0xFF_FFFF)
    lost = total >= 0x80_0000 ? total - 0x100_0000 : total
    jitterTicks = Int(b.word(12))
  }

  /// Takes a VoIP metrics block: 36 bytes, beginning with its type.
  mutating func take(voipMetrics b: Octets) {
    guard b.count >= 36 else { return }
    metrics = VoIPMetrics(b)
  }

  /// The fraction lost in a report received since the last call of this method; nil if there was none.
  mutating func newFraction() -> Double? {
    defer { pendingFraction = nil }
    return pendingFraction
  }

  /// The figures as a JSON object; nil if nothing was reported. They include loss after the capture point and
  /// at the receiver.
  func json(clockRate: Int) -> String? {
    var w = ArgumentWriter()
    if count > 0 {
      w.add("count", count)
      w.add("lost", lost)
      w.add("worst_fraction_lost", worstFraction)
      if clockRate > 0 { w.add("jitter_ms", Double(jitterTicks) * 1000 / Double(clockRate)) }
    }
    for figure in metrics?.figures ?? [] {
      if figure.value == figure.value.rounded() {
        w.add(figure.name, Int(figure.value))
      } else {
        w.add(figure.name, figure.value, decimals: figure.name.hasPrefix("mos") ? 1 : 3)
      }
    }
    return count > 0 || metrics != nil ? w.text : nil
  }
}

/// Packets missing in the capture that reached their receiver according to its reports: the capture missed
/// them.
struct UncapturedLoss {
  /// The number of packets that the capture missed, and of those sent, up to the last report.
  private(set) var packets = 0
  private(set) var expected = 0
  /// The times of the reports between which most of them were sent.
  private(set) var fromNs: Int64 = 0
  private(set) var toNs: Int64 = 0
  private var most = 0
  private var lastNs: Int64?
  private var reporter: UInt32?

  /// Takes the number missing in the capture and the number reported lost at the same time. Only the first
  /// receiver counts.
  mutating func take(
    missing: Int, of expected: Int, reported: Int, by reporter: UInt32, since startNs: Int64, at timeNs: Int64
  ) {
    guard self.reporter == nil || self.reporter == reporter else { return }
    self.reporter = reporter
    // Duplicates that did not pass here make a receiver report a negative number.
    let difference = max(0, missing - max(0, reported))
    if difference - packets > most {
      most = difference - packets
      (fromNs, toNs) = (lastNs ?? startNs, timeNs)
    }
    (packets, self.expected, lastNs) = (difference, expected, timeNs)
  }
}

/// The number of packets that a stream's receiver reported lost since its first report, compared with the
/// number missing in the capture in the same period. What was lost before the first report, in a call already
/// in progress, is unknown.
struct ReportedLoss {
  private var first: (missing: Int, expected: Int, reported: Int)?
  private var reporter: UInt32?
  private var lost = 0
  private var missing = 0
  private var packets = 0

  /// Takes the number missing in the capture and the number reported lost at the same time. Only the first
  /// receiver counts.
  mutating func take(missing: Int, of expected: Int, reported: Int, by reporter: UInt32) {
    guard let first else {
      (self.first, self.reporter) = ((missing, expected, reported), reporter)
      return
    }
    guard self.reporter == reporter else { return }
    (lost, packets) = (reported - first.reported, expected - first.expected)
    self.missing = missing - first.missing
  }

  /// A JSON object if more was lost than is missing in the capture, nil otherwise.
  var json: String? {
    guard packets > 0, lost > max(0, missing) else { return nil }
    var w = ArgumentWriter()
    w.add("lost", lost)
    w.add("missing", max(0, missing))
    w.add("packets", packets)
    return w.text
  }
}
