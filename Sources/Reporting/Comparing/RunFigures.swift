import CallModel
import Rendering

/// One run as used in a comparison: its calls, missing calls and excluded calls, by SDK.
public struct RunFigures: Sendable {
  public var run: String
  /// Whether this is a named run rather than the calls of a time range.
  public var isRun = true
  /// Calls that ran and count, by SDK.
  public var calls: [String: [ComparedCall]]
  public var missing: [String: Int]
  public var excluded: [String: Int]
  /// Failed login and similar attempts, by SDK and kind; empty if no gate asks for them.
  public var failedTries: [String: [String: Int]] = [:]
  /// Number of calls that are stored but not judged, or not judged again since more data arrived, by SDK.
  public var unfinished: [String: Int]
  /// Keys of the calls that are missing, excluded or unfinished, by reason and SDK.
  var uncounted: [Uncounted: [String: [Int64]]] = [:]

  /// Why a call is in no figure.
  enum Uncounted: String, Sendable { case missing, excluded, unfinished, unjudgeable }

  /// The run of each SDK's calls, if it differs by SDK (baselines are accepted per SDK).
  public var runs: [String: String]
  /// Versions of the verdict rules that its calls were judged by.
  public var verdictVersions: Set<Int> = []
  /// Names of the calls' traits, in which the cause of a change is searched.
  public var dimensions: [String]

  /// An empty run.
  public init(run: String) {
    self.run = run
    calls = [:]
    missing = [:]
    excluded = [:]
    unfinished = [:]
    runs = [:]
    dimensions = []
  }

  /// Every SDK with calls that ran or were expected, sorted.
  public var sdks: [String] {
    Set(calls.keys).union(missing.keys).union(excluded.keys).union(unfinished.keys).union(failedTries.keys)
      .sorted()
  }

  /// `2026-11-20`, or if SDKs have different runs: `2026-11-18 (pexip, web), 2026-11-20 (rebtel)`.
  var names: String {
    let named = Dictionary(grouping: runs.keys.sorted()) { runs[$0] ?? "" }
    guard named.count > 1 else { return named.keys.first ?? "" }
    return named.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.joined(separator: ", ")))" }
      .joined(separator: ", ")
  }

  /// The calls of all SDKs that ran and count, by SDK: the last digit of a sum depends on its order.
  var allCalls: FlattenSequence<[[ComparedCall]]> {
    calls.sorted { $0.key < $1.key }.map(\.value).joined()
  }

  /// Number of calls of all SDKs that ran and count.
  public var ran: Int { calls.values.reduce(0) { $0 + $1.count } }

  /// Number of calls that cannot be judged.
  var unjudgeable: Int { uncounted[.unjudgeable]?.values.reduce(0) { $0 + $1.count } ?? 0 }

  /// Number of calls of which nothing is known because their files were only partly imported.
  func cut(of sdk: String) -> Int { calls[sdk]?.count(where: \.isCut) ?? 0 }

  /// Value of a figure that is a count, for an SDK.
  func count(_ figure: Figure, of sdk: String) -> Int {
    switch figure {
    case .failedTries(let kind): failedTries[sdk]?[kind] ?? 0
    case .broken: calls[sdk]?.count(where: \.isBroken) ?? 0
    case .missing: missing[sdk] ?? 0
    case .excluded: excluded[sdk] ?? 0
    default: calls[sdk]?.count ?? 0
    }
  }
}

/// Reads the rows of `compared-calls.sql` one by one. Calls of a night are alike, so common values are stored once,
/// which lets a million calls fit in memory; values that differ between calls are stored per call.
struct RunFiguresReader {
  private(set) var figures: RunFigures
  private let sdks: Set<String>?
  private let places: [Int?]
  private let traits: [Int]
  private var sharedMet: [SharedCells: SharedFacts] = [:]
  private var labelsMet: [String: [CallLabel]] = [:]

  private static let known =
    ["sdk", "scenario", "state", "score_mean", "setup_ms", "poor", "broken", "labels"] + RunFigures.judged
  private static let maxKept = 65_536

  /// A reader for rows with these columns; if `sdks` is given, other SDKs are skipped.
  init(run: String, columns: [String], sdks: Set<String>? = nil) {
    figures = RunFigures(run: run)
    self.sdks = sdks
    places = Self.known.map { columns.firstIndex(of: $0) }
    traits = columns.indices.filter { !Self.known.contains(columns[$0]) }
    figures.dimensions = traits.map {
      columns[$0].replacing("_name", with: "").replacing("_", with: " ")
    }
  }

