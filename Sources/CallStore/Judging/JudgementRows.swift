import CallModel
import Timeline

/// A value with the column that it is stored in.
typealias JudgedCell = (column: String, cell: Cell)

/// Judgements as cells: written to the database, and compared with it by checks.
extension CallSummary {
  /// Columns of `calls` set by judging.
  static let columns = CallSummary(outcome: .unknown).cells.map(\.column)

  var cells: [JudgedCell] {
    let version: Int? = verdict.map { _ in Verdict.version }
    let cells: [JudgedCell] = [
      ("started_ms", startedMs.cell), ("duration_ms", durationMs.cell), ("outcome", outcome.rawValue.cell),
      ("end_code", endCode.cell), ("end_reason", endReason.cell), ("setup_ms", setupMs.cell),
      ("ringing_ms", ringingMs.cell), ("score_endpoint", scoreEndpoint.cell), ("score_mean", scoreMean.cell),
      ("score_p10", scoreP10.cell), ("score_min", scoreMin.cell), ("mos", mos.cell),
      ("mos_scale", mosScale.cell), ("poor_share", poorShare.cell), ("unscored_share", unscoredShare.cell),
      ("top_cause", (topCause?.rawValue).cell), ("model", model.cell),
      ("verdict_judged", (verdict?.value.rawValue).cell), ("verdict_end", (verdict?.end).cell),
      ("verdict_medium", (verdict?.medium?.rawValue).cell),
      ("verdict_cause", (verdict?.reason?.rawValue).cell), ("verdict_basis", (verdict?.basis.rawValue).cell),
      ("verdict_rule", (verdict?.rule).cell), ("verdict_version", version.cell),
      ("verdict_from_ms", (verdict?.span?.lowerBound).cell),
      ("verdict_until_ms", (verdict?.span?.upperBound).cell),
    ]
    return cells + loggedCells + Cause.allCases.map { ("lost_\($0.rawValue)", (pointsLost?[$0]).cell) }
  }

  private var loggedCells: [JudgedCell] {
    [
      ("reported_mean", (logged.reported?.mean).cell), ("reported_min", (logged.reported?.min).cell),
      ("reported_below_50_ms", (logged.reported?.below50Ms).cell), ("reported_mos", logged.reportedMos.cell),
      ("held_local_ms", logged.heldLocalMs.cell), ("held_remote_ms", logged.heldRemoteMs.cell),
      ("network_out_ms", logged.networkOutMs.cell), ("has_audio", flag(logged.hasAudio)),
      ("has_video", flag(logged.hasVideo)), ("upgraded", flag(logged.isUpgraded)),
      ("outcome_why", outcomeWhy.cell), ("place_judged", (place?.rule.place.rawValue).cell),
      ("place_end_judged", (place?.end).cell), ("place_rule", (place?.rule.rawValue).cell),
      ("place_why", (place?.evidence).cell), ("root_cause", (rootCause?.code.rawValue).cell),
      ("root_end", (rootCause?.end).cell), ("root_from_ms", (rootCause?.span.lowerBound).cell),
      ("root_until_ms", (rootCause?.span.upperBound).cell), ("root_bps", (rootCause?.carriedBps).cell),
      ("root_before_bps", (rootCause?.beforeBps).cell), ("root_share", (rootCause?.share).cell),
    ]
  }
}

// A column of 0 and 1.
private func flag(_ value: Bool?) -> Cell { value.map { .integer($0 ? 1 : 0) } ?? .null }

/// The rows of one table that judging an end replaces.
public struct JudgedRows: Sendable {
  let table: String
  let rows: [[JudgedCell]]

  private init(_ table: String, _ rows: [[JudgedCell]]) { (self.table, self.rows) = (table, rows) }

  /// Setup attempts, without their phases.
  public static func setups(_ attempts: [SetupAttempt]) -> JudgedRows {
    JudgedRows(
      "setups",
      attempts.map { attempt in
        [
          ("attempt", attempt.attempt.cell), ("direction", attempt.direction.rawValue.cell),
          ("outcome", attempt.outcome.rawValue.cell), ("setup_ms", attempt.setupMs.cell),
          ("setup_wall_ms", attempt.setupWallMs.cell), ("post_dial_delay_ms", attempt.postDialDelayMs.cell),
          ("start_ms", attempt.startMs.cell), ("from_event", (attempt.fromEvent?.rawValue).cell),
        ]
      })
  }

