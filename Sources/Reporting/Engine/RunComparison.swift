import CallModel

/// Two runs of a store held against each other.
public struct RunComparison {
  private let rows: any RowSource
  private let queries: String
  private let trait: String

  /// A comparison over rows; `queries` is the folder of shipped queries, `trait` the column that divides the calls, usually `sdk`.
  public init(rows: any RowSource, queries: String, by trait: String = "sdk") {
    self.rows = rows
    self.queries = queries
    self.trait = trait
  }

  /// Judges a candidate by gates. Throws `PlacedError` where the trait is none, `NothingAccepted` where no run was accepted
  /// and one was asked for, `OtherRules` where the runs were judged by different rules.
  public func judge(_ candidate: Slice, against baseline: NamedBaseline, gates: [Gate], seed: UInt64) throws
    -> Judgement
  {
    let choice = SliceChoice(rows: rows, zone: .utc)
    let chosen = try BaselineChoice(choice: choice, slice: candidate, given: baseline).choose()
    let now = try figures(candidate)
    let before = try chosen.figures(of: now.sdks) { try figures($0, sdks: $1) }
    var comparison = Comparison(candidate: now, baseline: before, seed: seed)
    if let other = comparison.otherRules { throw OtherRules(description: other) }
    if trait != "sdk" { comparison.kind = trait.replacing("_", with: " ") }
    return Judgement(comparison, gates: gates)
  }

  /// The calls that the manifest of a run names, and what was wrong with them.
  public func expectations(of slice: Slice) throws -> Table {
    try table("expectations.sql", slice, ["unmet": .integer(0)])
  }

  /// The figures of a slice, of the given SDKs if any are given.
  private func figures(_ slice: Slice, sdks: Set<String>? = nil) throws -> RunFigures {
    var table = try table("compared-calls.sql", slice)
    if let sdks, let sdk = table.index(of: "sdk") {
      table.rows.removeAll { row in row[sdk].string.map { !sdks.contains($0) } ?? true }
    }
    if trait != "sdk" {
      guard let place = table.index(of: trait), let sdk = table.index(of: "sdk") else {
        let fixed =
          ["state", "score_mean", "setup_ms", "poor", "broken", "scenario_name"] + RunFigures.judged
        let known = table.columns.filter { !fixed.contains($0) }.joined(separator: ", ")
        throw PlacedError("--by \(trait)", nil, "the calls are divided by one of: \(known)")
      }
      for index in table.rows.indices {
        let value = table.rows[index][place]
        table.rows[index][sdk] = value.isNull ? .text("unknown") : value
      }
    }
    return RunFigures(run: slice.name, table)
  }

  private func table(_ query: String, _ slice: Slice, _ others: [String: Cell] = [:]) throws -> Table {
    let text = String(decoding: try FileBytes.read("\(queries)/\(query)", atMost: 1 << 20), as: UTF8.self)
    return try rows.table(text, slice.parameters().merging(others) { $1 })
  }
}
