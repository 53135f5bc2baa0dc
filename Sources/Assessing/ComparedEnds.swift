import CallModel
import CallStore
import Scoring
import Timeline
import Verdicts

/// The ends of a call, each seen in the light of the others: what is wrong, what became of every medium, the verdict.
struct ComparedEnds {
  /// With windows scored by what became of the media.
  let ends: [EndpointAssessment]
  /// The findings of each end, corrected by the others.
  let findings: [Int64: [Finding]]
  let fates: CallFates
  /// What was wrong with the media that arrived at each end, by its key.
  let impairments: [Int64: [Impairment]]
  private let evidence: CallEvidence
  /// The verdict on the call, on the clock of the end that it names.
  private let verdict: Verdict
  /// The verdict on each end that was judged, by its name.
  let verdicts: [String: Verdict]
  let summary: CallSummary
  /// The streams of each end, by its key.
  let streams: [Int64: [StoredStream]]
  let skewsMs: [Int64: Double]

  init(
    _ call: StoredCall, from store: Store, model: ScoreModel, cut: WindowCut = .fromFirstMedia,
    readers: Readers,
    passed: StreamedScores? = nil
  ) throws {
    let assessed = try CallAssessment(
      call, from: store, model: model, cut: cut, readers: readers, passed: passed)
    let (ends, events) = (assessed.ends, assessed.events)
    streams = assessed.streams
    skewsMs = assessed.skewsMs
    let middle = try MidpointCapture(ends, events: events, captures: assessed.captures, in: store)
    let far = FarEnd(
      ends,
      repeatsOnly: ends.count == 2 ? try store.sources(ofCall: call.key, noting: SourceNote.repeatsOnly) : [])
    let attributes = try store.attributes(ofCall: call.key)
    let layers = try SimulcastLayers(ends, assessed.streams, in: store)
    let findings = Dictionary(
      ends.map { end in
        let own =
          far.findings(of: end) + middle.findings(of: end)
          + layers.findings(of: end)
          + Self.slowAnswers(attributes[.voiceAgent], at: end, of: ends)
        let found = assessed.lostBetween.completing(own, of: end, ends)
        return (end.endpoint.key, found + GapFindings(end, of: ends, reported: found).findings)
      }, uniquingKeysWith: { first, _ in first })
    self.findings = findings
    var figures = CallFigures(call: call, ends: ends, events: events, model: model)
    let evidence = VerdictEvidence(ends, findings: findings).evidence(
      outcome: figures.summary.outcome, durationMs: figures.summary.durationMs, role: attributes.role)
    self.evidence = evidence
    let fates = CallFates(ends, evidence)
    self.fates = fates
    // Windows that were asked for are those.
    let fillsIn = if case .fromFirstMedia = cut { true } else { false }
    self.ends = ends.map {
      $0.following(fates[$0], findings[$0.endpoint.key] ?? [], model, fillsIn: fillsIn)
    }
    impairments = Dictionary(
      self.ends.map { ($0.endpoint.key, Impairment.found(in: $0.judgingWindows, fates[$0])) },
      uniquingKeysWith: { first, _ in first })
    let judged = evidence.verdicts
    figures.take(scoresOf: self.ends, judged.call)
    var (summary, verdict) = (figures.summary, judged.call)
    if let end = ends.first(where: { $0.endpoint.name == verdict.end }) {
      verdict.span = verdict.span.map { end.onCallClock($0.lowerBound)...end.onCallClock($0.upperBound) }
    }
    summary.verdict = verdict
    (self.verdict, verdicts) = judged
    self.summary = summary
  }

  /// Where the fault was, and what began it.
  func placed(in store: Store) throws -> PlacedCall {
    try PlaceFinder(
      ends: ends, findings: findings, fates: fates, impairments: impairments, evidence: evidence,
      verdict: verdict, streams: streams, store: store
    ).found()
  }

  /// Findings for slow answers of a software agent: at the end that received them, otherwise at the agent's own end.
  private static func slowAnswers(
    _ agent: String?, at end: EndpointAssessment, of ends: [EndpointAssessment]
  ) -> [Finding] {
    guard let agent else { return [] }
    func logsSpeech(_ end: EndpointAssessment) -> Bool {
      end.ownEvents.contains { $0.event == .mediaSpoke }
    }
    let isOwn = end.endpoint.name == agent
    let listeners = ends.filter { $0.endpoint.name != agent && logsSpeech($0) }
    guard isOwn ? listeners.isEmpty : listeners.first?.endpoint.key == end.endpoint.key else { return [] }
    return [SlowAnswer.finding(end.ownEvents, agent: agent, isLocal: isOwn)].compactMap { $0 }
  }
}
