import CallModel
import CallStore
import Scoring

/// Compares the ends of a two-party call: one end may not have sent what the other misses, and what the other lost may
/// not be in a capture.
struct FarEnd {
  private let ends: [EndpointAssessment]
  /// Sources that describe only the retransmissions of the pictures received.
  private let repeatsOnly: Set<Int64>
  /// Maximum delay of the reports on what an end received, ms.
  private static let reportsMs = 10_000.0

  init(_ ends: [EndpointAssessment], repeatsOnly: Set<Int64> = []) {
    (self.ends, self.repeatsOnly) = (ends, repeatsOnly)
  }

  /// The findings of an end, corrected by the other end's statistics. In a call with more ends it is unknown who is
  /// heard.
  func findings(of end: EndpointAssessment) -> [Finding] {
    let own = end.findings.map { proved($0, at: end) }
    if ends.count == 1 { return own + lossBeyond(of: end, at: nil) + refused(by: end) }
    guard ends.count == 2, let other = ends.first(where: { $0.endpoint.key != end.endpoint.key }) else {
      return own
    }
    let notSent = other.notSent.shifted(byMs: other.onCallClock(0) - end.onCallClock(0))
    // The other end's own file is better evidence than its reports, up to the end of that file.
    let known = other.hasReceived ? other.media.map { other.onCallClock($0.upperBound) } : nil
    let explained = own.filter { finding in
      guard finding.code == .remoteLoss, let known else { return true }
      return finding.endMs.map { end.onCallClock($0) > known + Self.reportsMs } ?? false
    }.map(notSent.explain)
    return explained + missing(.audio, at: end, from: other) + missing(.video, at: end, from: other)
      + lossBeyond(of: end, at: other)
  }

  /// The finding as far as it is proven: audio missing in statistics is not lost unless something shows that it was
  /// sent, and one of several pictures may not have been asked for.
  private func proved(_ finding: Finding, at end: EndpointAssessment) -> Finding {
    if finding.code == .videoPaused, !finding.evidence.has("undecoded_ms"), let start = finding.startMs,
      let stop = finding.endMs, end.seesMotion(from: start, to: stop)
    {
      return UnsentMedia.besideOthers(finding)
    }
    guard finding.code == .oneWayAudio, finding.missing == .packets, end.choice.judging == .stats,
      let start = finding.startMs, let stop = finding.endMs
    else { return finding }
    let others =
      ends.count > 2
      ? ends.filter { $0.endpoint.key != end.endpoint.key }
      : end.onlySource(of: .audio, among: ends).map { [$0] } ?? []
    let isProven =
      finding.evidence.has("by") || end.lost(.audio, from: start, to: stop)
      || others.contains { $0.sent(.audio, from: start, to: stop, seenFrom: end) }
    return isProven ? finding : UnsentMedia.unproven(finding)
  }

  /// Media that the other end's statistics count as sent, in periods in which this end's have no stream that ever got a
  /// packet: browsers do not report a stream before its first packet, or after it was removed.
  private func missing(_ kind: MediaKind, at end: EndpointAssessment, from other: EndpointAssessment)
    -> [Finding]
  {
    let rows = end.choice.chosen(.stats)
    let inbound = rows.filter { $0.facts.direction == .inbound }
    let own = inbound.filter { $0.facts.kind == kind }
    let came = own.filter(Self.hasPackets)
    // Without an answer, a stream of that medium, or sending it, shows that the end was to receive it.
    let isExpected =
      Reception.isToReceive(kind, end.ownEvents)
      ?? (!own.isEmpty
        || rows.contains {
          $0.facts.direction == .outbound && $0.facts.kind == kind && Self.hasPackets($0)
        })
    // A log of sent media alone proves nothing.
    guard isExpected, kind == .audio || !rows.contains(where: { repeatsOnly.contains($0.source) }),
      !inbound.isEmpty || kind == .audio && end.isPathKnown,
      came.isEmpty || isDirect(end, other), let recorded = end.media
    else { return [] }
    let ahead = other.onCallClock(0) - end.onCallClock(0)
    let sent = SpanSet(
      Self.spans(
        other.choice.chosen(.stats).filter {
          $0.facts.direction == .outbound && $0.facts.kind == kind && Self.hasPackets($0)
        }
      ).map {
        // An end that joins late, or is recorded late, misses nothing before.
        (start: max($0.start + ahead, recorded.lowerBound), end: min($0.end + ahead, recorded.upperBound))
      })
    guard let all = sent.whole else { return [] }
    let silent = other.notSent.shifted(byMs: ahead)
    // A silent stream that is inaudible is not missing; an end that never had a stream misses it all the same.
    let unsent = (kind == .audio ? silent.sound + (came.isEmpty ? [] : silent.voice) : silent.picture)
    let known = SpanSet(
      end.findings.filter { Self.missingCodes.contains($0.code) }.compactMap { finding in
        finding.startMs.flatMap { start in finding.endMs.map { (start: start, end: $0) } }
      })
    // What came between two files of an end is on record nowhere.
    let unread = SpanSet(rows.compactMap(\.sourceSpan).map { ($0.lowerBound, $0.upperBound) }).gaps
    let accounted = SpanSet(
      Self.spans(came) + unsent.map { ($0.startMs, $0.endMs) }
        + (sent.gaps + unread).map { ($0.lowerBound, $0.upperBound) })
    return accounted.between(all.lowerBound, all.upperBound).filter {
      known.covered(from: $0.start, to: $0.end) < ($0.end - $0.start) / 2
    }.compactMap { MissingMedium(kind, sent: $0.start...$0.end).finding }
  }

