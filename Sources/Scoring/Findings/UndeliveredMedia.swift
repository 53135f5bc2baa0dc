import CallModel

/// Media that was sent but not delivered, or discarded by the receiver, from what a capture has of the far end and of
/// the network. No score includes it.
public struct UndeliveredMedia: Sendable {
  /// When it lasted, ms since the epoch.
  private struct Period {
    var from: Double
    var until: Double
    var lengthMs: Double { until - from }

    init?(_ member: String) {
      guard let from = number("from_ms", of: member), let until = number("until_ms", of: member) else {
        return nil
      }
      (self.from, self.until) = (from, until)
    }

    func isLonger(than other: Period?) -> Bool { lengthMs > other?.lengthMs ?? 0 }
  }

  /// ICMP errors.
  private struct Returned {
    var error: String
    var count: Double
    var period: Period
  }

  /// An address that media was sent to, while the far end was elsewhere: at the address that SDP named, or, if the one
  /// named was private, at a public one.
  private struct Misdirected {
    var to: String
    var farEnd: String
    var isNamed: Bool
    /// Whether nothing came back.
    var isUnanswered: Bool
    var period: Period
  }

  /// Media that went on while the highest number in its receiver's reports did not advance.
  private struct NotReceived {
    var packets: Double
    var period: Period
  }

  private let kind: MediaKind
  private var notReceived: NotReceived?
  private var misdirected: Misdirected?
  private var returned: Returned?
  private var discarded = 0.0
  private var span: (from: Double?, to: Double?) = (nil, nil)

  /// A sum that contains no stream yet.
  public init(_ kind: MediaKind) { self.kind = kind }

  /// Adds a stream as seen by a capture.
  public mutating func add(_ totals: StreamTotals) {
    guard let extra = totals.extra else { return }
    if let member = memberObject("returned", of: extra), let period = Period(member),
      period.isLonger(than: returned?.period), let error = memberText("error", of: member)
    {
      returned = Returned(error: error, count: number("count", of: member) ?? 0, period: period)
    }
    if let member = memberObject("astray", of: extra), let period = Period(member),
      period.isLonger(than: misdirected?.period), let to = memberText("to", of: member),
      let farEnd = memberText("far_end", of: member)
    {
      let isNamed = memberText("named", of: member) == "true"
      let isUnanswered = memberText("unanswered", of: member) == "true"
      misdirected = Misdirected(
        to: to, farEnd: farEnd, isNamed: isNamed, isUnanswered: isUnanswered, period: period)
    }
    if let member = memberObject("not_received", of: extra), let period = Period(member),
      period.isLonger(than: notReceived?.period), let packets = number("packets", of: member)
    {
      notReceived = NotReceived(packets: packets, period: period)
    }
    let share = memberObject("receiver_reports", of: extra).flatMap { number("discard_share", of: $0) }
    if let share, share > discarded {
      discarded = share
      span = (totals.firstMs, totals.lastMs)
    }
  }

  private var medium: String { kind == .video ? "picture" : "sound" }

  /// The findings on all streams added.
  public var findings: [Finding] {
    [returnedFinding, misdirectedFinding, notReceivedFinding, discardedFinding].compactMap { $0 }
  }

  private var returnedFinding: Finding? {
    returned.map {
      Finding(
        .remoteLoss, .warning, from: $0.period.from, to: $0.period.until,
        Evidence().with("returned", $0.count).with("error", $0.error).with("kind", kind.rawValue),
        "For \(seconds($0.period.lengthMs)) \($0.error == "port unreachable" ? "the host it was sent to" : "the network") answered the \(medium) that was sent with \"\($0.error)\" (ICMP): it did not arrive."
      )
    }
  }

  /// The finding at the end that it was sent to, if that is the one on record: its own host refused what came.
  public var refused: Finding? {
    guard let returned, returned.error == "port unreachable" else { return nil }
    var finding = Finding(
      kind == .audio ? .oneWayAudio : .noPicture, kind == .audio ? .error : .warning,
      from: returned.period.from,
      to: returned.period.until, Evidence().with("returned", returned.count).with("error", returned.error),
      "For \(seconds(returned.period.lengthMs)) this host answered the \(medium) sent to it with \"port unreachable\" (ICMP): no program took it."
    )
    finding.missing = .packets
    return finding
  }

  private var misdirectedFinding: Finding? {
    misdirected.map {
      Finding(
        .remoteLoss, .warning, from: $0.period.from, to: $0.period.until,
        Evidence().with("sent_to", $0.to).with("far_end", $0.farEnd).with("kind", kind.rawValue),
        "For \(seconds($0.period.lengthMs)) the \(medium) was sent to \($0.to), "
          + ($0.isNamed
            ? "while the far end, by SDP and by what it sent, was at \($0.farEnd): it will not have arrived."
            : $0.isUnanswered
              ? "a private address that SDP named, while the far end signalled from \($0.farEnd), and nothing came back: it will not have arrived."
              : "a private address that SDP named, while the far end sent from \($0.farEnd), behind a NAT: it will not have arrived.")
      )
    }
  }

  private var notReceivedFinding: Finding? {
    notReceived.map {
      Finding(
        .remoteLoss, .warning, from: $0.period.from, to: $0.period.until,
        Evidence().with("not_received_ms", $0.period.lengthMs).with("packets", $0.packets)
          .with("kind", kind.rawValue),
        "For \(seconds($0.period.lengthMs)) nothing of the \(medium) arrived, by the other end's reports: the highest number it received did not advance while \(Int(min($0.packets, 1e12))) packets were sent."
      )
    }
  }

  private var discardedFinding: Finding? {
    guard discarded >= Threshold.loss.value else { return nil }
    return Finding(
      .remoteLoss, discarded >= Threshold.lossWarning.value ? .warning : .info, from: span.from,
      to: span.to,
      Evidence().with("discard_share", discarded).with("kind", kind.rawValue),
      "The other end reports that it threw away \(lossPercent(discarded)) of the \(medium) it was sent: it came too late or too early."
    )
  }
}

private func number(_ name: String, of object: String) -> Double? {
  memberText(name, of: object).flatMap(Double.init)
}
