import CallModel
import CallStore
import Scoring

/// The ends of a call of two: what one misses, the other may not have sent; what the other lost, a capture may not have seen.
struct FarEnd {
  private let ends: [EndpointAssessment]
  /// Reports of what an end received come so long after it, ms.
  private static let reportsMs = 10_000.0

  init(_ ends: [EndpointAssessment]) { self.ends = ends }

  /// The findings of an end, with what the other end's statistics say of them. Who is heard in a call of more is not known.
  func findings(of end: EndpointAssessment) -> [Finding] {
    let own = end.findings.map { proved($0, at: end) }
    if ends.count == 1 { return own + lossBeyond(of: end, at: nil) }
    guard ends.count == 2, let other = ends.first(where: { $0.endpoint.key != end.endpoint.key }) else {
      return own
    }
    let notSent = other.notSent.shifted(byMs: other.onCallClock(0) - end.onCallClock(0))
    // What the other end received, its own file says better than its reports, as far as that goes.
    let known = other.hasReceived ? other.media.map { other.onCallClock($0.upperBound) } : nil
    let explained = own.filter { finding in
      guard finding.code == "remote-loss", let known else { return true }
      return finding.endMs.map { end.onCallClock($0) > known + Self.reportsMs } ?? false
    }.map(notSent.explain)
    return explained + missingSound(at: end, from: other) + missingPicture(at: end, from: other)
      + lossBeyond(of: end, at: other)
  }

  /// A finding as far as it can be proved: sound that statistics miss was not lost where nothing shows that it was sent.
  private func proved(_ finding: Finding, at end: EndpointAssessment) -> Finding {
    guard finding.code == "one-way-audio", finding.missing == .packets, end.choice.judging == .stats,
      let start = finding.startMs, let stop = finding.endMs
    else { return finding }
    let others = ends.filter { $0.endpoint.key != end.endpoint.key }
    let isProven =
      end.lost(.audio, from: start, to: stop)
      || others.contains { $0.sent(.audio, from: start, to: stop, seenFrom: end) }
    return isProven ? finding : UnsentMedia.unproven(finding)
  }

  /// Sound that the other end's statistics count as sent, where this end's have no stream of it: browsers report none before its
  /// first packet.
  private func missingSound(at end: EndpointAssessment, from other: EndpointAssessment) -> [Finding] {
    let rows = end.choice.chosen(.stats)
    let inbound = rows.filter { $0.facts.direction == .inbound }
    // An end that sends sound is taken to be there to hear some, where no answer tells; a log of what is sent alone tells nothing.
    let isToHear =
      Reception.isToReceive(.audio, end.account)
      ?? rows.contains {
        $0.facts.direction == .outbound && $0.facts.kind == .audio && ($0.totals.packets ?? 0) > 0
      }
    guard isToHear, end.isPathKnown || !inbound.isEmpty,
      !inbound.contains(where: { $0.facts.kind == .audio }),
      !end.findings.contains(where: { $0.code == "one-way-audio" })
    else { return [] }
    return [sentTime(.audio, by: other, at: end).flatMap { MissingMedium(.audio, sent: $0).finding }]
      .compactMap { $0 }
  }

  /// From the first to the last packet of a medium that the other end's statistics count, on this end's clock, as far as this end's
  /// recording goes.
  private func sentTime(_ kind: MediaKind, by other: EndpointAssessment, at end: EndpointAssessment)
    -> ClosedRange<Double>?
  {
    let sent = other.choice.chosen(.stats).filter {
      $0.facts.direction == .outbound && $0.facts.kind == kind && ($0.totals.packets ?? 0) > 0
    }
    let ahead = other.onCallClock(0) - end.onCallClock(0)
    guard let first = sent.compactMap(\.totals.firstMs).min(),
      let last = sent.compactMap(\.totals.lastMs).max(),
      let until = end.media?.upperBound, min(last + ahead, until) > first + ahead
    else { return nil }
    return (first + ahead)...min(last + ahead, until)
  }

  /// A picture that the other end's statistics count as sent, where this end's know of none that came.
  private func missingPicture(at end: EndpointAssessment, from other: EndpointAssessment) -> [Finding] {
    func isPicture(_ row: StoredStream) -> Bool {
      row.facts.source == .stats && row.facts.kind == .video && (row.totals.packets ?? 0) > 0
    }
    let rows = end.choice.chosen(.stats).filter { $0.facts.direction == .inbound }
    // Where no answer tells, an end that sends a picture itself is taken to be there to see one.
    let isToSee =
      Reception.isToReceive(.video, end.account)
      ?? end.choice.chosen(.stats).contains { $0.facts.direction == .outbound && isPicture($0) }
    guard !rows.isEmpty, !rows.contains(where: isPicture), isToSee else { return [] }
    return [sentTime(.video, by: other, at: end).flatMap { MissingMedium(.video, sent: $0).finding }]
      .compactMap { $0 }
  }

  /// What the other end reports lost, or thrown away, beyond the captures that this call is judged by, and what errors
  /// came back for. What is missing of any stream of a medium counts against it: a relay may pass reports on, and sends under a
  /// name of its own.
  private func lossBeyond(of end: EndpointAssessment, at other: EndpointAssessment?) -> [Finding] {
    // What statistics say of the way out they say themselves.
    guard end.choice.chosen(.stats).isEmpty else { return [] }
    let received = other.flatMap { $0.hasReceived ? $0.choice.judges : nil }
    let sent =
      received?.filter { $0.facts.source == .capture && $0.facts.direction != .outbound }
      ?? end.choice.chosen(.capture).filter { $0.facts.direction == .outbound }
    return [MediaKind.audio, .video].flatMap { kind in
      var beyond = LossBeyond(kind)
      var vain = UndeliveredMedia(kind)
      for row in sent where row.facts.kind == kind {
        beyond.add(row.totals)
        vain.add(row.totals)
      }
      return [beyond.finding].compactMap { $0 } + vain.findings
    }
  }
}
