import CallModel
import Scoring

/// Findings for audio that stopped arriving at an end and that no other finding covers.
struct GapFindings {
  /// Minimum share of the period for which a host received the audio without forwarding it.
  private static let minRelayedShare = 0.5

  private let end: EndpointAssessment
  /// The other end of a two-party call.
  private let other: EndpointAssessment?
  private let reported: [Finding]

  init(_ end: EndpointAssessment, of ends: [EndpointAssessment], reported: [Finding]) {
    (self.end, self.reported) = (end, reported)
    other = end.onlySource(of: .audio, among: ends)
  }

  var findings: [Finding] {
    let codes: Set<FindingCode?> = [.oneWayAudio, .droppedMidCall, .farEndSilent, .noMedia]
    let known = SpanSet(
      reported.filter { codes.contains($0.code) }.compactMap { finding in
        finding.startMs.flatMap { start in finding.endMs.map { (start: start, end: $0) } }
      })
    return end.gapsOffHold(.audio).compactMap { gap in
      guard known.covered(from: gap.startMs, to: gap.endMs) < gap.lengthMs / 2 else { return nil }
      return end.choice.judging == .capture ? finding(gap) : unsentGap(gap)
    }
  }

  /// The finding from statistics for a period without audio on a working path. An end that sends no audio itself has no
  /// other finding for it.
  private func unsentGap(_ gap: PacketGap) -> Finding? {
    guard !gap.isLost, gap.lengthMs >= Threshold.unprovenGap.value, !isMuted(gap) else { return nil }
    let length = durationText(gap.lengthMs)
    func finding(_ code: FindingCode, _ severity: Severity, _ member: String, by: String, _ text: String)
      -> Finding
    {
      Finding(
        code, severity, from: gap.startMs, to: gap.endMs,
        Evidence().with(member, gap.lengthMs.rounded()).with("by", by), text)
    }
    if let other, other.sent(.audio, from: gap.startMs, to: gap.endMs, seenFrom: end) {
      return finding(
        .oneWayAudio, .error, "without_packets_ms", by: MediaSpan.Proof.otherEnd.rawValue,
        "No sound came for \(length): the other end sent it.")
    }
    if let other, other.unsent(.audio, from: gap.startMs, to: gap.endMs, seenFrom: end) {
      return finding(
        .farEndSilent, .info, "not_sent_ms", by: "the sender",
        "The far end sent no sound for \(length), by what its own side recorded.")
    }
    return UnsentMedia.unproven(from: gap.startMs, to: gap.endMs, lengthMs: gap.lengthMs.rounded())
  }

  /// Whether the other end's events say that it was muted for most of the gap.
  private func isMuted(_ gap: PacketGap) -> Bool {
    guard let other else { return false }
    let behind = other.onCallClock(0) - end.onCallClock(0)
    return SpanSet(other.muted.map { (start: $0.startMs + behind, end: $0.endMs + behind) }).covered(
      from: gap.startMs, to: gap.endMs) > gap.lengthMs / 2
  }

  private func finding(_ gap: PacketGap) -> Finding? {
    let length = durationText(gap.lengthMs)
    let stop = relay(at: gap)
    let isElsewhere = end.passedElsewhere(.audio, from: gap.startMs, to: gap.endMs)
    let proof = gap.proof == .none && isElsewhere ? .otherEnd : gap.proof
    func finding(_ severity: Severity, _ text: String) -> Finding {
      Finding(
        .oneWayAudio, severity, from: gap.startMs, to: gap.endMs,
        Evidence().with("without_packets_ms", gap.lengthMs.rounded())
          .with("by", proof == .none ? nil : proof.rawValue).with("stopped_at", stop), text)
    }
    let until = gap.isOpen ? ", up to the end" : ""
    if let stop {
      guard gap.lengthMs >= Threshold.missingMedium.value else { return nil }
      return finding(
        .error, "No sound came for \(length)\(until): \(stop) received it, and it came no farther.")
    }
    if gap.isLost && !gap.isUnexplained || isElsewhere {
      guard gap.lengthMs >= Threshold.missingMedium.value else { return nil }
      let why =
        switch proof {
        case .sequenceNumbers: "the numbers of its packets are missing"
        case .senderReports: "by its own reports the far end sent it"
        case .signalling: "the call was taken back from hold, and the far end sent nothing"
        case .otherEnd: isElsewhere ? "another capture has its packets" : "the other end sent it"
        case .none: "nothing of the far end came any more"
        }
      return finding(.error, "No sound came for \(length)\(until): \(why).")
    }
    guard gap.isOpen, gap.lengthMs >= Threshold.unprovenGap.value else { return nil }
    return finding(.info, "No sound came for \(length)\(until), and nothing shows that any was sent.")
  }

  /// The host that received the audio in a gap without forwarding it: the last one that a capture saw it reach.
  private func relay(at gap: PacketGap) -> String? {
    let own = end.choice.chosen(.capture)
    let chosen = Set(own.map(\.key))
    let near = Set(own.compactMap { $0.facts.local.map(AddressText.host) })
    let farther = end.choice.captured.filter { row in
      guard !chosen.contains(row.key), row.facts.kind == .audio, let first = row.totals.firstMs,
        let last = row.totals.lastMs,
        own.allSatisfy({ row.hasMore(than: $0, in: gap.lengthMs) })
      else { return false }
      let covered =
        min(last, end.onCaptureClock(gap.endMs)) - max(first, end.onCaptureClock(gap.startMs))
      return covered >= Self.minRelayedShare * gap.lengthMs
    }
    return farther.compactMap { $0.facts.local.map(AddressText.host) }.first { !near.contains($0) }
  }
}
