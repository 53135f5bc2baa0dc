import ArgumentParser
import Assessing
import CallModel
import CallStore
import Scoring

/// `callqa score`: lists score windows, one row each.
struct Score: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "The 0–100 score, a row for every 5 s, with the points each cause took.",
    discussion: """
      Windows are anchored at the first remote media. Silent and unscored ones have no score; a stalled one scores 0.

      Example:
        callqa score worst
        callqa score last --changes      what a client's callback would have reported
        callqa score last --source all --json
        callqa score --compare-models callqa-2 callqa-3
        callqa score t04 --intervals segments.csv --model livekit
      """)

  /// Which windows to list, by what they were scored from.
  enum Source: String, CaseIterable, ExpressibleByArgument {
    case stats, capture, figures, all
  }

  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, last, worst (default: every call).", valueName: "call"))
  var call: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions

  @Option(
    help: "Windows from statistics, from a capture, or both (default: the source that judges each end).")
  var source: Source?

  @Flag(help: "Only where the integer changed: what a client's callback would have reported.")
  var changes = false

  @Option(
    help: ArgumentHelp(
      "Score the stored samples by another model, now; --model list names them.", valueName: "name"))
  var model: String?

  @Option(
    name: .customLong("compare-models"), parsing: .upToNextOption,
    help: ArgumentHelp("Windows in which two models differ, and by how much.", valueName: "model"))
  var compared: [String] = []

  @Option(
    help: ArgumentHelp(
      "Score the intervals of a CSV file (t_start_ms, t_end_ms or seconds; rows may name call_id, endpoint) instead of windows of 5 s.",
      valueName: "file"))
  var intervals: String?

  @OptionGroup var rows: RowOptions

  func validate() throws {
    guard compared.isEmpty || compared.count == 2 else {
      throw ValidationError("--compare-models takes two names: see `callqa score --model list`.")
    }
    for name in compared + [model].compactMap({ $0 }) where name != "list" && ScoreModel.named(name) == nil {
      throw ValidationError("there is no model '\(name)': see `callqa score --model list`.")
    }
  }

  func run() throws {
    if model == "list" { return try listModels() }
    let store = try database.open(.read)
    var scope = try scope.scope(rows, in: store, ofCall: call)
    scope = try self.scope.narrowed(scope, in: store, quietly: rows.quiet)
    scope.changes = changes
    scope.source = source.flatMap { StreamSource(rawValue: $0.rawValue) }
    scope.allWindows = source == .all
    if compared.count == 2 || model != nil || intervals != nil {
      let calls = try keys(scope, store)
      let pruned = try calls.count { try store.isPruned(call: $0) }
      try compared.count == 2 ? compare(calls, scope, in: store) : rescore(calls, scope, in: store)
      guard pruned > 0 else { return }
      let words =
        "the samples of \(pruned) of \(Plural.of(calls.count, "call")) were pruned: "
      Entry.warn(words + "what is gone cannot be scored again; `callqa score` shows the stored windows")
      if pruned == calls.count { throw ExitStatus.someRefused.exit }
      return
    }
    try rows.print(.score, scope, from: store, table: Self.table)
  }

  private static let table = [
    "call_id", "endpoint", "start_ms", "state", "score", "audio_cq=sound@points", "video=picture@points",
    "points_lost.loss=loss", "points_lost.jitter=jitter",
    "points_lost.delay=delay", "points_lost.freeze=freeze", "points_lost.framerate=fps",
    "points_lost.resolution=px", "points_lost.bitrate=rate", "points_lost.coding=coding",
    "points_lost.silence=quiet", "points_lost.playout=play",
  ]

  private func listModels() throws {
    var printer = try rows.printer(columns: ["model", "standard?", "what"])
    for model in ScoreModel.all {
      let isStandard = model.name == ScoreModel.standard.name
      try printer.row([.text(model.name), .integer(isStandard ? 1 : 0), .text(model.summary)])
    }
    try printer.finish()
  }

  /// Keys of the selected calls, in list order.
  private func keys(_ scope: CallScope, _ store: Store) throws -> [Int64] {
    if let calls = scope.calls { return calls }
    var wanted = scope
    (wanted.source, wanted.allWindows, wanted.changes) = (nil, false, false)
    return try store.keys(wanted)
  }

  private func rescore(_ calls: [Int64], _ scope: CallScope, in store: Store) throws {
    let model = model.flatMap(ScoreModel.named) ?? .standard
    let intervals = try intervals.map(Intervals.init)
    let assessor = Assessor(store: store, model: model)
    let picked = rows.pick(from: WindowRows.columns(model), table: Self.table + ["label"])
    var printer = try rows.printer(columns: picked.names)
    var isUsed = false
    for call in calls {
      let asked = try intervals.map { try $0.rows(of: store.call(call)?.id ?? "") }
      guard asked?.isEmpty != true else { continue }
      isUsed = true
      let cut = asked.map { WindowCut.intervals($0.map { ($0.startMs, $0.endMs) }) } ?? .fromFirstMedia
      for end in try assessor.rescore(call, cut: cut) where isWanted(end) {
        for var window in end.windows
        where (!changes || window.changed) && scope.includes(fromMs: window.startMs, untilMs: window.endMs) {
          if let row = asked?[window.index] {
            guard row.endpoint == nil || row.endpoint == end.endpoint else { continue }
            window.index = row.index
          }
          let cells = WindowRows.cells(window, of: end, model: model)
          try printer.row(picked.indices.map { cells[$0] })
        }
      }
    }
    try printer.finish()
    if intervals != nil, !isUsed, !calls.isEmpty {
      throw Failure(.wrongCommandLine, "no row of the intervals is for any of these calls")
    }
  }

  private func isWanted(_ end: RescoredEnd) -> Bool {
    switch source {
    case nil: end.isJudging
    case .all: true
    case .stats: end.source == .stats
    case .capture: end.source == .capture
    case .figures: end.source == .figures
    }
  }

  private func compare(_ calls: [Int64], _ scope: CallScope, in store: Store) throws {
    let models = compared.compactMap(ScoreModel.named)
    var printer = try rows.printer(
      columns: [
        "call_id", "endpoint", "source", "window_index", "start_ms", models[0].name, models[1].name, "change",
      ])
    for call in calls {
      let ends = try models.map { try Assessor(store: store, model: $0).rescore(call) }
      for (a, b) in zip(ends[0], ends[1]) where isWanted(a) {
        for (one, other) in zip(a.windows, b.windows)
        where one.score != other.score && scope.includes(fromMs: one.startMs, untilMs: one.endMs) {
          let scores = [one.score, other.score].map { $0.map { Cell.integer(Int64($0)) } ?? .null }
          let change = one.score.flatMap { one in other.score.map { $0 - one } }
          try printer.row(
            [
              .text(a.call), .text(a.endpoint), .text(a.source.rawValue), .integer(Int64(one.index)),
              .real(one.startMs),
            ]
              + scores + [change.map { .integer(Int64($0)) } ?? .null])
        }
      }
    }
    try printer.finish()
  }
}

