import CallModel
import Scoring
import Timeline
import Verdicts

/// What became of each medium at each end of a call, from the evidence that its verdict rests on.
struct CallFates {
  private var fates: [Int64: [MediaKind: [Fate]]] = [:]
  /// What became of the media for the other end of the only one on record, as far as that one's record tells, on its
  /// clock.
  private(set) var ofFarEnd: [MediaKind: [Fate]] = [:]

  /// - Parameter evidence: with the ends in the same order; the other end of an only one is the last.
  init(_ ends: [EndpointAssessment], _ evidence: CallEvidence) {
    for (end, own) in zip(ends, evidence.ends) {
      fates[end.endpoint.key] = Self.fates(of: own, before: end) { Self.sightings(of: $0, at: end) }
    }
    if let end = ends.first, let other = evidence.ends.dropFirst(ends.count).first {
      ofFarEnd = Self.fates(of: other, before: end) { $0.faults.map(Sighting.init) }
    }
  }

  subscript(_ end: EndpointAssessment) -> [MediaKind: [Fate]] { fates[end.endpoint.key] ?? [:] }

  /// - Parameter end: what goes on after its end of the call is no part of it.
  private static func fates(
    of evidence: EndEvidence, before end: EndpointAssessment, _ sightings: (MediumEvidence) -> [Sighting]
  ) -> [MediaKind: [Fate]] {
    var fates: [MediaKind: [Fate]] = [:]
    for medium in evidence.media {
      guard let expected = medium.expected else { continue }
      let over = min(expected.upperBound, end.endedMs ?? .infinity)
      fates[medium.medium] = Fate.fates(
        of: sightings(medium), during: expected.lowerBound...max(expected.lowerBound, over))
    }
    return fates
  }

  private static func sightings(of medium: MediumEvidence, at end: EndpointAssessment) -> [Sighting] {
    let isSound = medium.medium == .audio
    var (carried, lost, paused) = (WindowRuns(), WindowRuns(), WindowRuns())
    for window in end.judgingWindows {
      if (isSound ? window.audioCQ : window.video) != nil {
        // The share that was lost is that of sound, where there is any.
        if isSound, window.lossShare ?? 0 >= VerdictEvidence.allLost {
          lost.add(window)
        } else {
          carried.add(window)
        }
      }
      if isSound, window.state == .silent { paused.add(window) }
    }
    let missing = SpanSet(medium.faults.map { (start: $0.startMs, end: $0.endMs) })
    /// What a fault tells of a part of a window is more than the window tells.
    func seen(_ saw: Sighting.Saw, by proof: MediaSpan.Proof = .none, in runs: WindowRuns) -> [Sighting] {
      runs.spans.flatMap { span in
        missing.between(span.start, span.end).map {
          Sighting(saw, from: $0.start, to: $0.end, proof: proof, by: "media")
        }
      }
    }
    let held = medium.held.map { Sighting(.held, from: $0.lowerBound, to: $0.upperBound, by: "events") }
    // Too short for a fault of its own. Packets of a picture come in bursts: short gaps are only estimates.
    let gaps = end.gapsOffHold(medium.medium).filter {
      isSound && $0.isLost && !$0.isOpen && !$0.isUnexplained && $0.lengthMs < Window.lengthMs / 2
    }.flatMap { gap in
      missing.between(gap.startMs, gap.endMs).map {
        Sighting(.lost, from: $0.start, to: $0.end, proof: gap.proof, by: "media")
      }
    }
    return seen(.carried, in: carried) + seen(.lost, by: .sequenceNumbers, in: lost) + gaps
      + seen(.paused, in: paused) + held + medium.faults.map(Sighting.init)
  }
}

/// Consecutive windows, joined.
private struct WindowRuns {
  private(set) var spans: [(start: Double, end: Double)] = []

  mutating func add(_ window: PackedWindow) {
    if let last = spans.last, window.startMs <= last.end {
      spans[spans.count - 1].end = max(last.end, window.endMs)
    } else {
      spans.append((window.startMs, window.endMs))
    }
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
