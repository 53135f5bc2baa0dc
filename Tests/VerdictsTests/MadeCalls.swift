import CallModel

@testable import Verdicts

/// One medium at one end, made up: windows of 5 s that scored 95 unless a test says otherwise.
struct MadeMedium {
  var evidence: MediumEvidence

  /// - Parameter scores: of the first windows; the others have 95.
  init(_ kind: MediaKind = .audio, seconds: Double = 60, scores: [Double] = []) {
    evidence = MediumEvidence(kind)
    evidence.expected = 0...(seconds * 1000)
    var start = 0.0
    while start < seconds {
      let score = evidence.scored.count < scores.count ? scores[evidence.scored.count] : 95
      let end = min(start + 5, seconds)
      evidence.scored.append(ScoredTime(from: start * 1000, to: end * 1000, score: score))
      start = end
    }
  }

  /// The same with nothing in a time, in seconds, for which no window has a score.
  func missing(
    _ from: Double, _ to: Double, proven: Bool = true, loss: Bool = false,
    reason: Verdict.Reason = .lostOnPath
  ) -> MadeMedium {
    var copy = self
    copy.evidence.faults.append(
      MediaFault(
        from: from * 1000, to: to * 1000, reason: reason, isProven: proven, isLossShown: loss))
    copy.evidence.scored.removeAll { $0.startMs < to * 1000 && $0.endMs > from * 1000 }
    return copy
  }

  func held(_ seconds: Double) -> MadeMedium {
    var copy = self
    copy.evidence.heldMs = seconds * 1000
    return copy
  }

  /// The same with a share that the far end reports lost for some seconds, of sound sent for others.
  func lostAtFarEnd(_ share: Double, for seconds: Double = 60, of sent: Double = 60) -> MadeMedium {
    var copy = self
    copy.evidence.lostAtFarEnd.append(ReportedLoss(lengthMs: seconds * 1000, share: share))
    copy.evidence.sentMs = sent * 1000
    return copy
  }

  /// The same with nothing received: an end that only sends.
  var sendingOnly: MadeMedium {
    var copy = self
    copy.evidence.scored = []
    copy.evidence.expected = nil
    return copy
  }
}

/// One end, made up.
func end(_ name: String = "caller", _ media: MadeMedium..., hungUp: Bool = false) -> EndEvidence {
  var end = EndEvidence(name)
  end.media = media.map(\.evidence)
  end.basis = .oneEnd
  end.hungUp = hungUp
  return end
}

/// A call of these ends.
func call(_ ends: EndEvidence..., outcome: Outcome = .completed, isTalk: Bool? = nil) -> CallEvidence {
  var call = CallEvidence(outcome: outcome)
  call.ends = ends
  call.isTalk = isTalk
  return call
}

extension CallEvidence {
  /// The rule that its verdict is by, and the word.
  var judged: String { "\(verdict.value.rawValue) by \(verdict.rule)" }
}
