import CallModel
import Timeline

/// Judgements as cells: written to the database, and compared with it by checks.
extension CallSummary {
  /// Columns of `calls` set by judging.
  static let columns =
    [
      "started_ms", "duration_ms", "outcome", "end_code", "end_reason", "setup_ms", "ringing_ms",
      "score_endpoint", "score_mean", "score_p10", "score_min", "mos", "mos_scale", "poor_share",
      "unscored_share", "top_cause", "model", "verdict_judged", "verdict_end", "verdict_medium",
      "verdict_cause",
      "verdict_basis", "verdict_rule", "verdict_version", "verdict_from_ms", "verdict_until_ms",
      "reported_mean", "reported_min", "reported_below_50_ms", "reported_mos",
      "held_local_ms", "held_remote_ms", "network_out_ms", "has_audio", "has_video", "upgraded",
      "outcome_why", "place_judged", "place_end_judged", "place_rule", "place_why",
      "root_cause", "root_end", "root_from_ms", "root_until_ms", "root_bps", "root_before_bps", "root_share",
    ] + Cause.allCases.map { "lost_\($0.rawValue)" }

  var cells: [Cell] {
    [
      startedMs.cell, durationMs.cell, outcome.rawValue.cell, endCode.cell, endReason.cell, setupMs.cell,
      ringingMs.cell, scoreEndpoint.cell, scoreMean.cell, scoreP10.cell, scoreMin.cell, mos.cell,
      mosScale.cell, poorShare.cell, unscoredShare.cell, topCause?.rawValue.cell ?? .null, model.cell,
    ] + verdictCells + loggedCells + Cause.allCases.map { pointsLost?[$0].cell ?? .null }
  }

  private var verdictCells: [Cell] {
    let version: Int? = verdict.map { _ in Verdict.version }
    return [
      verdict?.value.rawValue.cell, verdict?.end?.cell, verdict?.medium?.rawValue.cell,
      verdict?.reason?.rawValue.cell, verdict?.basis.rawValue.cell, verdict?.rule.cell, version?.cell,
      verdict?.span?.lowerBound.cell, verdict?.span?.upperBound.cell,
    ].map { $0 ?? .null }
  }

  private var loggedCells: [Cell] {
    [
      logged.reported?.mean.cell ?? .null, logged.reported?.min.cell ?? .null,
      logged.reported?.below50Ms.cell ?? .null, logged.reportedMos.cell, logged.heldLocalMs.cell,
      logged.heldRemoteMs.cell,
      logged.networkOutMs.cell, flag(logged.hasAudio), flag(logged.hasVideo), flag(logged.isUpgraded),
      outcomeWhy.cell, (place?.rule.place.rawValue).cell, (place?.end).cell, (place?.rule.rawValue).cell,
      (place?.evidence).cell, (rootCause?.code.rawValue).cell, (rootCause?.end).cell,
      (rootCause?.span.lowerBound).cell, (rootCause?.span.upperBound).cell, (rootCause?.carriedBps).cell,
      (rootCause?.beforeBps).cell, (rootCause?.share).cell,
    ]
  }
}

// A column of 0 and 1.
private func flag(_ value: Bool?) -> Cell { value.map { .integer($0 ? 1 : 0) } ?? .null }

extension Store {
  static let setupColumns = [
    "endpoint_key", "attempt", "direction", "outcome", "setup_ms", "setup_wall_ms", "post_dial_delay_ms",
    "start_ms", "from_event",
  ]

  static func setupCells(_ attempt: SetupAttempt, ofEndpoint endpoint: Int64) -> [Cell] {
    [
      endpoint.cell, attempt.attempt.cell, attempt.direction.rawValue.cell, attempt.outcome.rawValue.cell,
      attempt.setupMs.cell, attempt.setupWallMs.cell, attempt.postDialDelayMs.cell, attempt.startMs.cell,
      (attempt.fromEvent?.rawValue).cell,
    ]
  }

