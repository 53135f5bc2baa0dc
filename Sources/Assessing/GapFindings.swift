import CallModel
import Scoring

/// What a capture shows of sound that stopped coming to an end, where no other finding tells of it.
struct GapFindings {
  /// Shortest time without sound that is told, ms; longer where nothing shows that any was sent.
  private static let (leastLostMs, leastUnsentMs) = (5000.0, 10_000.0)
  /// Who received it for so much of the time, and passed nothing on, had it last.
  private static let leastRelayedShare = 0.5

  private let end: EndpointAssessment
  private let told: [Finding]

  init(_ end: EndpointAssessment, told: [Finding]) { (self.end, self.told) = (end, told) }

  var findings: [Finding] {
    guard end.choice.judging == .capture else { return [] }
    let codes: Set = ["one-way-audio", "dropped-mid-call", "far-end-silent", "no-media"]
    let known = SpanSet(
      told.filter { codes.contains($0.code) }.compactMap { finding in
        finding.startMs.flatMap { start in finding.endMs.map { (start: start, end: $0) } }
      })
    return end.gapsOffHold(.audio).compactMap { gap in
      guard known.covered(from: gap.startMs, to: gap.endMs) < gap.lengthMs / 2 else { return nil }
      return finding(gap)
    }
  }

  private func finding(_ gap: PacketGap) -> Finding? {
    let length = durationText(gap.lengthMs)
    let stop = relay(at: gap)
    func finding(_ severity: Severity, _ text: String) -> Finding {
      var finding = Finding(
        "one-way-audio", severity,
        evidence: evidenceJSON([
          ("without_packets_ms", gap.lengthMs.rounded()),
          ("by", gap.proof == .none ? nil : gap.proof.rawValue), ("stopped_at", stop),
        ]),
        text: text)
      (finding.startMs, finding.endMs) = (gap.startMs, gap.endMs)
      return finding
    }
    let until = gap.isOpen ? ", up to the end" : ""
    if let stop {
      guard gap.lengthMs >= Self.leastLostMs else { return nil }
      return finding(
        .error, "No sound came for \(length)\(until): \(stop) received it and did not pass it on.")
    }
    if gap.isLost, !gap.isUnexplained {
      guard gap.lengthMs >= Self.leastLostMs else { return nil }
      let why =
        switch gap.proof {
        case .sequenceNumbers: "the numbers of its packets are missing"
        case .senderReports: "by its own reports the far end sent it"
        case .signalling: "the call was taken back from hold, and the far end sent nothing"
        case .otherEnd: "the other end sent it"
        case .none: "nothing of the far end came any more"
        }
      return finding(.error, "No sound came for \(length)\(until): \(why).")
    }
    guard gap.isOpen, gap.lengthMs >= Self.leastUnsentMs else { return nil }
    return finding(.info, "No sound came for \(length)\(until), and nothing shows that any was sent.")
  }

  /// The host that received the sound in a gap and passed none of it on: the last that a capture saw it reach.
  private func relay(at gap: PacketGap) -> String? {
    let chosen = Set(end.choice.chosen(.capture).map(\.key))
    let near = Set(end.choice.chosen(.capture).compactMap { $0.facts.local.map(AddressText.host) })
    let farther = end.choice.captured.filter { row in
      guard !chosen.contains(row.key), row.facts.kind == .audio, let first = row.totals.firstMs,
        let last = row.totals.lastMs
      else { return false }
      let covered = min(last, gap.endMs) - max(first, gap.startMs)
      return covered >= Self.leastRelayedShare * gap.lengthMs
    }
    return farther.compactMap { $0.facts.local.map(AddressText.host) }.first { !near.contains($0) }
  }
}