  /// The phases of setup attempts.
  public static func phases(_ attempts: [SetupAttempt]) -> JudgedRows {
    let phases = attempts.flatMap { attempt in attempt.phases.map { (attempt.attempt, $0) } }
    return JudgedRows(
      "phases",
      phases.map { attempt, phase in
        let isMeasured = phase.state == .measured
        return [
          ("attempt", attempt.cell), ("phase", phase.name.rawValue.cell),
          ("state", phase.state.rawValue.cell),
          ("start_ms", phase.startMs.cell), ("duration_ms", isMeasured ? phase.durationMs.cell : .null),
          ("from_event", (phase.fromEvent?.rawValue).cell), ("to_event", (phase.toEvent?.rawValue).cell),
          ("cause", phase.cause.cell), ("waited_ms", isMeasured ? phase.waitedMs.cell : .null),
        ]
      })
  }

  /// Spans.
  public static func spans(_ spans: [MediaSpan]) -> JudgedRows {
    JudgedRows(
      "spans",
      spans.map { span in
        [
          ("kind", span.kind.rawValue.cell), ("medium", (span.medium?.rawValue).cell),
          ("start_ms", span.startMs.cell), ("end_ms", span.endMs.cell),
          ("proof", span.proof == .none ? .null : span.proof.rawValue.cell),
          ("concealed_samples", span.concealedSamples.cell),
        ]
      })
  }

  /// What became of the media at the end, and at the other one if that has no record.
  public static func fates(_ own: [MediaKind: [Fate]], ofFarEnd: [MediaKind: [Fate]]) -> JudgedRows {
    func rows(_ fates: [MediaKind: [Fate]], isOfFarEnd: Bool) -> [[JudgedCell]] {
      [MediaKind.audio, .video].flatMap { medium in
        (fates[medium] ?? []).map { fate in
          [
            ("far_end", .integer(isOfFarEnd ? 1 : 0)), ("medium", medium.rawValue.cell),
            ("start_ms", fate.startMs.cell), ("end_ms", fate.endMs.cell), ("what", fate.what.rawValue.cell),
            ("proof", fate.proof == .none ? .null : fate.proof.rawValue.cell),
            ("rule", fate.rule.rawValue.cell), ("witnesses", fate.witnessList.cell),
            ("place", (fate.place?.rawValue).cell),
          ]
        }
      }
    }
    return JudgedRows("fates", rows(own, isOfFarEnd: false) + rows(ofFarEnd, isOfFarEnd: true))
  }

  /// Impairments.
  public static func impairments(_ impairments: [Impairment]) -> JudgedRows {
    JudgedRows(
      "impairments",
      impairments.map { one in
        [
          ("medium", one.medium.rawValue.cell), ("start_ms", one.startMs.cell), ("end_ms", one.endMs.cell),
          ("what", one.cause.rawValue.cell), ("figure", one.figure.cell), ("points", one.points.cell),
          ("share", one.share.cell), ("place", (one.place?.rawValue).cell),
        ]
      })
  }

  /// Findings.
  public static func findings(_ findings: [Finding]) -> JudgedRows {
    JudgedRows(
      "findings",
      findings.map { finding in
        [
          ("code", finding.name.cell), ("severity", finding.severity.rawValue.cell),
          ("start_ms", finding.startMs.cell), ("end_ms", finding.endMs.cell),
          ("evidence", finding.evidence.json.cell), ("text", finding.text.cell),
        ]
      })
  }

  /// The verdict on the end.
  public static func verdict(_ verdict: Verdict?) -> JudgedRows {
    JudgedRows(
      "endpoints",
      [
        [
          ("verdict", (verdict?.value.rawValue).cell), ("verdict_medium", (verdict?.medium?.rawValue).cell),
          ("verdict_cause", (verdict?.reason?.rawValue).cell),
        ]
      ])
  }
}

extension Store {
  /// Columns of a call's row that differ from its judgement.
  public func columnsAgainst(_ summary: CallSummary, ofCall call: Int64) throws -> [String] {
    let stored = try query(
      "SELECT \(CallSummary.columns.joined(separator: ", ")) FROM calls WHERE call_key = :call",
      ["call": .integer(call)])
    guard let row = stored.rows.first else { return [] }
    return zip(row, summary.cells).filter { $0 != $1.cell }.map(\.1.column)
  }

  /// Whether these rows of an end are stored, and no others.
  public func holds(_ judged: JudgedRows, ofEndpoint endpoint: Int64) throws -> Bool {
    let columns = judged.rows.first?.map(\.column) ?? ["1"]
    let stored = try query(
      "SELECT \(columns.joined(separator: ", ")) FROM \(judged.table) WHERE endpoint_key = :end",
      ["end": .integer(endpoint)])
    // Tables may return them in another order.
    func inOrder(_ rows: [[Cell]]) -> [String] { rows.map { "\($0)" }.sorted() }
    return inOrder(stored.rows) == inOrder(judged.rows.map { $0.map(\.cell) })
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
