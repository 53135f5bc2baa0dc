import CallModel
import CallStore

extension CallAccount {
  /// Reads a call; nil if the store has no call with this key. Rethrows errors of the store.
  public init?(of key: Int64, in store: Store) throws {
    let parameters: [String: Cell] = ["call": .integer(key)]
    guard let row = try NamedRow.rows(store, "SELECT * FROM calls WHERE call_key = :call", parameters).first
    else { return nil }
    call = CallFacts(key: key, row)
    let model = call.model
    ends = try NamedRow.rows(store, Self.ends, parameters)
      .map { try EndAccount($0, in: store, model: model) }
      .sorted(by: EndAccount.order)
    if ends.count > Self.maxInOrder { ends = Self.worstFirst(ends) }
    let names = Dictionary(ends.map { ($0.key, $0.name) }, uniquingKeysWith: { first, _ in first })
    findings = try NamedRow.rows(store, Self.findings, parameters).map { AccountFinding($0, names) }
    events = try store.events(ofCall: key).map {
      AccountEvent(end: $0.endpoint.flatMap { names[$0] }, record: $0.record, source: $0.source)
    }
    sources = try NamedRow.rows(store, Self.sources, parameters).map { row in
      let notes = try NamedRow.rows(
        store, "SELECT note FROM notes WHERE source_id = :source ORDER BY note", ["source": row["source_id"]])
      return SourceFacts(row, notes: notes.compactMap { $0.text("note") })
    }
    hears = try NamedRow.rows(store, "SELECT * FROM hears WHERE call_key = :call", parameters).map {
      HeardStream($0)
    }
    for event in events { setFirstCodec(event) }
    if isNeverAnswered { for index in ends.indices { ends[index].score = nil } }
    alignClocks()
  }

  /// Sets the first codec of a stream from the first event that has it.
  private mutating func setFirstCodec(_ event: AccountEvent) {
    guard event.record.event == .mediaCodecChanged, let codec = event.record[.from],
      let ssrc = event.record[.ssrc].map(Int64.init),
      let end = ends.firstIndex(where: { $0.name == event.end }),
      let stream = ends[end].streams.firstIndex(where: {
        $0.ssrc == ssrc && $0.direction.rawValue == event.record[.direction]
          && $0.parts.contains { $0.source == event.source }
      })
    else { return }
    let known = ends[end].streams[stream]
    if known.firstCodec == nil, codec != known.codec { ends[end].streams[stream].firstCodec = codec }
  }

  /// Maximum number of ends that keep their order. In a conference the worst end comes first, since nobody searches for
  /// it by name.
  private static let maxInOrder = 3

  /// The ends sorted by score; equal ones, and those without a score, keep their order.
  private static func worstFirst(_ ends: [EndAccount]) -> [EndAccount] {
    ends.enumerated().sorted { a, b in
      let (x, y) = (a.element.score?.mean ?? .infinity, b.element.score?.mean ?? .infinity)
      return x == y ? a.offset < b.offset : x < y
    }.map(\.element)
  }

  private static let ends = """
    SELECT *, (SELECT 1 FROM source_views AS v WHERE v.endpoint_key = n.endpoint_key LIMIT 1) AS on_record
    FROM endpoints AS n WHERE call_key = :call
    """

  private static let findings = """
    SELECT * FROM findings WHERE call_key = :call
    ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, start_ms, finding_key
    """

  private static let sources = """
    SELECT * FROM sources WHERE source_id IN (SELECT source_id FROM source_views WHERE call_key = :call) ORDER BY path
    """
}

