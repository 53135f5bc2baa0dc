import CallModel
import CallStore
import Scoring
import SQLite
import Timeline

/// All results for one call, to be written together.
struct CallJudgement: Sendable {
  private let call: Int64
  private let model: ScoreModel
  private let ends: [EndJudgement]
  private let summary: CallSummary
  private let skewsMs: [Int64: Double]

  /// Judges a call from the contents of a store.
  init(_ call: StoredCall, from store: Store, model: ScoreModel, readers: Readers, passed: StreamedScores?)
    throws
  {
    let compared = try ComparedEnds(call, from: store, model: model, readers: readers, passed: passed)
    self.call = call.key
    self.model = model
    skewsMs = compared.skewsMs
    var summary = compared.summary
    let placed = try compared.placed(in: store)
    (summary.place, summary.rootCause) = (placed.place, placed.rootCause)
    self.summary = summary
    ends = try compared.ends.enumerated().map { index, end in
      try EndJudgement(
        end, findings: compared.findings[end.endpoint.key] ?? [],
        fates: placed.placing(compared.fates[end], at: index),
        ofFarEnd: placed.placing(ofFarEnd: compared.fates.ofFarEnd, summary.verdict),
        impairments: placed.placing(compared.impairments[end.endpoint.key] ?? [], at: index),
        verdict: compared.verdicts[end.endpoint.name], streams: compared.streams[end.endpoint.key] ?? [],
        from: store)
    }
  }

  /// Stored results that differ from those recomputed, each with the rule that is violated.
  func departures(in store: Store) throws -> [(rule: CallRule, what: String)] {
    let columns = try store.columnsAgainst(summary, ofCall: call)
    return try ends.flatMap { end in try end.departures(in: store, model: model) }
      + (columns.isEmpty ? [] : [(.verdicts, columns.prefix(5).joined(separator: ", "))])
  }

  /// Replaces the previous results of the call.
  func write(to store: Store) throws {
    for end in ends { try end.write(to: store, model: model) }
    try store.setSkews(skewsMs, ofCall: call)
    try store.updateCall(call, summary)
  }
}

/// The results for one end, without the data they were derived from.
private struct EndJudgement: Sendable {
  private let endpoint: StoredEndpoint
  private let judging: StreamSource?
  private let chosen: [StoredStream]
  private let formerlyChosen: [StoredStream]
  private let streamScores: [Int64: Double]
  private let windows: [(source: StreamSource, windows: PackedWindows)]
  private let findings: [Finding]
  private let attempts: [SetupAttempt]
  private let spans: [MediaSpan]
  private let fates: JudgedRows
  private let impairments: [Impairment]
  private let verdict: Verdict?

  init(
    _ end: EndpointAssessment, findings: [Finding], fates: [MediaKind: [Fate]],
    ofFarEnd: [MediaKind: [Fate]], impairments: [Impairment], verdict: Verdict?, streams: [StoredStream],
    from store: Store
  ) throws {
    self.verdict = verdict
    self.impairments = impairments
    spans = try EndSpans(end, findings: findings, fates: fates, from: store).spans
    self.fates = .fates(fates, ofFarEnd: ofFarEnd)
    endpoint = end.endpoint
    judging = end.judging
    chosen = end.choice.judges
    formerlyChosen = streams.filter(\.chosen)
    streamScores = end.streamScores
    windows = end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    self.findings = findings
    attempts = end.attempts
  }

  func departures(in store: Store, model: ScoreModel) throws -> [(rule: CallRule, what: String)] {
    let again = Dictionary(uniqueKeysWithValues: windows.map { ($0.source, Array($0.windows.unpacked)) })
    var broken: [CallRule] = []
    let stored = try Dictionary(
      grouping: store.windows(ofEndpoint: endpoint.key, model: model.name), by: \.source)
    if again.filter({ !$0.value.isEmpty }) != stored.mapValues({ $0.map(\.window) }) {
      broken.append(.scores)
    }
    let judged: [(CallRule, [JudgedRows])] = [
      (.setups, [.setups(attempts), .phases(attempts)]), (.findings, [.findings(findings)]),
      (.spans, [.spans(spans)]), (.fates, [fates]), (.impairments, [.impairments(impairments)]),
      (.verdicts, [.verdict(verdict)]),
    ]
    for (rule, rows) in judged {
      let isStored = try rows.allSatisfy { try store.holds($0, ofEndpoint: endpoint.key) }
      if !isStored { broken.append(rule) }
    }
    return broken.map { ($0, endpoint.name) }
  }

  func write(to store: Store, model: ScoreModel) throws {
    try store.replaceWindows(
      windows.map { ($0.source, $0.windows.unpacked) }, ofEndpoint: endpoint.key, model: model.name,
      judging: judging)
    try store.replaceFindings(findings, ofCall: endpoint.call, endpoint: endpoint.key)
    try store.replaceSetupAttempts(attempts, ofEndpoint: endpoint.key)
    for rows in [JudgedRows.spans(spans), fates, .impairments(impairments)] {
      try store.replace(rows, ofEndpoint: endpoint.key)
    }
    try store.setChosen(chosen, scores: streamScores, were: formerlyChosen)
    try store.setVerdict(verdict, by: chosen, ofEndpoint: endpoint.key)
  }
}

/// The results of a call that can be recomputed.
enum CallRule: String, CaseIterable {
  case scores = "scores follow from samples"
  case setups = "setups and their phases follow from events"
  case findings = "findings follow from samples and events"
  case spans = "spans follow from samples and events"
  case fates = "what became of media follows from samples and events"
  case impairments = "impairments follow from scores"
  case verdicts = "the row of a call follows from its ends"
  case judged = "a call can be judged"
}

/// Judges calls again from their data and compares the result with what is stored.
public struct Recheck {
  private let store: Store
  private let model: ScoreModel

  /// Checks the results of one model.
  public init(store: Store, model: ScoreModel = .standard) {
    self.store = store
    self.model = model
  }

  /// Stored results that differ from the recomputed ones. Skips calls that were pruned, are not yet judged, or were
  /// judged by another model.
  public func problems(isInterrupted: () -> Bool = { false }) throws -> [Problem] {
    let calls = try store.query(
      "SELECT call_key, call_id, stale FROM calls WHERE pruned_ms IS NULL AND (stale = 2 OR NOT stale AND model = :model)",
      ["model": .text(model.name)])
    let readers = Readers(of: store, most: 1)
    var found: [CallRule: (count: Int, example: String)] = [:]
    for row in calls.rows {
      guard !isInterrupted(), let key = row[0].integer else { break }
      guard let call = try store.call(key) else { continue }
      for (rule, what) in try departures(of: call, isMarked: row[2] == .integer(2), readers) {
        found[rule, default: (0, "\(call.id), \(what)")].count += 1
      }
    }
    return CallRule.allCases.compactMap { rule in
      found[rule].map { Problem(rule: rule.rawValue, count: $0.count, example: $0.example) }
    }
  }

  /// - Parameter isMarked: whether it could not be judged when it was imported.
  private func departures(of call: StoredCall, isMarked: Bool, _ readers: Readers) throws -> [(
    rule: CallRule, what: String
  )] {
    do {
      let again = try CallJudgement(call, from: store, model: model, readers: readers, passed: nil)
      return isMarked ? [(.judged, "the next import tries again")] : try again.departures(in: store)
    } catch let error as StoreError where error.isOfRows {
      return [(.judged, error.what)]
    }
  }
}
