import CallModel
import Scoring
import Verdicts

/// What the only end on record did not send, by its own capture of a call by SIP. Whoever was to hear it has no record.
extension VerdictEvidence {
  /// Minimum length of what counts, ms.
  private static let minMs = 10_000.0

  /// The times without sound that was to be sent, while sound came from the other end: where both stopped it was agreed
  /// on, or went another way. Where keys were pressed the end was there, and sends nothing while nobody speaks. Only a
  /// late beginning is proven to be a fault: the rest may be a mute.
  func unsentByCapture(of end: EndpointAssessment) -> [MediaFault] {
    guard end.choice.chosen(.stats).isEmpty,
      let agreed = end.ownEvents.first(where: { $0.event == .callEstablished && $0.sdk != "w3c" }),
      let established = agreed.timeMs, let over = end.endedMs ?? end.media?.upperBound, over > established
    else { return [] }
    let own = end.ownEvents.contains { $0.event == .callIncoming } ? "callee" : "caller"
    guard agreed[.soundFrom].map({ $0 == own }) ?? true else { return [] }
    let sound = end.choice.chosen(.capture).filter { $0.facts.kind == .audio && $0.totals.hasMedia }
    func spans(_ direction: StreamDirection) -> [(start: Double, end: Double)] {
      sound.filter { $0.facts.direction == direction }.compactMap(\.span).map {
        ($0.lowerBound, $0.upperBound)
      }
    }
    let sent = spans(.outbound)
    if let first = sent.map(\.start).min(), let heard = spans(.inbound).map(\.start).min(),
      isLate(first, since: established, besides: heard, at: end), end.notSent.sound.isEmpty
    {
      return [MediaFault(from: established, to: first, reason: .notSent, isProven: true)]
    }
    let paused = SpanSet(end.notSent.sound.map { (start: $0.startMs, end: $0.endMs) })
    let flowing = SpanSet(sent.flatMap { paused.between($0.start, $0.end) })
    let came = end.flows.filter { $0.kind == .audio }.map(\.flowing)
    let quiet = SpanSet(end.quiet(.audio).map { (start: $0.startMs, end: $0.endMs) })
    let keys = end.ownEvents.filter { $0.event == .callDtmf }.compactMap(\.timeMs)
    let gaps = flowing.between(established, over).flatMap { offHold(from: $0.start, to: $0.end, quiet) }
    return gaps.compactMap { start, stop -> MediaFault? in
      guard stop - start >= Self.minMs, !keys.contains(where: { $0 > start && $0 < stop }),
        came.contains(where: { $0.covered(from: start, to: stop) > (stop - start) / 2 })
      else { return nil }
      return MediaFault(from: start, to: stop, reason: .notSent, isProven: false)
    }
  }
}