  /// Codes of findings that report missing media.
  private static let missingCodes: Set<FindingCode?> = [
    .oneWayAudio, .farEndSilent, .noMedia, .droppedMidCall, .noPicture, .videoPaused,
  ]

  /// Whether the other end receives what one end sends directly, under the same SSRC, and not through a server that
  /// selects what it forwards.
  private func isDirect(_ end: EndpointAssessment, _ other: EndpointAssessment) -> Bool {
    PlaceFinder.isSame(end, other, where: Self.hasPackets)
  }

  private static func hasPackets(_ row: StoredStream) -> Bool { (row.totals.packets ?? 0) > 0 }

  private static func spans(_ rows: [StoredStream]) -> [(start: Double, end: Double)] {
    rows.compactMap(\.span).map { ($0.lowerBound, $0.upperBound) }
  }

  /// What came to an end's own host and was taken by nobody there. With both ends on record it is undelivered at the
  /// other one.
  private func refused(by end: EndpointAssessment) -> [Finding] {
    [MediaKind.audio, .video].compactMap { kind in
      var vain = UndeliveredMedia(kind)
      for row in end.choice.chosen(.capture) where row.facts.kind == kind && row.facts.direction == .inbound {
        vain.add(row.totals)
      }
      return vain.refused
    }
  }

  /// Loss and discards that the other end reports beyond what the captures used for this call show, and ICMP errors.
  /// Packets missing from any stream of a medium are subtracted: a relay may forward reports and sends under its own
  /// SSRC.
  private func lossBeyond(of end: EndpointAssessment, at other: EndpointAssessment?) -> [Finding] {
    // Statistics of the sender include these reports.
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

/// The other end of a two-party call, as seen from one of them.
struct OtherEnd {
  /// Its events, on its own clock.
  let ownEvents: [EventRecord]
  private let keys: (this: Int64, other: Int64)
  private let events: [StoredEvent]

  init?(of endpoint: Int64, events: [StoredEvent]) {
    guard let other = Self.only(otherThan: endpoint, in: events) else { return nil }
    ownEvents = events.filter { $0.endpoint == other }.map(\.record)
    keys = (endpoint, other)
    self.events = events
  }

  /// The only other end that has events; nil if there is none or more than one. It is called for each of thousands of
  /// ends.
  private static func only(otherThan endpoint: Int64, in events: [StoredEvent]) -> Int64? {
    var other: Int64?
    var hasOwn = false
    for event in events {
      guard let end = event.endpoint else { continue }
      if end == endpoint {
        hasOwn = true
      } else if other == nil {
        other = end
      } else if end != other {
        return nil
      }
    }
    return hasOwn ? other : nil
  }

  /// The value to add to its times to convert them to this end's clock, ms; nil if the clocks contradict each other.
  ///
  /// Compares all events of the call each time, so use it only if a time is needed.
  var behindMs: Double? {
    let clocks = endClocks(of: events)
    let (this, other) = (clocks[keys.this], clocks[keys.other])
    guard this?.apartMs == nil, other?.apartMs == nil else { return nil }
    return (other?.skew?.offsetMs ?? 0) - (this?.skew?.offsetMs ?? 0)
  }
}

/// When the far end received this end's answers, according to its own log, on this end's clock; nil if unknown.
func answersReceived(from endpoint: Int64, events: [StoredEvent]) -> [Double]? {
  guard let other = OtherEnd(of: endpoint, events: events) else { return nil }
  let received = other.ownEvents.filter { $0.event == .sdpAnswerReceived }.compactMap(\.timeMs)
  guard !received.isEmpty, let behindMs = other.behindMs else { return nil }
  return received.map { $0 + behindMs }
}
