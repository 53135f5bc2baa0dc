import CallModel

/// Gates and changes of a comparison, as answers that a page and its CSV files show.
public struct Judgement: Sendable {
  public let comparison: Comparison
  public let results: [GateResult]
  /// The change of the mean score of each SDK, corrected like the gates.
  public let changes: [String: Interval]
  public let concentrations: [String: Concentration]
  /// Where the change of each SDK whose score moved clearly was looked for.
  let places: [String: PlaceSearch]
  /// What moved in all SDKs together.
  let whole: [WholeChange]
  /// What clearly more calls have than before: silence, or an error finding.
  let troubles: [NewTrouble]
  /// Files of the run that were refused, or skipped though they are called as files of calls are; nought where nobody counted.
  var unreadFiles = 0
  /// What got worse slowly, over many runs; known where a report looks back.
  var drifts: [Drift] = []
  /// How every figure of every SDK moved: see `moves`.
  public private(set) var figureChanges = Table([])

  /// Judges a comparison by gates.
  public init(_ comparison: Comparison, gates: [Gate]) {
    self.comparison = comparison
    results = comparison.judge(gates)
    var changes: [String: Interval] = [:]
    var places: [String: PlaceSearch] = [:]
    for sdk in comparison.sdks where comparison.baseline?.calls[sdk] != nil {
      guard let change = comparison.change(of: .scoreMean, sdk: sdk) else { continue }
      changes[sdk] = change
      if (change.high ?? 0) < 0 || (change.low ?? 0) > 0 {
        places[sdk] = comparison.place(sdk: sdk)
      }
    }
    let together = comparison.whole()
    whole = together.map { whole in WholeChange.figures.compactMap { WholeChange($0, in: whole) } } ?? []
    troubles = NewTrouble.all(in: comparison)
    self.changes = changes
    self.places = places
    concentrations = places.compactMapValues(\.found)
    figureChanges = Self.moves(self)
  }

  /// Says that no call of the run counts; nil where one does.
  public var nothingRan: NothingRan? { NothingRan(comparison) }

  /// SDKs that there is a verdict of: those of the runs, and those that only a gate names.
  public var sdks: [String] { Set(comparison.sdks).union(results.map(\.sdk)).sorted() }

  /// An SDK's verdict: that of its gravest gate; `no baseline` where there is nothing to compare with and nothing failed.
  public func verdict(of sdk: String) -> String {
    let own = results.filter { $0.sdk == sdk }
    let worst = own.map(\.verdict).max() ?? .pass
    if comparison.unjudged(sdk, with: comparison.baseline) != nil { return "inconclusive" }
    let isKnown = comparison.sdks.contains(sdk)
    if worst != .fail, isKnown, comparison.baseline?.calls[sdk] == nil { return "no baseline" }
    return worst.rawValue
  }

  /// The gravest gate's reason; nil where all passed.
  public func reason(of sdk: String) -> GateResult? {
    let own = results.filter { $0.sdk == sdk }
    return own.first { $0.verdict == .fail } ?? own.first { $0.verdict == .inconclusive }
  }

  /// A row an SDK.
  public var verdicts: Table {
    var table = Table([
      "sdk", "verdict", "gate", "reason", "change", "change_low", "change_high", "margin", "method",
      "baseline", "more_calls",
    ])
    for sdk in sdks {
      let (change, grave) = (changes[sdk], reason(of: sdk))
      let margin = results.first { $0.sdk == sdk && $0.gate.figure == .scoreMean && $0.gate.factor == 1 }?
        .gate.offset
      table.rows.append([
        .text(sdk), .text(verdict(of: sdk)), grave.map { .text($0.gate.text) } ?? .null,
        grave.map { .text($0.reason) } ?? .null,
        .of(change?.estimate), .of(change?.low), .of(change?.high), .of(margin),
        change.map { .text($0.method.rawValue) } ?? .null,
        comparison.baseline?.runs[sdk].map { .text($0) } ?? .null,
        grave?.moreCalls.map { .integer(Int64($0)) } ?? .null,
      ])
    }
    return table
  }

  /// Whether what is there was compared, nothing of it got clearly worse, and not much is missing.
  var isNothingWorse: Bool {
    guard comparison.unjudged == nil, let baseline = comparison.baseline else { return false }
    let moved = figureChanges.rows.map { figureChanges.cell($0, "moved").string }
    let sentences = Sentences(judgement: self)
    return moved.contains("not clearly") && !moved.contains("worse") && !whole.contains(where: \.isWorse)
      && drifts.isEmpty && troubles.isEmpty && !isMuchUnread
      && sentences.absent(baseline).isEmpty && sentences.fewer(baseline).isEmpty && sentences.cut().isEmpty
      && !comparison.sdks.contains { comparison.candidate.isMuchMissing(of: $0) }
  }

  /// Whether something is told as clearly worse, whatever gates say.
  var isSomethingWorse: Bool {
    comparison.unjudged == nil && comparison.baseline != nil && Sentences(judgement: self).isAnythingWorse
  }

  /// Whether more files could not be read than a gate puts up with of calls that never came.
  var isMuchUnread: Bool {
    Double(unreadFiles) > Comparison.toleratedMissing * Double(unreadFiles + comparison.candidate.ran)
  }

  /// Whether a call of the SDK counts in the run.
  func ran(_ sdk: String) -> Bool { comparison.candidate.calls[sdk]?.isEmpty == false }

  /// A row a gate and SDK; SDKs without a call last.
  public var gates: Table {
    var table = Table([
      "sdk", "gate", "figure", "verdict", "value", "baseline", "contrast", "contrast_low", "contrast_high",
      "limit", "method", "more_calls", "reason",
    ])
    for result in results.filter({ ran($0.sdk) }) + results.filter({ !ran($0.sdk) }) {
      table.rows.append([
        .text(result.sdk), .text(result.gate.text), .text("\(result.gate.figure)"),
        .text(result.verdict.rawValue), .of(result.candidate), .of(result.baseline),
        .of(result.contrast?.estimate), .of(result.contrast?.low), .of(result.contrast?.high),
        .real(result.gate.offset),
        result.contrast.map { .text($0.method.rawValue) } ?? .null,
        result.moreCalls.map { .integer(Int64($0)) } ?? .null,
        .text(result.reason),
      ])
    }
    return table
  }
}

extension Cell {
  /// A number that may be unknown.
  static func of(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
}
