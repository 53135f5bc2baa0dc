import CallModel
import CallStore

/// Writes a simulated fleet into a database as if it had been imported and judged.
public struct FleetStore {
  private let plan: FleetPlan
  private let store: Store
  /// Judges the calls: by the real rules unless replaced; nil leaves them unjudged.
  public var judge: SimulatedJudge? = SimulatedEvidence.columns
  private var nextCall: Int64 = 1
  private var nextEndpoint: Int64 = 1
  /// Start of the first night, 2026-11-07T22:00Z, in ms since the epoch.
  static let firstNightMs = 1_794_088_800_000.0
  static let day = 86_400_000.0

  /// A writer into an empty database.
  public init(_ plan: FleetPlan, _ store: Store) {
    self.plan = plan
    self.store = store
  }

  /// Writes every night. The last night but one is accepted as the baseline of every SDK.
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
    try store.dateRuns((0..<plan.nights).map(Self.name))
    try store.finishImport()
  }

  /// The run of a night is named after its date.
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
    let inFull = night == plan.nights - 1 ? Self.notable(calls) : []
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

  /// Calls that a report may make a page for: for each SDK those that broke, fell most, scored lowest or took longest
  /// to set up.
  private static func notable(_ calls: [SimulatedCall]) -> Set<String> {
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

/// Collects rows for the tables.
struct FleetRows {
  var calls: [[Cell]] = []
  private var endpoints: [[Cell]] = []
  private var connections: [[Cell]] = []
  private var streams: [[Cell]] = []
  private var setups: [[Cell]] = []
  private var phases: [[Cell]] = []
  private var findings: [[Cell]] = []
  private var windows: [[Cell]] = []
  private var events: [[Cell]] = []
  /// The verdict columns of each call, in the order of `calls`.
  private var verdicts: [[Cell]] = []
  /// Judges the calls, and the names of the columns that it sets.
  private let judge: SimulatedJudge?
  private var judged: [String] = []
  /// Name of the score model in `windows` and `calls`.
  private static let model = "simulated"

  /// Shares of the setup time by phase.
  private static let parts: [(String, Double)] = [
    ("gathering", 0.12), ("signalling", 0.24), ("negotiation", 0.05), ("ice", 0.24), ("dtls", 0.15),
    ("first-packet", 0.06),
    ("first-frame", 0.14),
  ]
  /// Shares of lost points by cause, typical of impaired calls.
  private static let causes: [(Cause, Double)] = [
    (.loss, 0.5), (.jitter, 0.06), (.delay, 0.16), (.freeze, 0.2), (.framerate, 0.04), (.resolution, 0.03),
    (.bitrate, 0.01),
  ]

  init(judge: SimulatedJudge? = nil) { self.judge = judge }

  /// Adds a call. With `inFull` it gets windows and events, which a report needs only for calls with a page.
  mutating func add(
    _ call: SimulatedCall, run: String, startMs: Double, source: Int64, call key: Int64, endpoint: Int64,
    inFull: Bool
  ) {
    let lost = call.score.map { 100 - $0 }
    let (code, reason): (Cell, Cell) =
      switch call.outcome {
      case "failed" where call.endCode != nil: (.of(call.endCode), .null)
      case "failed": (.text("ice-failed"), .text("ICE never connected"))
      case "dropped": (.text("503"), .text("service unavailable"))
      case "busy": (.text("486"), .text("busy here"))
      default: (.null, .null)
      }
    let came = call.outcome != "missing"
    // Most ordinary calls need no windows of their own.
    let isPlain = judge == nil && !inFull && call.silence == nil && call.outcome != "failed"
    let evidence = isPlain ? nil : call.evidence(startMs: startMs)
    let verdict = evidence.flatMap { came ? judge?($0) : nil } ?? []
    if !verdict.isEmpty { judged = verdict.map(\.column) }
    calls.append(
      [
        .integer(key), .text(call.id), .text(run), .text(call.scenario), .text(call.sdk),
        came ? .real(startMs) : .null,
        came ? .real(300_000) : .null, .text(call.outcome), code, reason, .of(call.setupMs),
        came ? .text("callee") : .null,
        .of(call.score), .of(call.p10), .of(call.lowest), .of(call.poorShare),
        call.score == nil ? .null : .real(0), lost ?? 0 > 0.5 ? .text("loss") : .null, .integer(1),
        call.expected.map { .text($0) } ?? .null, call.excluded.map { .text($0) } ?? .null, .integer(0),
        call.score == nil ? .null : .text(Self.model),
      ] + Self.causes.map { share in Cell.of(lost.map { $0 * share.1 }) })
    verdicts.append(verdict.map(\.value))
    guard came else { return }
    for (offset, name) in ["caller", "callee"].enumerated() {
      let end = endpoint + Int64(offset)
      endpoints.append(
        [
          .integer(end), .integer(key), .text(name), .text(offset == 0 ? "outgoing" : "incoming"),
          .text(call.client), .text(call.network),
          .text(call.candidate), .text(call.sdk),
        ] + codecs(call, hears: offset == 1))
      connections.append([
        .integer(end), .integer(source), .integer(key), .integer(end), .text(name), .text(call.sdk),
      ])
    }
    addStreams(call, endpoint + 1)
    setUp(call, startMs, endpoint)
    guard let evidence else { return }
    if inFull { addWindowsAndEvents(call, evidence, endpoint) }
    for finding in evidence.findings {
      let isOfCall = call.outcome == "failed"
      findings.append([
        .integer(key), isOfCall ? .null : .integer(endpoint + 1), .text(finding.name),
        .text(finding.severity.rawValue), .of(finding.startMs), .of(finding.endMs), .text(finding.text),
      ])
    }
  }

  /// Audio and video codec that an end received.
  private func codecs(_ call: SimulatedCall, hears: Bool) -> [Cell] {
    guard hears, call.score != nil else { return [.null, .null] }
    return [.text("opus"), .text(call.videoCodec)]
  }

  private mutating func addStreams(_ call: SimulatedCall, _ endpoint: Int64) {
    guard let score = call.score else { return }
    let loss = (100 - score) / 700
    for (kind, codec) in [("audio", "opus"), ("video", call.videoCodec)] {
      streams.append([
        .integer(endpoint), .integer(endpoint), .text("stats"), .integer(1), .text("inbound"), .text(kind),
        .text(codec), .integer(15_000),
        .integer(Int64(15_000 * loss)), .real(4 + (100 - score) / 3), .real(30 + (100 - score)),
        .real(40 + (100 - score) * 3),
      ])
    }
  }

  /// Adds the windows of the end with the worse reception, and the events of the other.
  private mutating func addWindowsAndEvents(
    _ call: SimulatedCall, _ evidence: SimulatedEvidence, _ endpoint: Int64
  ) {
    let (startMs, setupMs) = (evidence.startMs, call.setupMs ?? 0)
    for window in evidence.windows {
      let lost = window.score.map { 100 - $0 }
      let points = lost.map { lost in
        var points = Self.causes.map { Int64(Double(lost) * $0.1) }
        points[0] += Int64(lost) - points.reduce(0, +)
        return points
      }
      func measured(_ figure: (Double) -> Double) -> Cell { .of(lost.map { figure(Double($0)) }) }
      windows.append(
        [
          .integer(endpoint + 1), .text(Self.model), .text("stats"), .integer(Int64(window.index)),
          .real(window.startMs), .real(window.endMs), .text(window.state.rawValue),
          window.score.map { .integer(Int64($0)) } ?? .null, measured { $0 / 700 }, measured { 80 + $0 * 2 },
          measured { 40 + $0 * 3 }, measured { 30 - $0 / 10 }, .real(1),
        ] + Self.causes.indices.map { place in points.map { Cell.integer($0[place]) } ?? .null })
    }
    let middle: [(Double, EventName)] =
      call.outcome == "completed" || call.outcome == "dropped"
      ? [(setupMs, .callEstablished)] : []
    for (afterMs, name) in [(0, EventName.callCreated)] + middle + [(300_000, .callEnded)] {
      events.append([
        .integer(endpoint), .real(startMs + afterMs), .text(name.rawValue), .text(name.rawValue),
        .text(call.sdk),
      ])
    }
  }

  private mutating func setUp(_ call: SimulatedCall, _ startMs: Double, _ endpoint: Int64) {
    setups.append([
      .integer(endpoint), .integer(1), .text("outgoing"), .text(call.outcome), .of(call.setupMs),
    ])
    guard let setupMs = call.setupMs else { return }
    for (phase, share) in Self.parts {
      phases.append([
        .integer(endpoint), .integer(1), .text(phase), .text("measured"), .real(startMs),
        .real(setupMs * share),
      ])
    }
    phases.append([.integer(endpoint), .integer(1), .text("ringing"), .text("absent"), .null, .null])
  }

  mutating func flush(to store: Store) throws {
    try store.insert(
      into: "calls",
      columns: [
        "call_key", "call_id", "run_id", "scenario", "sdk", "started_ms", "duration_ms", "outcome",
        "end_code", "end_reason", "setup_ms",
        "score_endpoint", "score_mean", "score_p10", "score_min", "poor_share", "unscored_share", "top_cause",
        "expected",
        "expected_outcome", "excluded", "stale", "model",
      ] + Self.causes.map { "lost_\($0.0.rawValue)" } + judged, rows: zip(calls, verdicts).map(judgedRow))
    try store.insert(
      into: "endpoints",
      columns: [
        "endpoint_key", "call_key", "endpoint", "direction", "user_agent", "network_type", "candidate_type",
        "sdk", "audio_codec", "video_codec",
      ], rows: endpoints)
    try store.insert(
      into: "source_views",
      columns: ["connection_key", "source_id", "call_key", "endpoint_key", "name", "sdk"], rows: connections)
    try store.insert(
      into: "streams",
      columns: [
        "connection_key", "endpoint_key", "source", "chosen", "direction", "kind", "codec", "packets", "lost",
        "jitter_mean_ms",
        "jitter_max_ms", "rtt_ms",
      ], rows: streams)
    try store.insert(
      into: "setups", columns: ["endpoint_key", "attempt", "direction", "outcome", "setup_ms"], rows: setups)
    try store.insert(
      into: "phases", columns: ["endpoint_key", "attempt", "phase", "state", "start_ms", "duration_ms"],
      rows: phases)
    try store.insert(
      into: "findings",
      columns: ["call_key", "endpoint_key", "code", "severity", "start_ms", "end_ms", "text"], rows: findings)
    try store.insert(
      into: "windows",
      columns: [
        "endpoint_key", "model", "source", "window_index", "start_ms", "end_ms", "state", "score",
        "loss_share", "delay_ms", "rtt_ms", "frame_rate", "confidence",
      ] + Self.causes.map { "lost_\($0.0.rawValue)" }, rows: windows)
    try store.insert(
      into: "events", columns: ["connection_key", "t_ms", "event", "raw", "sdk"], rows: events)
    self = FleetRows(judge: judge)
  }

  /// A row of a call with its verdict columns, or NULLs if it was not judged.
  private func judgedRow(_ call: [Cell], _ verdict: [Cell]) -> [Cell] {
    call + (verdict.isEmpty ? judged.map { _ in .null } : verdict)
  }
}

extension Cell {
  static func of(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
  static func of(_ value: String?) -> Cell { value.map { .text($0) } ?? .null }
}
