import CallModel
import Scoring
import Verdicts

/// The ways from one end to another in a call over a server: who was to hear and see whom, stream by stream.
extension VerdictEvidence {
  /// Time before a gap in which the other streams are looked at, ms.
  private static let beforeMs = 3000.0
  /// Minimum time without an answered check after which an end that gave up has failed to connect, ms: people try
  /// again, or wait, for longer than this.
  private static let triedMs = 10_000.0

  /// Audio of one stream that its sender sent and that did not reach an end, whatever other streams brought meanwhile.
  func notForwarded(to end: EndpointAssessment) -> [MediaFault] {
    let flows = end.flows.filter { $0.kind == .audio }
    guard ends.count > 1, flows.count > 1, end.choice.judging == .stats,
      ends.count > 2 || end.onlySource(of: .audio, among: ends) != nil
    else { return [] }
    return flows.flatMap { flow -> [MediaFault] in
      let others = flows.filter { $0.stream != flow.stream }
      return end.offHold(flow.gaps, of: .audio).compactMap { gap in
        guard gap.lengthMs >= MediaSpan.minOutageMs(of: .audio), !isChosen(gap, of: flow, beside: others),
          let senders = senders(of: flow, beside: others, in: gap, at: end)
        else { return nil }
        return MediaFault(
          from: gap.startMs, to: gap.endMs,
          reason: lostBefore(end, senders, from: gap.startMs, to: gap.endMs), isProven: true,
          isLossShown: true)
      }
    }
  }

  /// Whether a server chooses what it forwards, as with an active speaker or the last few speakers: other streams flow
  /// instead of one, or it and those beside it never flowed all at once.
  private func isChosen(_ gap: PacketGap, of flow: StreamFlow, beside others: [StreamFlow]) -> Bool {
    let before = gap.startMs - Self.beforeMs
    let instead = others.map(\.flowing).filter {
      $0.covered(from: before, to: gap.startMs) < Self.beforeMs / 2
    }
    let isReplaced =
      SpanSet(instead.flatMap { $0.clipped(to: gap.startMs, gap.endMs) })
      .covered(from: gap.startMs, to: gap.endMs) >= gap.lengthMs / 2
    let present = [flow] + others.filter { $0.startMs < before && $0.endMs > gap.startMs }
    let since = present.map(\.startMs).max() ?? gap.startMs
    let missing = SpanSet(present.flatMap { $0.flowing.between(since, gap.startMs) })
    return isReplaced
      || !missing.between(since, gap.startMs).contains { $0.end - $0.start >= Self.beforeMs }
  }

  /// The ends that may have sent a stream while it did not flow; nil if nothing proves that one of them did. A stream
  /// with the sender's SSRC is its own. Otherwise more of them speak than streams flow, and each of them has a stream
  /// here: a server that keeps some from this end, as when a supervisor whispers, does not mean to forward them.
  private func senders(
    of flow: StreamFlow, beside others: [StreamFlow], in gap: PacketGap, at end: EndpointAssessment
  ) -> [EndpointAssessment]? {
    let (start, stop) = (gap.startMs, gap.endMs)
    let senders = self.senders(of: .audio, to: end)
    func speaks(_ far: EndpointAssessment) -> Bool {
      let muted = SpanSet(mutes(of: far, on: end).map { (start: $0.startMs, end: $0.endMs) })
      return isSpeaking(far, from: start, to: stop, at: end)
        && muted.covered(from: start, to: stop) < gap.lengthMs / 2
    }
    if let ssrc = end.ssrc(of: flow), let own = senders.first(where: { $0.sentSSRCs.contains(ssrc) }) {
      // Of several, as with the sound of a shared screen, it is not known which was sent.
      return own.sentSSRCs.count == 1 && speaks(own) ? [own] : nil
    }
    let speaking = senders.filter(speaks)
    let flowing = others.filter { $0.flowing.covered(from: start, to: stop) > gap.lengthMs / 2 }
    return senders.count <= others.count + 1 && speaking.count > flowing.count ? speaking : nil
  }

  /// The other ends that sent a medium by their own statistics.
  private func senders(of kind: MediaKind, to end: EndpointAssessment) -> [EndpointAssessment] {
    ends.filter { far in
      far.endpoint.key != end.endpoint.key
        && far.choice.chosen(.stats).contains {
          $0.facts.direction == .outbound && $0.facts.kind == kind && $0.totals.packets ?? 0 > 0
        }
    }
  }

  /// Whether all others that sent a medium went on in a period, and each of them has a stream at an end of more than two.
  func othersSent(_ kind: MediaKind, from start: Double, to stop: Double, at end: EndpointAssessment) -> Bool
  {
    let senders = self.senders(of: kind, to: end)
    return ends.count > 2 && !senders.isEmpty && senders.count <= end.flows.filter { $0.kind == kind }.count
      && senders.allSatisfy { $0.sent(kind, from: start, to: stop, seenFrom: end) }
  }

