import CallModel
import Scoring
import SetupTime
import Timeline
import Verdicts

/// What became of each medium at each end of a call, from the evidence that its verdict rests on.
struct CallFates {
  private var fates: [Int64: [MediaKind: [Fate]]] = [:]

  /// - Parameter evidence: with the ends in the same order.
  init(_ ends: [EndpointAssessment], _ evidence: CallEvidence) {
    for (end, own) in zip(ends, evidence.ends) {
      for medium in own.media {
        guard let expected = medium.expected else { continue }
        // What goes on after the end of the call is no part of it.
        let over = [end.overMs, CallTimes(end.ownEvents)?.overMs].compactMap { $0 }.min() ?? .infinity
        fates[end.endpoint.key, default: [:]][medium.medium] = Fate.fates(
          of: Self.sightings(of: medium, at: end),
          during: expected.lowerBound...max(expected.lowerBound, min(expected.upperBound, over)))
      }
    }
  }

  subscript(_ end: EndpointAssessment) -> [MediaKind: [Fate]] { fates[end.endpoint.key] ?? [:] }

  private static func sightings(of medium: MediumEvidence, at end: EndpointAssessment) -> [Sighting] {
    let windows = end.judgingWindows
    let missing = SpanSet(medium.faults.map { (start: $0.startMs, end: $0.endMs) })
    /// What a fault tells of a part of a window is more than the window tells.
    func seen(
      _ saw: Sighting.Saw, by proof: MediaSpan.Proof = .none, in isSo: (Window) -> Bool
    ) -> [Sighting] {
      let spans = SpanSet(windows.lazy.filter(isSo).map { (start: $0.startMs, end: $0.endMs) })
      guard let whole = spans.whole else { return [] }
      return spans.clipped(to: whole.lowerBound, whole.upperBound).flatMap { span in
        missing.between(span.start, span.end).map {
          Sighting(saw, from: $0.start, to: $0.end, proof: proof, by: "media")
        }
      }
    }
    let isSound = medium.medium == .audio
    func isMeasured(_ window: Window) -> Bool { (isSound ? window.audioCQ : window.video) != nil }
    // The share that was lost is that of sound, where there is any.
    func isLost(_ window: Window) -> Bool {
      isSound && window.inputs.lossShare ?? 0 >= VerdictEvidence.allLost
    }
    let carried = seen(.carried) { isMeasured($0) && !isLost($0) }
    let lost = seen(.lost, by: .sequenceNumbers) { isMeasured($0) && isLost($0) }
    let paused = isSound ? seen(.paused) { $0.state == .silent } : []
    let held = medium.held.map { Sighting(.held, from: $0.lowerBound, to: $0.upperBound, by: "events") }
    // Too short for a fault of its own. Packets of a picture come in bursts: short gaps are only estimates.
    let gaps = end.gapsOffHold(medium.medium).filter {
      isSound && $0.isLost && !$0.isOpen && !$0.isUnexplained && $0.lengthMs < Window.lengthMs / 2
    }.flatMap { gap in
      missing.between(gap.startMs, gap.endMs).map {
        Sighting(.lost, from: $0.start, to: $0.end, proof: gap.proof, by: "media")
      }
    }
    return carried + lost + gaps + paused + held + medium.faults.map(Sighting.init)
  }
}

extension Sighting {
  fileprivate init(_ fault: MediaFault) {
    self.init(
      Self.saw(fault), from: fault.startMs, to: fault.endMs, proof: fault.proof, by: fault.reason.rawValue)
  }

  private static func saw(_ fault: MediaFault) -> Saw {
    switch fault.reason {
    case .notPlayed: .notPlayed
    case .undecodable: .undecodable
    case .notForwarded: .keptBack
    case .silentSource: fault.isProven ? .silencedSpeech : .silence
    case .notSent: fault.isPause ? .paused : fault.isProven ? .notSentThoughDue : .nothing
    default: fault.isProven ? .lost : .nothing
    }
  }
}
