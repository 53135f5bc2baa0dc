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

  /// Judges a candidate by gates. Throws `PlacedError` where the trait is none.
  public func judge(_ candidate: Slice, against baseline: Slice, gates: [Gate], seed: UInt64) throws
    -> Judgement
  {
    Judgement(
      Comparison(candidate: try figures(candidate), baseline: try figures(baseline), seed: seed), gates: gates
    )
  }

  /// The calls that the manifest of a run names, and what was wrong with them.
  public func expectations(of slice: Slice) throws -> Table {
    try table("expectations.sql", slice)
  }

  private func figures(_ slice: Slice) throws -> RunFigures {
    var table = try table("compared-calls.sql", slice)
    if trait != "sdk" {
      guard let place = table.index(of: trait), let sdk = table.index(of: "sdk") else {
        let fixed = ["state", "score_mean", "setup_ms", "poor_share", "broken", "scenario_name"]
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

  private func table(_ query: String, _ slice: Slice) throws -> Table {
    let text = String(decoding: try FileBytes.read("\(queries)/\(query)", atMost: 1 << 20), as: UTF8.self)
    return try rows.table(text, slice.parameters())
  }
}
