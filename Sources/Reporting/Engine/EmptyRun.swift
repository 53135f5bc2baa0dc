import CallModel

/// A run or night without a single call that counts. It must not look like one without problems.
public struct EmptyRun: Sendable, Equatable {
  /// The headline of the report.
  public let line: String
  /// What is still known: which calls were expected, excluded, or there in the baseline.
  public let sentence: String

  /// What to do about it.
  static let remedy =
    "Nothing can be said about quality or setup: check whether the calls were made, and what the last import read (`callqa sources`)."
  /// Replaces the text of empty tables and plots that would otherwise say there were no problems.
  static let placeholder = "No call, so there is nothing to show."

  /// Nil if a call ran, or if one is stored but not judged yet.
  init?(_ comparison: Comparison) {
    let run = comparison.candidate
    guard run.ran == 0, run.unfinished.isEmpty else { return nil }
    let when = Self.phrase(run.run)
    let (missing, excluded) = (
      run.missing.values.reduce(0, +), run.excluded.values.reduce(0, +)
    )
    let before = Self.before(comparison.baseline)
    line =
      "NO CALLS \(when)" + (missing > 0 ? ", \(missing) expected" : "") + (before.map { ": \($0)" } ?? "")
    let known =
      missing > 0
      ? "None of the \(ValueText.count(missing, "call")) expected \(when) came"
        + (excluded > 0 ? ", and \(Plural.of(excluded, "more was", "more were")) put aside" : "")
      : run.unjudgeable > 0
        ? "No call counts \(when): \(run.unjudgeable) came and cannot be judged"
        : excluded > 0
          ? "No call counts \(when): \(excluded) came and were put aside" : "No call arrived \(when)"
    sentence = known + (before.map { "; \($0)" } ?? "") + "."
  }

  /// `in 2026-11-21`; `since 2030-01-01` is left unchanged, because a time range already starts with its own
  /// preposition.
  private static func phrase(_ run: String) -> String {
    run.hasPrefix("since ") || run.hasPrefix("until ") ? run : "in \(run)"
  }

  /// `2026-11-20 had 249`; nil if there is no baseline or it has no call.
  private static func before(_ baseline: RunFigures?) -> String? {
    guard let baseline, baseline.ran > 0 else { return nil }
    let names = Set(baseline.runs.values).sorted().joined(separator: ", ")
    return "\(names) had \(ValueText.count(baseline.ran, "call"))"
  }
}
