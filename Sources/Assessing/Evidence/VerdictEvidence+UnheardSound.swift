import CallModel
import Scoring
import Verdicts

/// Audio that one end sent, or should have sent, and that the other end did not hear, although no packet is missing
/// from any recording.
extension VerdictEvidence {
  /// Minimum share of the packets reported lost by the receiver that counts as all of them.
  static let allLost = 0.8
  /// Minimum time from the answer to the first packet that is a fault, ms.
  private static let lateMs = 5000.0
  /// Minimum length of what is left of a fault beside a mute, ms: polls may be 10 s apart.
  static let leftMs = 10_000.0
  /// Minimum share of a silence in which the other end spoke, without its pauses, that proves it to be a fault.
  private static let minSpoken = 1.0 / 3
  /// Maximum duration of a call in which polls may miss that no audio arrives, ms.
  private static let shortMs = 10_000.0

  /// What an end sent that did not reach the other end, on the sender's clock: ICMP errors came back, it was sent where
  /// the other end is not, or the other end's reports count nearly all of it as lost.
  func undelivered(
    _ kind: MediaKind, by end: EndpointAssessment, to far: EndpointAssessment?
  ) -> [MediaFault] {
    // The receiver's own statistics are better evidence.
    guard far?.choice.judging != .stats else { return [] }
    return (findings[end.endpoint.key] ?? []).compactMap { finding in
      guard finding.code == .remoteLoss, finding.evidence.word("kind") == kind,
        let start = finding.startMs, let stop = finding.endMs, stop > start
      else { return nil }
      let has = finding.evidence.has
      let lost = finding.evidence.number("lost_share") ?? 0
      guard has("returned") || has("sent_to") || has("not_received_ms") || lost >= Self.allLost else {
        return nil
      }
      return MediaFault(from: start, to: stop, reason: .lostOnPath, isProven: true, isLossShown: true)
    }
  }

  /// Whether an end without any media was to receive this medium: by its answer, else by what the other end sent.
  func isOfCall(_ kind: MediaKind, at end: EndpointAssessment, far: EndpointAssessment?) -> Bool {
    if let isAgreed = Reception.isToReceive(kind, end.ownEvents) { return isAgreed }
    let sent = far?.choice.chosen(.stats).filter { $0.facts.direction == .outbound } ?? []
    return sent.isEmpty || sent.contains { $0.facts.kind == kind }
  }

  /// Packets of silence that an end sent without saying that it was muted.
  func silentlySent(by end: EndpointAssessment) -> [MediaFault] {
    (findings[end.endpoint.key] ?? []).compactMap { finding in
      guard finding.code == .micSilent, isDigital(finding),
        finding.severity == .warning || end.choice.judging == .capture,
        let start = finding.startMs, let stop = finding.endMs, stop > start
      else { return nil }
      return MediaFault(from: start, to: stop, reason: .silentSource, isProven: false)
    }
  }

  /// The faults, of which those without proof are loss if the connection broke for good before or in them. It did not if
  /// the other end, by its own statistics, sent nothing meanwhile and still heard this one.
  func provenByBreak(
    _ faults: [MediaFault], _ ownFindings: [Finding], at end: EndpointAssessment,
    from far: EndpointAssessment?
  ) -> [MediaFault] {
    let broken = SpanSet(
      ownFindings.compactMap { finding in
        guard finding.code == .droppedMidCall, finding.severity == .error, let start = finding.startMs
        else { return nil }
        return (start: start, end: .infinity)
      })
    return faults.map { fault in
      guard !fault.isProven,
        far.map({ !isUnsentBesideReception(fault.startMs, fault.endMs, by: $0, at: end) }) ?? true,
        broken.covered(from: fault.startMs, to: fault.endMs) > (fault.endMs - fault.startMs) / 2
      else { return fault }
      var lost = fault
      (lost.reason, lost.isProven, lost.isLossShown) = (.lostOnPath, true, true)
      return lost
    }
  }

  /// Whether the statistics of the other end show that it sent no audio for most of a period, and that audio arrived
  /// there meanwhile: then the path was working, and nothing was lost.
  func isUnsentBesideReception(
    _ start: Double, _ stop: Double, by far: EndpointAssessment, at end: EndpointAssessment
  ) -> Bool {
    let ahead = end.onCallClock(0) - far.onCallClock(0)
    return far.unsent(.audio, from: start, to: stop, seenFrom: end)
      && far.receivedAudio(from: start + ahead, to: stop + ahead)
  }