  /// What kept a medium from an end: the server, unless nothing else came there either, or its senders' reports show
  /// loss, or their connection was down.
  func lostBefore(
    _ end: EndpointAssessment, _ senders: [EndpointAssessment]? = nil, from start: Double, to stop: Double
  ) -> Verdict.Reason {
    let comes = SpanSet(end.flows.flatMap { $0.flowing.clipped(to: start, stop) })
    let down: Set<EventName> = [.iceDisconnected, .iceFailed, .networkLost]
    let isLostBefore = (senders ?? self.senders(of: .video, to: end)).contains { far in
      let ahead = end.onCallClock(0) - far.onCallClock(0)
      let gap = start + ahead...stop + ahead
      return far.ownEvents.contains { down.contains($0.event) && $0.timeMs.map(gap.contains) == true }
        || (findings[far.endpoint.key] ?? []).contains { finding in
          guard finding.code == .remoteLoss, let from = finding.startMs, let to = finding.endMs else {
            return false
          }
          return min(to, gap.upperBound) - max(from, gap.lowerBound) > (stop - start) / 2
        }
    }
    return isLostBefore || comes.covered(from: start, to: stop) < (stop - start) / 2
      ? .lostOnPath : .notForwarded
  }

  /// Why an end never connected although another one received media; nil if it connected, was not to, or left before it
  /// could.
  func failure(of end: EndpointAssessment) -> Verdict.Reason? {
    // What others received of a call that never was up was early sound.
    guard wasUp, hasReceived(besides: end), !end.hasReceived,
      !end.isAnsweredElsewhere,
      let last = end.attempts.last,
      !end.attempts.contains(where: { [.completed, .dropped].contains($0.outcome) })
    else { return nil }
    let codes: Set<FindingCode?> = [.iceNeverConnected, .noCandidatePair, .dtlsNeverConnected]
    let hasTried = (findings[end.endpoint.key] ?? []).contains { finding in
      guard codes.contains(finding.code), let start = finding.startMs, let stop = finding.endMs else {
        return false
      }
      return stop - start >= Self.triedMs
    }
    guard last.outcome == .failed || hasTried else { return nil }
    let why = trouble(at: [end]) ?? .unknown
    // Refused by a person, a policy or another device: the network did its work.
    return [.signalling, .permission, .device].contains(why) ? nil : why
  }
}

extension EndpointAssessment {
  /// Whether a picture that the end received moved for most of a period: they lasted longer together than they paused.
  func seesMotion(from start: Double, to stop: Double) -> Bool {
    func sum(_ spans: [(start: Double, end: Double)]) -> Double {
      spans.reduce(0) { $0 + max(0, min($1.end, stop) - max($1.start, start)) }
    }
    let paused = findings.filter { $0.code == .videoPaused }
    return sum(flows.filter { $0.kind == .video }.map { ($0.startMs, $0.endMs) })
      - sum(paused.map { ($0.startMs ?? 0, $0.endMs ?? 0) }) > (stop - start) / 2
  }

  /// The SSRC of a received stream; nil if it has none of its own.
  fileprivate func ssrc(of flow: StreamFlow) -> UInt32? {
    guard let tracks = choice.judging.flatMap({ choice.tracks[$0] }), tracks.indices.contains(flow.stream)
    else { return nil }
    return tracks[flow.stream].first?.facts.ssrc.flatMap { SSRC.isRandom($0) ? $0 : nil }
  }

  /// The SSRCs under which it sent sound.
  fileprivate var sentSSRCs: Set<UInt32> {
    Set(
      choice.chosen(.stats).filter { $0.facts.direction == .outbound && $0.facts.kind == .audio }.compactMap(
        \.facts.ssrc))
  }
}

/// When streams of a medium at an end began, or one of several paused: what is then concealed is covered by the others.
struct Transitions {
  private let starts: SpanSet
  private let pauses: SpanSet

  /// How long the end of a stream is concealed, ms.
  private static let fadeMs = 1000.0

  init(of kind: MediaKind, at end: EndpointAssessment) {
    let flows = end.flows.filter { $0.kind == kind }
    starts = SpanSet(flows.map { (start: $0.startMs, end: $0.startMs + Window.lengthMs) })
    let gaps = flows.count > 1 ? flows.flatMap(\.gaps) : []
    pauses = SpanSet(
      gaps.filter { $0.lengthMs >= MediaSpan.minOutageMs(of: kind) }.map {
        (start: $0.startMs, end: $0.startMs + Self.fadeMs)
      })
  }

  /// Whether a window is for the most part the start of a stream, or a pause began in it or shortly before.
  func cover(_ window: PackedWindow) -> Bool {
    starts.covered(from: window.startMs, to: window.endMs) > (window.endMs - window.startMs) / 2
      || pauses.covered(from: window.startMs, to: window.endMs) > 0
  }
}
