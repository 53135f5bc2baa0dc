import CallModel

extension RunFigures {
  /// Reads the rows of `compared-calls.sql`; only those of the named SDKs, if any are named.
  init(run: String, _ table: Table, sdks: Set<String>? = nil) {
    self.init(run: run)
    let known =
      ["sdk", "scenario", "state", "score_mean", "setup_ms", "poor", "broken", "labels"] + Self.judged
    let places = known.map { table.index(of: $0) }
    let traits = table.columns.indices.filter { !known.contains(table.columns[$0]) }
    dimensions = traits.map { table.columns[$0].replacing("_name", with: "").replacing("_", with: " ") }
    for row in table.rows {
      func cell(_ index: Int) -> Cell { places[index].map { row[$0] } ?? .null }
      guard let sdk = cell(0).string, sdks?.contains(sdk) ?? true else { continue }
      runs[sdk] = run
      switch cell(2).string {
      case "missing": missing[sdk, default: 0] += 1
      case "unjudged": unjudged[sdk, default: 0] += 1
      case "excluded": excluded[sdk, default: 0] += 1
      default:
        var call = ComparedCall(
          sdk: sdk, scenario: cell(1).string, score: cell(3).number, setupMs: cell(4).number,
          poorShare: nil, isBroken: (cell(6).number ?? 0) != 0,
          traits: traits.map { row[$0].string })
        call.isCut = cell(2).string == "cut"
        call.isPoor = cell(5).number.map { $0 != 0 }
        call.verdict = cell(8).string.flatMap(Verdict.Word.init)
        call.isKnown = !cell(9).isNull
        call.errors = Self.codes(cell(10))
        call.findings = Self.codes(cell(11))
        if let version = cell(12).number { verdictVersions.insert(Int(version)) }
        if let labels = cell(7).string { call.labels = JSONMembers.topLevel(of: labels).map(CallLabel.init) }
        calls[sdk, default: []].append(call)
      }
    }
  }

  /// Columns of the verdict and the findings.
  static let judged = ["said", "known", "errors", "findings", "verdict_version"]

  private static func codes(_ cell: Cell) -> Set<String> {
    Set((cell.string ?? "").split(separator: ",").map(String.init))
  }

  /// Takes calls of another run in; what they are divided by may be the same in both.
  mutating func add(_ other: RunFigures) {
    calls.merge(other.calls, uniquingKeysWith: +)
    missing.merge(other.missing, uniquingKeysWith: +)
    excluded.merge(other.excluded, uniquingKeysWith: +)
    unjudged.merge(other.unjudged, uniquingKeysWith: +)
    verdictVersions.formUnion(other.verdictVersions)
    runs.merge(other.runs) { $0 == $1 ? $0 : "\($0), \($1)" }
    dimensions = other.dimensions
  }
}