extension CallFacts {
  package init(key: Int64, _ row: NamedRow) {
    self.init(
      key: key, id: row.text("call_id") ?? "", run: row.text("run_id"), scenario: row.text("scenario"),
      sdk: row.text("sdk"), sdkVersion: row.text("sdk_version"), startedMs: row.number("started_ms"),
      durationMs: row.number("duration_ms"), outcome: row.word("outcome") ?? .unknown,
      expectedOutcome: row.word("expected_outcome"), endCode: row.text("end_code"),
      endReason: row.text("end_reason"), setupMs: row.number("setup_ms"), ringingMs: row.number("ringing_ms"),
      scoreEndpoint: row.text("score_endpoint"), scoreMean: row.number("score_mean"), mos: row.number("mos"),
      mosScale: row.text("mos_scale"), model: row.text("model"),
      excluded: row.text("excluded"), known: row.text("known"))
    reportedMean = row.number("reported_mean")
    reportedMin = row.number("reported_min")
    reportedBelow50Ms = row.number("reported_below_50_ms")
    heldLocalMs = row.number("held_local_ms")
    heldRemoteMs = row.number("held_remote_ms")
    outcomeWhy = row.text("outcome_why")
    isNamedByFolder = row.text("named_by") == "folder"
    verdict = Verdict(row)
    if let rule: PlaceRule = row.word("place_rule") {
      place = PlacedFault(rule, at: row.text("place_end_judged"), evidence: row.text("place_why") ?? "")
    }
    markedPlace = row.word("place_marked")
    markedPlaceEnd = row.text("place_end_marked")
    markedPlaceWhy = row.text("place_marked_why")
    rootCause = RootCause(row)
    markedVerdict = row.word("verdict_marked")
    markedWhy = row.text("verdict_why")
  }
}

extension RootCause {
  fileprivate init?(_ row: NamedRow) {
    guard let code: Code = row.word("root_cause"), let from = row.number("root_from_ms"),
      let until = row.number("root_until_ms")
    else { return nil }
    self.init(code, at: row.text("root_end"), from...max(from, until), share: row.number("root_share"))
    (carriedBps, beforeBps) = (row.number("root_bps"), row.number("root_before_bps"))
  }
}

extension Verdict {
  /// The verdict by rules, which a person's verdict may override.
  package init?(_ row: NamedRow) {
    guard let value: Value = row.word("verdict_judged") else { return nil }
    let span = row.number("verdict_from_ms").flatMap { from in
      row.number("verdict_until_ms").map { from...max(from, $0) }
    }
    self.init(
      value, rule: row.text("verdict_rule") ?? "", end: row.text("verdict_end"),
      medium: row.word("verdict_medium"), reason: row.word("verdict_cause"),
      basis: row.word("verdict_basis") ?? .events, span: span)
  }
}

extension AccountFinding {
  package init(_ row: NamedRow, _ names: [Int64: String]) {
    var finding = Finding(
      named: row.text("code") ?? "", row.word("severity") ?? .info,
      evidence: Evidence(json: row.text("evidence") ?? ""),
      text: row.text("text") ?? "")
    finding.startMs = row.number("start_ms")
    finding.endMs = row.number("end_ms")
    self.init(end: row.integer("endpoint_key").flatMap { names[$0] }, finding: finding)
    key = row.integer("finding_key")
  }
}

extension SourceFacts {
  package init(_ row: NamedRow, notes: [String]) {
    self.init(
      key: row.integer("source_id") ?? 0, path: row.text("path") ?? "", format: row.text("format"),
      status: row.text("status") ?? "", reason: row.text("reason"), skewMs: row.number("skew_ms"),
      rejected: row.integer("rejected") ?? 0, prunedMs: row.number("pruned_ms"), notes: notes)
  }
}

/// A row with access to cells by column name.
package struct NamedRow {
  private let columns: [String: Int]
  private let cells: [Cell]

  package subscript(_ column: String) -> Cell { columns[column].map { cells.cell($0) } ?? .null }

  package func text(_ column: String) -> String? { self[column].string }
  package func number(_ column: String) -> Double? { self[column].number }
  package func integer(_ column: String) -> Int64? {
    if case .integer(let value) = self[column] {
      value
    } else {
      number(column).flatMap { Int64(exactly: $0) }
    }
  }
  package func flag(_ column: String) -> Bool { integer(column) == 1 }
  package func word<Word: RawRepresentable>(_ column: String) -> Word? where Word.RawValue == String {
    text(column).flatMap(Word.init)
  }

  /// All cells by column name.
  package var all: [String: Cell] { columns.mapValues { cells.cell($0) } }

  /// The rows of a query.
  package static func rows(_ store: Store, _ sql: String, _ parameters: [String: Cell]) throws -> [NamedRow] {
    let result = try store.query(sql, parameters)
    let columns = Dictionary(
      result.columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return result.rows.map { NamedRow(columns: columns, cells: $0) }
  }
}
