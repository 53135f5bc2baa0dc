import CallModel
import CallStore

/// Writes a simulated fleet into a database, table by table, as an import and its judgement would have left it.
public struct FleetStore {
  private let plan: FleetPlan
  private let store: Store
  /// Who says what each call was: the real rules, unless another is set; nil where nobody does.
  public var judge: SimulatedJudge? = SimulatedEvidence.columns
  private var nextCall: Int64 = 1
  private var nextEndpoint: Int64 = 1
  /// 2026-11-07T22:00Z.
  static let firstNightMs = 1_794_088_800_000.0
  static let day = 86_400_000.0

  /// A writer into an empty database.
  public init(_ plan: FleetPlan, _ store: Store) {
    self.plan = plan
    self.store = store
  }

  /// Writes every night; the one before the last is accepted as everybody's baseline.
  public mutating func write(each: (Int) -> Void = { _ in }) throws {
    for night in 0..<plan.nights {
      try write(night: night)
      each(night)
    }
    if plan.nights > 1 {
      try store.insert(
        into: "baselines", columns: ["run_id", "sdk", "accepted_ms"],
        rows: plan.sdks.map {
          [.text(Self.name(plan.nights - 2)), .text($0), .real(startMs(plan.nights - 1) - 3600e3)]
        })
    }
    try store.finishImport()
  }

  /// A night's run is called by its date.
  static func name(_ night: Int) -> String {
    let day = 7 + night
    return day <= 30
      ? "2026-11-\(day < 10 ? "0" : "")\(day)" : "2026-12-\(day - 30 < 10 ? "0" : "")\(day - 30)"
  }

  private func startMs(_ night: Int) -> Double { Self.firstNightMs + Double(night) * Self.day }

  private mutating func write(night: Int) throws {
    let (run, startMs, calls) = (Self.name(night), startMs(night), plan.calls(night: night))
    try store.insert(
      into: "runs", columns: ["run_id", "started_ms", "ended_ms", "expected_calls", "labels"],
      rows: [
        [
          .text(run), .real(startMs), .real(startMs + 6 * 3600e3), .integer(Int64(calls.count)),
          .text("{\"build\":\"4.\(night)\"}"),
        ]
      ])
    let source = Int64(night + 1)
    try store.insert(
      into: "sources", columns: ["source_id", "path", "format", "status", "run_id", "imported_ms"],
      rows: [
        [
          .integer(source), .text("simulated/\(run)"), .text("getstats-lines"), .text("imported"), .text(run),
          .real(startMs),
        ]
      ])
    let inFull = night == plan.nights - 1 ? Self.telling(calls) : []
    var batch = FleetRows(judge: judge)
    for (index, call) in calls.enumerated() {
      batch.add(
        call, run: run, startMs: startMs + Double(index) * 900, source: source, call: nextCall,
        endpoint: nextEndpoint, inFull: inFull.contains(call.id))
      nextCall += 1
      nextEndpoint += 2
      if batch.calls.count == 5000 { try batch.flush(to: store) }
    }
    try batch.flush(to: store)
  }

  /// The calls that a report may make a page of: those of each SDK that broke, fell farthest, scored least or took longest.
  private static func telling(_ calls: [SimulatedCall]) -> Set<String> {
    var ids = Set(
      calls.filter { $0.outcome == "failed" || $0.outcome == "dropped" || $0.silence == .lost }.map(\.id))
    for own in Dictionary(grouping: calls, by: \.sdk).values {
      let orders: [(SimulatedCall) -> Double] = [
        { $0.score ?? 100 }, { -$0.fall }, { -($0.setupMs ?? 0) },
      ]
      for order in orders { ids.formUnion(own.sorted { order($0) < order($1) }.prefix(20).map(\.id)) }
    }
    return ids
  }
}
