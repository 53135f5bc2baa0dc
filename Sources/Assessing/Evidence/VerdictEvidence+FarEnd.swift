import CallModel
import Verdicts

/// What an end tells of the other one, which is not on record.
extension VerdictEvidence {
  /// Whether the other end's encoder stood still for most of a period, though its camera went on.
  func isStalled(
    _ far: EndpointAssessment?, from start: Double, to stop: Double, seenFrom end: EndpointAssessment
  ) -> Bool {
    guard let far else { return false }
    let aheadMs = end.onCallClock(0) - far.onCallClock(0)
    let stalled = (findings[far.endpoint.key] ?? []).filter { $0.evidence.has("stalled_ms") }.compactMap {
      finding in finding.startMs.flatMap { start in finding.endMs.map { (start: start, end: $0) } }
    }
    return SpanSet(stalled).covered(from: start + aheadMs, to: stop + aheadMs) > (stop - start) / 2
  }

  /// Adds the audio loss that the far end reports, if the far end itself is not on record. To more ends a server
  /// reports what it received; what they heard is on record with them.
  func addLossAtFarEnd(of end: EndpointAssessment, to evidence: inout CallEvidence) {
    if ends.count > 2, hasReceived(besides: end) { return }
    let losses = (findings[end.endpoint.key] ?? []).compactMap { finding -> ReportedLoss? in
      guard finding.code == .remoteLoss,
        finding.evidence.word("kind") != MediaKind.video,
        let share = finding.evidence.number("lost_share")
      else { return nil }
      let length = finding.startMs.flatMap { start in finding.endMs.map { $0 - start } }
      return ReportedLoss(lengthMs: length ?? sentMs(end), share: share)
    }
    guard !losses.isEmpty, let place = evidence.ends.firstIndex(where: { $0.name == end.endpoint.name })
    else { return }
    // An end that only sends is judged by nothing else.
    if !evidence.ends[place].media.contains(where: { $0.medium == .audio }) {
      evidence.ends[place].media.append(MediumEvidence(.audio))
    }
    for medium in evidence.ends[place].media.indices where evidence.ends[place].media[medium].medium == .audio
    {
      evidence.ends[place].media[medium].lostAtFarEnd = losses
      evidence.ends[place].media[medium].sentMs = sentMs(end)
    }
  }

  /// How long an end sent audio, ms.
  private func sentMs(_ end: EndpointAssessment) -> Double {
    let rows = StreamSource.allCases.flatMap(end.choice.chosen).filter {
      $0.facts.direction == .outbound && $0.facts.kind != .video
    }
    guard let first = rows.compactMap(\.totals.firstMs).min(),
      let last = rows.compactMap(\.totals.lastMs).max()
    else { return 0 }
    return last - first
  }
}
