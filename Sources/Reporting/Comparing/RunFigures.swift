/// One run as a comparison sees it: its calls, and what did not come or was put aside, by SDK.
public struct RunFigures: Sendable {
  public var run: String
  /// Whether it is a run by name, and not the calls of some time.
  public var isRun = true
  /// Calls that ran and count.
  public var calls: [String: [ComparedCall]]
  public var missing: [String: Int]
  public var excluded: [String: Int]
  /// Calls that are stored and not judged, or not since more came in for them.
  public var unjudged: [String: Int]
  /// Which run an SDK's calls are of, where that differs by SDK (baselines are accepted by SDK).
  public var runs: [String: String]
  /// Versions of the rules that its calls were judged by.
  public var verdictVersions: Set<Int> = []
  /// Names of the calls' traits: what a change is looked for in.
  public var dimensions: [String]

  /// An empty run.
  public init(run: String) {
    self.run = run
    calls = [:]
    missing = [:]
    excluded = [:]
    unjudged = [:]
    runs = [:]
    dimensions = []
  }

  /// Every SDK that ran or should have, in the order of names.
  public var sdks: [String] {
    Set(calls.keys).union(missing.keys).union(excluded.keys).union(unjudged.keys).sorted()
  }

  /// `2026-11-20`, or where SDKs have different ones: `2026-11-18 (pexip, web), 2026-11-20 (rebtel)`.
  var names: String {
    let named = Dictionary(grouping: runs.keys.sorted()) { runs[$0] ?? "" }
    guard named.count > 1 else { return named.keys.first ?? "" }
    return named.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.joined(separator: ", ")))" }
      .joined(separator: ", ")
  }

  /// Calls of all SDKs that ran and count.
  public var ran: Int { calls.values.reduce(0) { $0 + $1.count } }

  /// Calls that came and of which nothing is known, for their files were taken in part.
  func cut(of sdk: String) -> Int { calls[sdk]?.count(where: \.isCut) ?? 0 }

  /// What is counted of an SDK.
  func count(_ figure: Figure, of sdk: String) -> Int {
    switch figure {
    case .missing: missing[sdk] ?? 0
    case .excluded: excluded[sdk] ?? 0
    default: calls[sdk]?.count ?? 0
    }
  }
}
