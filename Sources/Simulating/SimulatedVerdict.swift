import CallModel
import CallStore
import Verdicts

extension SimulatedEvidence {
  /// The real rules on what is known of a simulated call.
  public var verdict: Verdict {
    var evidence = CallEvidence(outcome: outcome)
    evidence.durationMs = outcome == .failed ? nil : durationMs
    evidence.trouble = trouble
    let stood = startMs...(startMs + durationMs)
    var sound = MediumEvidence(.audio)
    sound.scored = windows.compactMap { window in
      window.score.map { ScoredTime(from: window.startMs, to: window.endMs, score: Double($0)) }
    }
    sound.faults =
      lost.map {
        MediaFault(from: $0.startMs, to: $0.endMs, reason: .lostOnPath, isProven: true, isLossShown: true)
      }
      + unsent.map { MediaFault(from: $0.startMs, to: $0.endMs, reason: .notSent, isProven: false) }
    guard !sound.scored.isEmpty || !sound.faults.isEmpty else { return evidence.verdict }
    sound.expected = stood
    var callee = EndEvidence("callee")
    callee.basis = .oneEnd
    callee.recordedMs = windows.reduce(0) { $0 + ($1.state == .unscored ? 0 : $1.endMs - $1.startMs) }
    callee.media = [sound]
    evidence.ends = [callee]
    return evidence.verdict
  }

  private var trouble: Verdict.Reason? {
    if findings.contains(where: { $0.code == "ice-never-connected" }) { return .ice }
    if outcome == .dropped { return .server }
    return endCode.flatMap(Int.init).map { (500..<600).contains($0) ? .server : .signalling }
  }

  /// The columns of table `calls` that say so.
  static let columns: SimulatedJudge = { evidence in
    let verdict = evidence.verdict
    return [
      ("verdict", .text(verdict.word.rawValue)), ("verdict_end", .of(verdict.end)),
      ("verdict_medium", .of(verdict.medium?.rawValue)), ("verdict_cause", .of(verdict.reason?.rawValue)),
      ("verdict_basis", .text(verdict.basis.rawValue)), ("verdict_rule", .text(verdict.rule)),
      ("verdict_version", .integer(Int64(Verdict.version))),
      ("verdict_from_ms", .of(verdict.span?.lowerBound)),
      ("verdict_until_ms", .of(verdict.span?.upperBound)),
    ]
  }
}

/// Verdicts on calls that are alike, each found once: a fleet has many of one score.
struct VerdictWords {
  private struct Key: Hashable {
    let outcome: String
    let code: String?
    let silence: SimulatedCall.Silence?
    let score: Double?
  }

  private var known: [Key: Verdict.Word] = [:]

  mutating func word(of call: SimulatedCall) -> Verdict.Word {
    let key = Key(outcome: call.outcome, code: call.endCode, silence: call.silence, score: call.score)
    if let word = known[key] { return word }
    let word = call.evidence(startMs: 0).verdict.word
    known[key] = word
    return word
  }
}