  static let phaseColumns = [
    "endpoint_key", "attempt", "phase", "state", "start_ms", "duration_ms", "from_event", "to_event", "cause",
    "waited_ms",
  ]

  static func phaseCells(_ phase: Phase, of attempt: SetupAttempt, ofEndpoint endpoint: Int64) -> [Cell] {
    [
      endpoint.cell, attempt.attempt.cell, phase.name.rawValue.cell, phase.state.rawValue.cell,
      phase.startMs.cell, phase.state == .measured ? phase.durationMs.cell : .null,
      (phase.fromEvent?.rawValue).cell,
      (phase.toEvent?.rawValue).cell,
      phase.cause.cell, phase.state == .measured ? phase.waitedMs.cell : .null,
    ]
  }

  static let spanColumns = [
    "endpoint_key", "kind", "medium", "start_ms", "end_ms", "proof", "concealed_samples",
  ]

  static func spanCells(_ span: MediaSpan, ofEndpoint endpoint: Int64) -> [Cell] {
    [
      endpoint.cell, span.kind.rawValue.cell, span.medium?.rawValue.cell ?? .null, span.startMs.cell,
      span.endMs.cell, span.proof == .none ? .null : span.proof.rawValue.cell, span.concealedSamples.cell,
    ]
  }

  static let fateColumns = [
    "endpoint_key", "medium", "start_ms", "end_ms", "what", "proof", "rule", "witnesses",
    "place",
  ]

  static func fateCells(_ fate: Fate, _ medium: MediaKind, ofEndpoint endpoint: Int64) -> [Cell] {
    [
      endpoint.cell, medium.rawValue.cell, fate.startMs.cell, fate.endMs.cell, fate.what.rawValue.cell,
      fate.proof == .none ? .null : fate.proof.rawValue.cell, fate.rule.rawValue.cell, fate.witnessList.cell,
      (fate.place?.rawValue).cell,
    ]
  }

  static let impairmentColumns = [
    "endpoint_key", "medium", "start_ms", "end_ms", "what", "figure", "points", "share", "place",
  ]

  static func impairmentCells(_ one: Impairment, ofEndpoint endpoint: Int64) -> [Cell] {
    [
      endpoint.cell, one.medium.rawValue.cell, one.startMs.cell, one.endMs.cell, one.cause.rawValue.cell,
      one.figure.cell, one.points.cell, one.share.cell, (one.place?.rawValue).cell,
    ]
  }

  static let endVerdictColumns = ["verdict", "verdict_medium", "verdict_cause"]

  static func endVerdictCells(_ verdict: Verdict?) -> [Cell] {
    [(verdict?.value.rawValue).cell, (verdict?.medium?.rawValue).cell, (verdict?.reason?.rawValue).cell]
  }

  static let findingColumns = ["endpoint_key", "code", "severity", "start_ms", "end_ms", "evidence", "text"]

  static func findingCells(_ finding: Finding, ofEndpoint endpoint: Int64?) -> [Cell] {
    [
      endpoint.cell, finding.name.cell, finding.severity.rawValue.cell, finding.startMs.cell,
      finding.endMs.cell, finding.evidence.json.cell, finding.text.cell,
    ]
  }

  /// Columns of a call's row that differ from its judgement.
  public func columnsAgainst(_ summary: CallSummary, ofCall call: Int64) throws -> [String] {
    let stored = try query(
      "SELECT \(CallSummary.columns.joined(separator: ", ")) FROM calls WHERE call_key = :call",
      ["call": .integer(call)])
    guard let row = stored.rows.first else { return [] }
    return zip(CallSummary.columns, zip(row, summary.cells)).filter { $1.0 != $1.1 }.map(\.0)
  }

