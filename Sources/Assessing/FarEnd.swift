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
    return explained + missing(.audio, at: end, from: other) + missing(.video, at: end, from: other)
      + lossBeyond(of: end, at: other)
  }

  /// A finding as far as it can be proved: sound that statistics miss was not lost where nothing shows that it was sent.
  private func proved(_ finding: Finding, at end: EndpointAssessment) -> Finding {
    guard finding.code == "one-way-audio", finding.missing == .packets, end.choice.judging == .stats,
      let start = finding.startMs, let stop = finding.endMs
    else { return finding }
    let others = ends.filter { $0.endpoint.key != end.endpoint.key }
    let isProven =
      memberText("by", of: finding.evidence) != nil || end.lost(.audio, from: start, to: stop)
      || others.contains { $0.sent(.audio, from: start, to: stop, seenFrom: end) }
    return isProven ? finding : UnsentMedia.unproven(finding)
  }

  /// A medium that the other end's statistics count as sent, in times in which this end's have no stream of it that ever got a packet:
  /// browsers report none before its first packet, and none of what was taken away.
  private func missing(_ kind: MediaKind, at end: EndpointAssessment, from other: EndpointAssessment)
    -> [Finding]
  {
    let rows = end.choice.chosen(.stats)
    let inbound = rows.filter { $0.facts.direction == .inbound }
    let own = inbound.filter { $0.facts.kind == kind }
    let came = own.filter(Self.hasPackets)
    // Where no answer tells, a stream of it, or that an end sends some itself, shows that it is there to have some.
    let isToCome =
      Reception.isToReceive(kind, end.account)
      ?? (!own.isEmpty
        || rows.contains {
          $0.facts.direction == .outbound && $0.facts.kind == kind && Self.hasPackets($0)
        })
    // A log of what is sent alone tells nothing.
    guard isToCome, !inbound.isEmpty || kind == .audio && end.isPathKnown,
      came.isEmpty || isDirect(end, other), let recorded = end.media
    else { return [] }
    let ahead = other.onCallClock(0) - end.onCallClock(0)
    let sent = SpanSet(
      Self.spans(
        other.choice.chosen(.stats).filter {
          $0.facts.direction == .outbound && $0.facts.kind == kind && Self.hasPackets($0)
        }
      ).map {
        // Who joins late, or is recorded late, misses nothing before.
        (start: max($0.start + ahead, recorded.lowerBound), end: min($0.end + ahead, recorded.upperBound))
      })
    guard let all = sent.whole else { return [] }
    let silent = other.notSent.shifted(byMs: ahead)
    // Who hears nothing of a silent stream misses nothing; who never had a stream at all has it so from the first word on.
    let unsent = (kind == .audio ? silent.sound + (came.isEmpty ? [] : silent.voice) : silent.picture)
    let known = SpanSet(
      end.findings.filter { Self.missingCodes.contains($0.code) }.compactMap { finding in
        finding.startMs.flatMap { start in finding.endMs.map { (start: start, end: $0) } }
      })
    let accounted = SpanSet(
      Self.spans(came) + unsent.map { ($0.startMs, $0.endMs) }
        + sent.gaps.map { ($0.lowerBound, $0.upperBound) })
    return accounted.between(all.lowerBound, all.upperBound).filter {
      known.covered(from: $0.start, to: $0.end) < ($0.end - $0.start) / 2
    }.compactMap { MissingMedium(kind, sent: $0.start...$0.end).finding }
  }

  /// Findings that tell of a medium that was missing.
  private static let missingCodes: Set = [
    "one-way-audio", "far-end-silent", "no-media", "dropped-mid-call", "no-picture", "video-paused",
  ]

  /// Whether what one end sends comes to the other as it is, not by a server that chooses what it passes on: under the same SSRC.
  private func isDirect(_ end: EndpointAssessment, _ other: EndpointAssessment) -> Bool {
    func ssrcs(_ end: EndpointAssessment, _ direction: StreamDirection) -> Set<UInt32> {
      Set(
        end.choice.chosen(.stats).filter { $0.facts.direction == direction && Self.hasPackets($0) }
          .compactMap(\.facts.ssrc).filter(SSRC.isRandom))
    }
    return !ssrcs(end, .inbound).isDisjoint(with: ssrcs(other, .outbound))
  }

  private static func hasPackets(_ row: StoredStream) -> Bool { (row.totals.packets ?? 0) > 0 }

  private static func spans(_ rows: [StoredStream]) -> [(start: Double, end: Double)] {
    rows.compactMap { row in
      row.totals.firstMs.flatMap { first in row.totals.lastMs.map { (start: first, end: $0) } }
    }
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
