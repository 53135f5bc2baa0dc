import CallModel
import CallStore
import Scoring

/// Everything concluded of one call, to be written at once.
struct CallJudgement: Sendable {
  private let call: Int64
  private let model: ScoreModel
  private let ends: [EndJudgement]
  private let summary: CallSummary
  private let skewsMs: [Int64: Double]

  /// Judges a call from what a store has of it, its ends side by side.
  init(_ call: StoredCall, from store: Store, model: ScoreModel, readers: Readers, passed: PassedScans?)
    throws
  {
    let assessed = try CallAssessment(call, from: store, model: model, readers: readers, passed: passed)
    let (ends, events) = (assessed.ends, assessed.events)
    self.call = call.key
    skewsMs = assessed.skewsMs
    self.model = model
    let middle = try MiddleOfPath(ends, events: events, ofCall: call.key, in: store)
    let far = FarEnd(ends)
    let findings = Dictionary(
      ends.map { end in
        let told = far.findings(of: end) + middle.findings(of: end)
        return (end.endpoint.key, told + GapFindings(end, told: told).findings)
      }, uniquingKeysWith: { first, _ in first })
    self.ends = try ends.map {
      try EndJudgement($0, findings: findings[$0.endpoint.key] ?? [], from: store)
    }
    var summary = CallFigures(call: call, ends: ends, events: events, model: model).summary
    summary.verdict =
      VerdictEvidence(ends, findings: findings).evidence(
        outcome: summary.outcome, durationMs: summary.durationMs,
        role: try store.attributes(ofCall: call.key).role
      ).verdict
    self.summary = summary
  }

  /// What is stored of the call and does not follow from what it rests on, each by its rule.
  func departures(in store: Store) throws -> [(rule: CallRule, what: String)] {
    let columns = try store.columnsAgainst(summary, ofCall: call)
    return try ends.flatMap { end in try end.departures(in: store, model: model) }
      + (columns.isEmpty ? [] : [(.verdicts, columns.prefix(5).joined(separator: ", "))])
  }

  /// Replaces what was concluded of the call before.
  func write(to store: Store) throws {
    for end in ends { try end.write(to: store, model: model) }
    try store.setSkews(skewsMs, ofCall: call)
    try store.updateCall(call, summary)
  }
}

/// What is written of one end: the conclusions without what they were drawn from.
private struct EndJudgement: Sendable {
  private let endpoint: StoredEndpoint
  private let judging: StreamSource?
  private let chosen: Set<Int64>
  private let windows: [(source: StreamSource, windows: PackedWindows)]
  private let findings: [Finding]
  private let attempts: [SetupAttempt]
  private let spans: [MediaSpan]

  init(_ end: EndpointAssessment, findings: [Finding], from store: Store) throws {
    spans = try EndSpans(end, findings: findings, from: store).spans
    endpoint = end.endpoint
    judging = end.choice.judging
    chosen = Set(end.choice.judges.map(\.key))
    windows = end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    self.findings = findings
    attempts = end.attempts
  }

  func departures(in store: Store, model: ScoreModel) throws -> [(rule: CallRule, what: String)] {
    let again = Dictionary(uniqueKeysWithValues: windows.map { ($0.source, Array($0.windows)) })
    var broken: [CallRule] = []
    if try again.filter({ !$0.value.isEmpty }) != store.windows(ofEndpoint: endpoint.key, model: model.name) {
      broken.append(.scores)
    }
    if try !store.holds(attempts, ofEndpoint: endpoint.key) { broken.append(.setups) }
    if try !store.holds(findings, ofEndpoint: endpoint.key) { broken.append(.findings) }
    if try !store.holds(spans, ofEndpoint: endpoint.key) { broken.append(.spans) }
    return broken.map { ($0, endpoint.name) }
  }

  func write(to store: Store, model: ScoreModel) throws {
    try store.replaceWindows(windows, ofEndpoint: endpoint.key, model: model.name, judging: judging)
    try store.replaceFindings(findings, ofCall: endpoint.call, endpoint: endpoint.key)
    try store.replaceSpans(spans, ofEndpoint: endpoint.key)
    try store.replaceSetupAttempts(attempts, ofEndpoint: endpoint.key)
    try store.setChosen(chosen, ofEndpoint: endpoint.key)
  }
}