/// Windows that were rescored by this command, in the same columns as `callqa score`, plus the model's own labels.
enum WindowRows {
  private static let columns =
    [
      "call_id", "endpoint", "source", "window_index", "start_ms", "end_ms", "state", "score", "audio_cq",
      "audio_lq", "video",
    ]
    + Cause.allCases.map { "points_lost.\($0.rawValue)" }
    + [
      "inputs.loss_share", "inputs.concealed_share", "inputs.delay_ms", "inputs.rtt_ms",
      "inputs.freeze_share",
      "inputs.frame_rate", "inputs.height", "inputs.bitrate_bps", "inputs.mouth_to_ear_ms",
      "inputs.glass_to_glass_ms", "inputs.audio_minus_video_ms", "inputs.delay_source",
      "inputs.frame_quality",
      "client_score", "confidence", "changed?",
      "model",
    ]

  /// The columns for a model; its labels are last, if it has any.
  static func columns(_ model: ScoreModel) -> [String] { columns + (model.hasLabels ? ["label"] : []) }

  static func cells(_ window: Window, of end: RescoredEnd, model: ScoreModel) -> [Cell] {
    let head: [Cell] = [
      .text(end.call), .text(end.endpoint), .text(end.source.rawValue), .integer(Int64(window.index)),
      .real(window.startMs), .real(window.endMs), .text(window.state.rawValue),
      window.score.map { .integer(Int64($0)) } ?? .null, real(window.audioCQ), real(window.audioLQ),
      real(window.video),
    ]
    let points = Cause.allCases.map { window.pointsLost?[$0].map { .integer(Int64($0)) } ?? Cell.null }
    let inputs = window.inputs
    let figures =
      [
        inputs.lossShare, inputs.concealedShare, inputs.delayMs, inputs.rttMs, inputs.freezeShare,
        inputs.frameRate,
        inputs.height, inputs.bitrateBps, inputs.mouthToEarMs, inputs.glassToGlassMs,
        inputs.audioMinusVideoMs,
      ].map(real) + [inputs.delaySource.map { Cell.text($0.rawValue) } ?? .null]
      + [inputs.frameQuality, window.clientScore, window.confidence].map(real)
    let label = model.hasLabels ? [window.label.map { Cell.text($0) } ?? .null] : []
    return head + points + figures + [.integer(window.changed ? 1 : 0), .text(model.name)] + label
  }

  private static func real(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
}