  /// Whether most of a silence was digital. The noise of a room shows a microphone behind it, and a person who listens.
  ///
  /// - Parameter quiet: times on hold or muted, which may be digital silence and say nothing of the rest.
  func isDigital(_ finding: Finding, besides quiet: SpanSet = SpanSet([])) -> Bool {
    guard let start = finding.startMs, let stop = finding.endMs,
      let ms = finding.evidence.number("digital_silence_ms")
    else { return false }
    let held = quiet.covered(from: start, to: stop)
    return held > (stop - start) / 2 ? ms - held > (stop - start - held) / 2 : ms > (stop - start) / 2
  }

  /// The part of a fault that counts: all of it, or if more than half was on hold or muted, what is left of it, as when
  /// a microphone gives nothing after it was unmuted.
  func offHold(from start: Double, to stop: Double, _ quiet: SpanSet) -> [(start: Double, end: Double)] {
    guard quiet.covered(from: start, to: stop) > (stop - start) / 2 else { return [(start, stop)] }
    return quiet.between(start, stop).filter { $0.end - $0.start >= Self.leftMs }
  }

  /// Whether the other end's own statistics show an audible microphone for most of a period, pauses in speech included.
  func isSpeaking(
    _ far: EndpointAssessment?, from start: Double, to stop: Double, at end: EndpointAssessment
  ) -> Bool {
    guard let far, let level = far.notSent.spokenLevel, level >= Threshold.silentLevel.value else {
      return false
    }
    func spoken(_ silent: [QuietSpan]) -> Double {
      far.spoke(from: start, to: stop, seenFrom: end, silent: silent).reduce(0) { $0 + $1.end - $1.start }
    }
    return spoken(far.notSent.voice) > (stop - start) / 2
      && spoken(far.notSent.pauses) > Self.minSpoken * (stop - start)
  }

  /// The parts of a silence in which the other end's microphone could be heard, if that is not most of it: first it was
  /// muted, and then what it gave did not arrive.
  func unheard(_ finding: Finding, at end: EndpointAssessment, from far: EndpointAssessment?) -> [MediaFault]
  {
    guard [.oneWayAudio, .farEndSilent].contains(finding.code),
      finding.evidence.has("silent_ms"), let far, let start = finding.startMs,
      let stop = finding.endMs, !isSpeaking(far, from: start, to: stop, at: end)
    else { return [] }
    return far.spoke(from: start, to: stop, seenFrom: end, silent: far.notSent.voice).filter {
      $0.end - $0.start >= Self.leftMs && isSpeaking(far, from: $0.start, to: $0.end, at: end)
    }.map { MediaFault(from: $0.start, to: $0.end, reason: .silentSource, isProven: true) }
  }

  /// Audio that in a capture begins long after the answer that allows it, while the other direction flows. An end that
  /// pauses later too may be push to talk, and one that was described anew may have been connected only then.
  func lateStart(at end: EndpointAssessment, from far: EndpointAssessment) -> [MediaFault] {
    func firstSound(_ end: EndpointAssessment) -> Double? {
      end.choice.chosen(.capture).filter { $0.facts.direction == .inbound && $0.facts.kind == .audio }
        .compactMap(\.totals.firstMs).min()
    }
    guard end.choice.judging == .capture, far.choice.judging == .capture,
      Reception(end.ownEvents).sound, let first = firstSound(end),
      let established = end.ownEvents.first(where: { $0.event == .callEstablished })?.timeMs,
      let sent = firstSound(far).map({ (ms: Double) in far.onCallClock(ms) - end.onCallClock(0) }),
      isLate(first, since: established, besides: sent, at: end),
      (end.gaps[.audio] ?? []).allSatisfy({ $0.endMs <= first })
    else { return [] }
    return [MediaFault(from: established, to: first, reason: .notSent, isProven: true)]
  }

  /// Whether the first sound of one direction came long after the answer, the other's did not, and nothing was agreed on
  /// anew between.
  func isLate(_ first: Double, since established: Double, besides other: Double, at end: EndpointAssessment)
    -> Bool
  {
    first - established >= Self.lateMs && other - established < Self.lateMs / 2
      && !end.ownEvents.contains { event in
        event[.cseq]?.hasSuffix("INVITE") == true
          && event.timeMs.map { $0 > established + 1000 && $0 < first } == true
      }
  }

  /// Whether a call is so short that polls cannot show since when an end that was to hear something got no packet.
  func lacksSound(at end: EndpointAssessment) -> Bool {
    let sound = end.choice.chosen(.stats).filter {
      $0.facts.direction == .inbound && $0.facts.kind == .audio
    }
    return end.choice.judging == .stats && Reception.isToReceive(.audio, end.ownEvents) == true
      && !sound.isEmpty && sound.allSatisfy { ($0.totals.packets ?? 0) == 0 }
      && end.lastedMs.map { $0 < Self.shortMs } == true
  }
}
