import CallModel
import Rendering

/// What a report is about, or is compared with: a run, or all calls of a time range.
public struct Slice: Sendable, Equatable {
  public var run: String?
  /// Time range, ms since the epoch; the end is exclusive.
  public var sinceMs: Double?
  public var untilMs: Double?
  /// Its name for people.
  public var name: String

  public init(run: String?, sinceMs: Double? = nil, untilMs: Double? = nil, name: String) {
    self.run = run
    self.sinceMs = sinceMs
    self.untilMs = untilMs
    self.name = name
  }

  /// The slice as query parameters, with a prefix before each name.
  func parameters(_ prefix: String = "") -> [String: Cell] {
    [
      prefix.isEmpty ? "run" : prefix: run.map { .text($0) } ?? .null,
      prefix.isEmpty ? "since" : prefix + "_since": sinceMs.map { .real($0) } ?? .null,
      prefix.isEmpty ? "until" : prefix + "_until": untilMs.map { .real($0) } ?? .null,
    ]
  }
}

/// Finds what to report on if the command line does not say.
struct SliceChoice {
  var rows: any RowSource
  var zone: Zone

  /// The latest run; without runs the latest night, noon to noon, that has a call; nil in a database without calls.
  func latest() throws -> Slice? { try latestRun() ?? night(before: nil) }

  private func latestRun() throws -> Slice? {
    let runs = try rows.table(
      "SELECT run_id FROM run_starts ORDER BY began_ms DESC, run_id DESC LIMIT 1", [:])
    return (runs.rows.first?.first?.string).map { Slice(run: $0, name: $0) }
  }

  /// Earlier runs, latest first, and whether each was blocked by a gate relative to a baseline.
  ///
  /// A fixed limit (`missing <= 0`) may block every night and says nothing about how runs compare. A run without any
  /// calls is treated as later than all others.
  func runs(before run: String) throws -> [(run: Slice, isBlocked: Bool)] {
    let found = try rows.table(
      """
      WITH starts AS MATERIALIZED (SELECT * FROM run_starts)
      SELECT b.run_id, r.verdict IS 'block' AND coalesce(r.verdict_reason, 'baseline') LIKE '%baseline%' AS blocked
      FROM starts AS b JOIN runs AS r USING (run_id) LEFT JOIN starts AS a ON a.run_id = :run
      WHERE b.run_id <> :run AND (a.run_id IS NULL OR b.began_ms < a.began_ms
        OR b.began_ms = a.began_ms AND b.run_id < a.run_id)
      ORDER BY b.began_ms DESC, b.run_id DESC
      """, ["run": .text(run)])
    return found.rows.compactMap { row in
      row[0].string.map { (Slice(run: $0, name: $0), row[1].number == 1) }
    }
  }

  /// The latest accepted run of each SDK, except this slice.
  func accepted(besides slice: Slice) throws -> [String: String] {
    let table = try rows.table(
      """
      SELECT sdk, run_id FROM (SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC) AS n
        FROM baselines WHERE run_id IS NOT :run) WHERE n = 1 ORDER BY sdk
      """, ["run": slice.run.map { .text($0) } ?? .null])
    var runs: [String: String] = [:]
    for row in table.rows {
      guard let sdk = table.cell(row, "sdk").string, let run = table.cell(row, "run_id").string else {
        continue
      }
      runs[sdk.isEmpty ? "unknown" : sdk] = run
    }
    return runs
  }
}

/// Compares two runs of a store.
public struct RunComparison {
  private let rows: any RowSource
  private let queries: String
  private let trait: String

  /// A comparison over rows. `queries` is the folder of shipped queries; `trait` is what groups the calls, usually
  /// `sdk`: a column, an attribute or a label.
  public init(rows: any RowSource, queries: String, by trait: String = "sdk") {
    self.rows = rows
    self.queries = queries
    self.trait = trait
  }

  /// Evaluates the gates for a candidate. Throws `PlacedError` if no call has the trait, `NothingAccepted` if an
  /// accepted run was asked for and there is none, `VerdictVersionMismatch` if the runs were judged by different rules.
  public func judge(_ candidate: Slice, against baseline: NamedBaseline, gates: [Gate], seed: UInt64) throws
    -> NightJudgement
  {
    let choice = SliceChoice(rows: rows, zone: .utc)
    let chosen = try BaselineChoice(choice: choice, slice: candidate, given: baseline).choose()
    let hasTries = gates.contains(where: \.figure.isOfTries) && trait == "sdk"
    var dividers: [TraitGrouping] = []
    let now = try figures(candidate, hasTries: hasTries, &dividers)
    let before = try chosen.figures(of: now.sdks) {
      try figures($0, sdks: $1, hasTries: hasTries, &dividers)
    }
    if let divider = dividers.first, now.ran + (before?.ran ?? 0) > 0, !dividers.contains(where: \.isKnown) {
      throw PlacedError("--by \(trait)", nil, divider.names)
    }
    var comparison = Comparison(candidate: now, baseline: before, seed: seed)
    if let other = comparison.otherRules { throw VerdictVersionMismatch(description: other) }
    if trait != "sdk" { comparison.kind = trait.replacing("_", with: " ") }
    let volume = trait == "sdk" ? try VolumeHistory(before: candidate, rows: rows) : nil
    return NightJudgement(comparison, gates: gates, before: nil, volume: volume)
  }

