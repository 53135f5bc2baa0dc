import CallModel
import Scoring
import Verdicts

/// What the only end on record did not send, by its own capture of a call by SIP. Whoever was to hear it has no record.
extension VerdictEvidence {
  /// The times without sound that was to be sent, while sound came from the other end: where both stopped it was agreed
  /// on, or went another way. Where keys were pressed the end was there, and sends nothing while nobody speaks. Only a
  /// late beginning is proven to be a fault: the rest may be a mute.
  func unsentByCapture(of end: EndpointAssessment) -> [MediaFault] {
    guard end.choice.judging == .capture, let due = Reception.soundDueMs(end.ownEvents),
      let over = end.endedMs ?? end.media?.upperBound, over > due
    else { return [] }
    let sound = end.choice.chosen(.capture).filter { $0.facts.kind == .audio && $0.totals.hasMedia }
    let sent = SpanSet(of: sound.filter { $0.facts.direction == .outbound })
    let heard = SpanSet(of: sound.filter { $0.facts.direction == .inbound })
    let paused = end.notSent.sound.map { (start: $0.startMs, end: $0.endMs) }
    if paused.isEmpty, let first = sent.whole?.lowerBound, let other = heard.whole?.lowerBound,
      isLate(first, since: due, besides: other, at: end)
    {
      return [MediaFault(from: due, to: first, reason: .notSent, isProven: true)]
    }
    let came = SpanSet(end.flows.filter { $0.kind == .audio }.flatMap { $0.flowing.clipped(to: due, over) })
    let quiet = SpanSet(end.quiet(.audio).map { (start: $0.startMs, end: $0.endMs) })
    let keys = end.ownEvents.filter { $0.event == .callDtmf }.compactMap(\.timeMs)
    let unsent = SpanSet(sent.between(due, over) + paused)
    return unsent.clipped(to: due, over).flatMap { offHold(from: $0.start, to: $0.end, quiet) }.filter {
      span in
      let lengthMs = span.end - span.start
      return lengthMs >= Self.leftMs && !keys.contains { $0 > span.start && $0 < span.end }
        && came.covered(from: span.start, to: span.end) > lengthMs / 2
    }.map { MediaFault(from: $0.start, to: $0.end, reason: .notSent, isProven: false) }
  }
}
