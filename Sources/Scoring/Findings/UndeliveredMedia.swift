import CallModel

/// Media that was sent but not delivered, or discarded by the receiver, from what a capture has of the far end and of
/// the network. No score includes it.
public struct UndeliveredMedia: Sendable {
  /// What a capture noted with a stream that lasted for a period.
  private struct Noted {
    let member: String
    let from: Double
    let until: Double

    func text(_ name: String) -> String { memberText(name, of: member) ?? "" }
    func number(_ name: String) -> Double? { memberText(name, of: member).flatMap(Double.init) }
  }

  /// Members of a stream's totals, with the members that each must have: ICMP errors; an address that media was sent to
  /// while the far end was elsewhere, at the address that SDP named, or, if the one named was private, at a public one;
  /// media that went on while the highest number in its receiver's reports did not advance.
  private static let members = [
    "returned": ["error"], "astray": ["to", "far_end"], "not_received": ["packets"],
  ]

  private let kind: MediaKind
  /// The longest of each, by its member.
  private var longest: [String: Noted] = [:]
  private var discarded = 0.0
  private var span: (from: Double?, to: Double?) = (nil, nil)

  /// A sum that contains no stream yet.
  public init(_ kind: MediaKind) { self.kind = kind }

  /// Adds a stream as seen by a capture.
  public mutating func add(_ totals: StreamTotals) {
    guard let extra = totals.extra else { return }
    for (name, needed) in Self.members {
      guard let member = memberObject(name, of: extra),
        needed.allSatisfy({ memberText($0, of: member) != nil }),
        let from = memberText("from_ms", of: member).flatMap(Double.init),
        let until = memberText("until_ms", of: member).flatMap(Double.init),
        until - from > longest[name].map({ $0.until - $0.from }) ?? 0
      else { continue }
      longest[name] = Noted(member: member, from: from, until: until)
    }
    let share = memberObject("receiver_reports", of: extra).flatMap {
      memberText("discard_share", of: $0).flatMap(Double.init)
    }
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
    longest["returned"].map {
      Finding(
        .remoteLoss, .warning, from: $0.from, to: $0.until,
        Evidence().with("returned", $0.number("count") ?? 0).with("error", $0.text("error")).with(
          "kind", kind.rawValue),
        "For \(seconds($0.until - $0.from)) \($0.text("error") == "port unreachable" ? "the host it was sent to" : "the network") answered the \(medium) that was sent with \"\($0.text("error"))\" (ICMP): it did not arrive."
      )
    }
  }

  private var misdirectedFinding: Finding? {
    longest["astray"].map {
      Finding(
        .remoteLoss, .warning, from: $0.from, to: $0.until,
        Evidence().with("sent_to", $0.text("to")).with("far_end", $0.text("far_end")).with(
          "kind", kind.rawValue),
        "For \(seconds($0.until - $0.from)) the \(medium) was sent to \($0.text("to")), "
          + ($0.text("named") == "true"
            ? "while the far end, by SDP and by what it sent, was at \($0.text("far_end")): it will not have arrived."
            : "a private address that SDP named, while the far end sent from \($0.text("far_end")), behind a NAT: it will not have arrived.")
      )
    }
  }

  private var notReceivedFinding: Finding? {
    longest["not_received"].map {
      Finding(
        .remoteLoss, .warning, from: $0.from, to: $0.until,
        Evidence().with("not_received_ms", $0.until - $0.from).with("packets", $0.number("packets"))
          .with("kind", kind.rawValue),
        "For \(seconds($0.until - $0.from)) nothing of the \(medium) arrived, by the other end's reports: the highest number it received did not advance while \(Int(min($0.number("packets") ?? 0, 1e12))) packets were sent."
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