  /// The calls that the manifest of a run names, and which expectations they did not meet.
  public func expectations(of slice: Slice) throws -> Table {
    try table("expectations.sql", slice, ["unmet": .integer(0)])
  }

  /// The figures of a slice, of the given SDKs or of all.
  private func figures(
    _ slice: Slice, sdks: Set<String>? = nil, hasTries: Bool, _ dividers: inout [TraitGrouping]
  ) throws -> RunFigures {
    var reader: RunFiguresReader?
    var divider: TraitGrouping?
    try rows.forEachRow(
      try text(of: "compared-calls.sql"), slice.parameters(),
      columns: { columns in
        guard trait != "sdk" else {
          reader = RunFiguresReader(run: slice.name, columns: columns, sdks: sdks)
          return
        }
        divider = TraitGrouping(by: trait, columns)
        // Keep the SDK as an ordinary trait.
        reader = RunFiguresReader(run: slice.name, columns: columns + ["sdk_name"])
      },
      row: { row in
        guard divider != nil else {
          reader?.add(row)
          return
        }
        if let sdks, let sdk = divider?.sdk(of: row), !sdks.contains(sdk) { return }
        if let divided = divider?.divided(row) { reader?.add(divided) }
      })
    if let divider { dividers.append(divider) }
    var figures = reader?.figures ?? RunFigures(run: slice.name)
    if hasTries {
      let tries = try table("sessions.sql", slice)
      figures.add(tries: tries.columns, tries.rows, sdks: sdks)
    }
    return figures
  }

  private func text(of query: String) throws -> String {
    String(decoding: try FileBytes.read("\(queries)/\(query)", atMost: 1 << 20), as: UTF8.self)
  }

  private func table(_ query: String, _ slice: Slice, _ others: [String: Cell] = [:]) throws -> Table {
    try rows.table(try text(of: query), slice.parameters().merging(others) { $1 })
  }
}

/// Nights and days by the clocks of the time zone: a day of 23 or 25 hours also counts as one day.
extension SliceChoice {
  /// The night, noon to noon, with the last call before an instant; it ends at that instant at the latest.
  func night(before untilMs: Double?) throws -> Slice? {
    guard let lastMs = try lastCallMs(since: nil, before: untilMs) else { return nil }
    let day = Zone.dayMs
    let noon = ((zone.wallMs(lastMs) - day / 2) / day).rounded(.down) * day + day / 2
    let endMs = zone.momentMs(wallMs: noon + day)
    return night(from: zone.momentMs(wallMs: noon), to: untilMs.map { min($0, endMs) } ?? endMs)
  }

  /// What a time range is compared with: the same hours a number of days earlier, so that the two do not overlap. If
  /// there was no call then, the night of the last call before it. Never includes calls of the range itself.
  func time(before slice: Slice) throws -> Slice? {
    guard let sinceMs = slice.sinceMs else { return nil }
    let endMs = try slice.untilMs ?? lastCallMs(since: sinceMs, before: nil) ?? sinceMs
    let length = zone.wallMs(endMs) - zone.wallMs(sinceMs)
    let days = max(1, (length / Zone.dayMs).rounded(.up))
    let fromMs = zone.daysBefore(days, sinceMs)
    // Without an end there are no hours to match, so everything up to the start is compared.
    let toMs = min(sinceMs, slice.untilMs.map { max(fromMs, zone.daysBefore(days, $0)) } ?? sinceMs)
    guard try lastCallMs(since: fromMs, before: toMs) != nil else { return try night(before: sinceMs) }
    return night(from: fromMs, to: toMs)
  }

  private func night(from fromMs: Double, to toMs: Double) -> Slice {
    func text(_ timeMs: Double) -> String {
      "\(zone.dateText(timeMs) ?? "?") \(zone.clockText(timeMs)?.prefix(5) ?? "?")"
    }
    let noon = zone.wallMs(fromMs) - (zone.wallMs(fromMs) / Zone.dayMs).rounded(.down) * Zone.dayMs
    let isNight = noon == Zone.dayMs / 2 && zone.wallMs(toMs) - zone.wallMs(fromMs) <= Zone.dayMs
    return Slice(
      run: nil, sinceMs: fromMs, untilMs: toMs,
      name: isNight ? "night of \(zone.dateText(fromMs) ?? "?")" : "\(text(fromMs)) to \(text(toMs))")
  }

  private func lastCallMs(since sinceMs: Double?, before untilMs: Double?) throws -> Double? {
    try rows.table(
      """
      SELECT max(night_ms) FROM judged_calls
      WHERE (:since IS NULL OR night_ms >= :since) AND (:until IS NULL OR night_ms < :until)
      """,
      ["since": sinceMs.map { .real($0) } ?? .null, "until": untilMs.map { .real($0) } ?? .null]
    ).rows.first?.first?.number
  }
}
