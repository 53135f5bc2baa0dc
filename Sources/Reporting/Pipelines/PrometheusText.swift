import CallModel
import Rendering

/// A run's figures for node_exporter's textfile collector.
public struct PrometheusText {
  private var text = ""

  /// The text exposition format: one metric family per figure with a sample per SDK.
  public static func document(_ judgement: NightJudgement, finishedMs: Double?) -> String {
    var writer = PrometheusText()
    let run = judgement.comparison.candidate
    let sdks = judgement.comparison.sdks
    func each(_ value: (String) -> Double?) -> [(String, Double?)] {
      sdks.map { ("sdk=\"\(escaped($0))\"", value($0)) }
    }
    writer.family(
      "callqa_calls", "Calls that ran and count.", each { Comparison.value(.calls, run, sdk: $0) })
    writer.family(
      "callqa_missing_calls", "Calls that were expected and never came.",
      each { Comparison.value(.missing, run, sdk: $0) })
    writer.family(
      "callqa_unfinished_calls", "Calls that are stored and not judged: their import was interrupted.",
      sdks.map { ("sdk=\"\(escaped($0))\"", Double(run.unfinished[$0] ?? 0)) })
    writer.family(
      "callqa_excluded_calls", "Calls that were put aside.",
      each { Comparison.value(.excluded, run, sdk: $0) })
    writer.family(
      "callqa_broken_ratio", "Share of calls that ended otherwise than expected.",
      each { Comparison.value(.brokenShare, run, sdk: $0) })
    writer.family(
      "callqa_poor_ratio", "Share of scored calls that were poor.",
      each { Comparison.value(.poorShare, run, sdk: $0) })
    for word in Figure.words {
      let name = word.rawValue.replacing("-", with: "_")
      writer.family(
        "callqa_\(name)_ratio",
        "Share of calls that are \(word.rawValue), \(Figure.verdictShare(word).denominator ?? "").",
        each { Comparison.value(.verdictShare(word), run, sdk: $0) })
    }
    func counts<Word: RawRepresentable & CaseIterable & Equatable>(
      _ label: String, _ word: KeyPath<ComparedCall, Word?>
    ) -> [(String, Double?)] where Word.RawValue == String {
      sdks.flatMap { sdk in
        Word.allCases.compactMap { one in
          let number = (run.calls[sdk] ?? []).count { $0[keyPath: word] == one }
          return number == 0
            ? nil : ("sdk=\"\(escaped(sdk))\",\(label)=\"\(one.rawValue)\"", Double(number))
        }
      }
    }
    writer.family(
      "callqa_verdict_calls", "Calls that ran and count, by what each was like.",
      counts("verdict", \.verdict))
    writer.family(
      "callqa_place_calls", "Calls that ran and count and had a fault, by where it was.",
      counts("place", \.place))
    writer.family(
      "callqa_score", "Score of the calls by percentile, 0 to 100.",
      [10, 50].flatMap { percent in
        quantiles(sdks, percent) { Comparison.value(.scorePercentile(percent), run, sdk: $0) }
      })
    writer.family(
      "callqa_setup_seconds", "Setup time by percentile.",
      [50, 90].flatMap { percent in
        quantiles(sdks, percent) {
          Comparison.value(.setupPercentile(percent), run, sdk: $0).map { $0 / 1000 }
        }
      })
    writer.family(
      "callqa_score_change", "Change of the mean score against the baseline, in points.",
      each { judgement.changes[$0]?.estimate })
    writer.family(
      "callqa_gate", "Verdict of each gate: 0 pass, 1 undecided, 2 fail.",
      judgement.results.map { result in
        let verdict = GateResult.Verdict.allCases.firstIndex(of: result.verdict).map { Double($0) }
        return ("sdk=\"\(escaped(result.sdk))\",gate=\"\(escaped(result.gate.text))\"", verdict)
      })
    writer.family(
      "callqa_run_info", "The run that these figures are of.", [("run=\"\(escaped(run.run))\"", 1)])
    writer.family(
      "callqa_last_call_timestamp_seconds", "Start of the run's last call.",
      [("", finishedMs.map { $0 / 1000 })])
    return writer.text
  }

  private static func quantiles(_ sdks: [String], _ percent: Int, _ value: (String) -> Double?) -> [(
    String, Double?
  )] {
    sdks.map {
      (
        "sdk=\"\(escaped($0))\",quantile=\"\(ValueText.fixed(Double(percent) / 100, percent % 10 == 0 ? 1 : 2))\"",
        value($0)
      )
    }
  }

  /// A metric family. Unknown values are left out, because zero would be wrong.
  private mutating func family(_ name: String, _ help: String, _ samples: [(String, Double?)]) {
    let known = samples.compactMap { labels, value in value.map { (labels, $0) } }
    guard !known.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
    for (labels, value) in known {
      text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(CellText.shortest(value))\n"
    }
  }

  private static func escaped(_ label: String) -> String {
    label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