  mutating func add(_ row: [Cell]) {
    func cell(_ index: Int) -> Cell { places[index].map { row[$0] } ?? .null }
    guard let sdk = cell(0).string, sdks?.contains(sdk) ?? true else { return }
    figures.runs[sdk] = figures.run
    if let reason = cell(2).string.flatMap(RunFigures.Uncounted.init), let key = cell(14).integer {
      figures.uncounted[reason, default: [:]][sdk, default: []].append(key)
    }
    switch cell(2).string {
    case "missing": figures.missing[sdk, default: 0] += 1
    case "unfinished": figures.unfinished[sdk, default: 0] += 1
    case "excluded": figures.excluded[sdk, default: 0] += 1
    case "unjudgeable": break
    default:
      let cells = SharedCells(
        sdk: sdk, scenario: cell(1).string, errors: cell(10).string, findings: cell(11).string,
        failure: cell(15).string, traits: traits.map { row[$0].string })
      var call = ComparedCall(shared(cells), isBroken: (cell(6).number ?? 0) != 0)
      call.score = cell(3).number
      call.setupMs = cell(4).number
      call.isCut = cell(2).string == "cut"
      call.isPoor = cell(5).number.map { $0 != 0 }
      call.verdict = cell(8).string.flatMap(Verdict.Value.init)
      call.isKnown = !cell(9).isNull
      call.reported = cell(13).number
      call.key = cell(14).integer
      call.startedMs = cell(16).number
      call.place = cell(17).string.flatMap(Place.init)
      if let phases = cell(18).string { call.readPhases(phases) }
      if let version = cell(12).number { figures.verdictVersions.insert(Int(version)) }
      if let labels = cell(7).string { call.labels = self.labels(labels) }
      figures.calls[sdk, default: []].append(call)
    }
  }

  private mutating func labels(_ json: String) -> [CallLabel] {
    if let known = labelsMet[json] { return known }
    let labels = JSONMembers.topLevel(of: json).map(CallLabel.init)
    if labelsMet.count < Self.maxKept { labelsMet[json] = labels }
    return labels
  }

  private mutating func shared(_ cells: SharedCells) -> SharedFacts {
    if let known = sharedMet[cells] { return known }
    let shared = SharedFacts(cells.facts)
    if sharedMet.count < Self.maxKept { sharedMet[cells] = shared }
    return shared
  }

  /// The cells of a row that many calls share.
  private struct SharedCells: Hashable {
    let sdk: String
    let scenario: String?
    let errors: String?
    let findings: String?
    let failure: String?
    let traits: [String?]

    var facts: SharedFacts.Facts {
      func codes(_ text: String?) -> Set<String> { Set((text ?? "").split(separator: ",").map(String.init)) }
      return SharedFacts.Facts(
        sdk: sdk, scenario: scenario, findings: codes(findings), errors: codes(errors), failure: failure,
        traits: traits)
    }
  }
}

extension RunFigures {
  /// Adds the counts in the rows of `sessions.sql`; if `sdks` is given, other SDKs are skipped.
  mutating func add(tries columns: [String], _ rows: [[Cell]], sdks: Set<String>?) {
    let places = ["sdk", "kind", "failed"].map { columns.firstIndex(of: $0) }
    for row in rows {
      guard let sdk = places[0].flatMap({ row[$0].string }), let kind = places[1].flatMap({ row[$0].string }),
        let failed = places[2].flatMap({ row[$0].number }), sdks?.contains(sdk) ?? true
      else { continue }
      failedTries[sdk, default: [:]][kind, default: 0] += Int(failed)
    }
  }

  /// Columns of the verdict and the findings.
  static let judged = [
    "verdict", "known", "errors", "findings", "verdict_version", "reported_mean", "call_key", "failure",
    "started_ms", "place", "phases",
  ]

  /// Adds the calls of another run; an SDK may be in both.
  mutating func add(_ other: RunFigures) {
    calls.merge(other.calls, uniquingKeysWith: +)
    missing.merge(other.missing, uniquingKeysWith: +)
    failedTries.merge(other.failedTries) { $0.merging($1, uniquingKeysWith: +) }
    excluded.merge(other.excluded, uniquingKeysWith: +)
    unfinished.merge(other.unfinished, uniquingKeysWith: +)
    uncounted.merge(other.uncounted) { $0.merging($1, uniquingKeysWith: +) }
    verdictVersions.formUnion(other.verdictVersions)
    runs.merge(other.runs) { $0 == $1 ? $0 : "\($0), \($1)" }
    dimensions = other.dimensions
  }
}