  /// Whether these setup attempts of an end, with their phases, are stored.
  public func holds(_ attempts: [SetupAttempt], ofEndpoint endpoint: Int64) throws -> Bool {
    let phases = attempts.flatMap { attempt in
      attempt.phases.map { Self.phaseCells($0, of: attempt, ofEndpoint: endpoint) }
    }
    return try holds(
      attempts.map { Self.setupCells($0, ofEndpoint: endpoint) }, "setups", Self.setupColumns, endpoint)
      && holds(phases, "phases", Self.phaseColumns, endpoint)
  }

  /// Whether these findings of an end are stored.
  public func holds(_ findings: [Finding], ofEndpoint endpoint: Int64) throws -> Bool {
    try holds(
      findings.map { Self.findingCells($0, ofEndpoint: endpoint) }, "findings", Self.findingColumns, endpoint)
  }

  /// Whether these spans of an end are stored.
  public func holds(_ spans: [MediaSpan], ofEndpoint endpoint: Int64) throws -> Bool {
    try holds(spans.map { Self.spanCells($0, ofEndpoint: endpoint) }, "spans", Self.spanColumns, endpoint)
  }

  /// Whether this is stored as what became of the media at an end.
  public func holds(_ fates: [(medium: MediaKind, fate: Fate)], ofEndpoint endpoint: Int64) throws -> Bool {
    try holds(
      fates.map { Self.fateCells($0.fate, $0.medium, ofEndpoint: endpoint) }, "fates", Self.fateColumns,
      endpoint)
  }

  /// Whether these impairments of an end are stored.
  public func holds(_ impairments: [Impairment], ofEndpoint endpoint: Int64) throws -> Bool {
    try holds(
      impairments.map { Self.impairmentCells($0, ofEndpoint: endpoint) }, "impairments",
      Self.impairmentColumns, endpoint)
  }

  /// Whether this is stored as the verdict on an end.
  public func holds(_ verdict: Verdict?, ofEndpoint endpoint: Int64) throws -> Bool {
    try holds([Self.endVerdictCells(verdict)], "endpoints", Self.endVerdictColumns, endpoint)
  }

  private func holds(_ rows: [[Cell]], _ table: String, _ columns: [String], _ endpoint: Int64) throws -> Bool
  {
    let stored = try query(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE endpoint_key = :end",
      ["end": .integer(endpoint)])
    // Tables may return them in another order.
    func inOrder(_ rows: [[Cell]]) -> [String] { rows.map { "\($0)" }.sorted() }
    return inOrder(stored.rows) == inOrder(rows)
  }
}

/// The judgement of a call: the columns of table `calls` beyond its identity.
public struct CallSummary: Sendable, Equatable {
  public var startedMs: Double?
  public var durationMs: Double?
  public var outcome: Outcome
  public var endCode: String?
  public var endReason: String?
  public var setupMs: Double?
  public var ringingMs: Double?
  /// Name of the worse end, which the scores are of.
  public var scoreEndpoint: String?
  /// Over active and stalled windows; percentiles by nearest rank.
  public var scoreMean: Double?
  public var scoreP10: Double?
  public var scoreMin: Double?
  public var mos: Double?
  public var mosScale: String?
  public var poorShare: Double?
  public var unscoredShare: Double?
  /// Mean points lost by scored windows, by cause; nil if nothing was scored.
  public var pointsLost: ByCause<Double>?
  public var topCause: Cause?
  /// Figures from the SDK's log alone, at the end with the worst ones.
  public var logged = LoggedFigures()
  /// The reason for the outcome: the first evidence, and who reported it.
  public var outcomeWhy: String?
  /// Name and version of the score model.
  public var model: String?
  /// The verdict.
  public var verdict: Verdict?
  /// Where the fault was; nil if that is not known, or nothing is wrong.
  public var place: PlacedFault?
  /// What began it.
  public var rootCause: RootCause?

  /// A judgement of the outcome alone.
  public init(outcome: Outcome) { self.outcome = outcome }
}
