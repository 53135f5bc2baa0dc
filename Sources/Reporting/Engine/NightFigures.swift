import CallModel
import Rendering

/// Key figures of a night, for the index of nights; nil means unknown.
struct NightFigures: Sendable, Equatable {
  var calls: Double?
  /// Mean score of the calls that have one, 0–100.
  var score: Double?
  /// Share of poor calls among those that were scored or are poor, 0–1.
  var poorShare: Double?
  /// Number of calls that failed, dropped or were silent, contrary to what was expected.
  var broken: Double?

  init(_ run: RunFigures) {
    let all = run.allCalls
    guard run.ran > 0 else { return }
    calls = Double(run.ran)
    score = all.compactMap(\.score).mean
    poorShare = all.compactMap { Figure.poorShare.value(of: $0) }.mean
    broken = Double(all.count { $0.isBroken })
  }

  /// Reads the members of a report's manifest.
  init(_ members: [String: String]) {
    func number(_ name: String) -> Double? {
      members[name].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }
    (calls, score) = (number("calls_ran"), number("score_mean"))
    (poorShare, broken) = (number("poor_share"), number("broken_calls"))
  }

  /// Names and values of the members in a report's manifest.
  var members: [(String, Double?)] {
    [("calls_ran", calls), ("score_mean", score), ("poor_share", poorShare), ("broken_calls", broken)]
  }

  /// A heading, how a value is formatted, and the value.
  static let columns:
    [(heading: String, text: @Sendable (Double) -> String, value: @Sendable (Self) -> Double?)] = [
      ("Score", { ValueText.fixed($0, 1) }, { $0.score }),
      ("Poor calls", { ValueText.percent($0) }, { $0.poorShare }),
      ("Broken", { ValueText.grouped($0) }, { $0.broken }),
    ]
}

extension Nights {
  /// A table of the nights, and a sparkline of each figure.
  static func table(_ nights: ArraySlice<Night>, into main: inout HTML) {
    if nights.count > 1 { history(nights, into: &main) }
    main.element("section", ["class": "table"]) { section in
      section.scrollBox("Nights") {
        let figures = ["Calls run"] + NightFigures.columns.map(\.heading)
        $0.table(
          ["Night"] + figures + ["What it says"], ["class": "nights", "aria-label": "Nights"],
          isNumber: (1...figures.count).contains
        ) { body in for night in nights { line(night, &body) } }
      }
    }
  }

  /// One sparkline per figure, oldest night first.
  private static func history(_ nights: ArraySlice<Night>, into main: inout HTML) {
    let ordered = nights.reversed().map(\.figures)
    let shown = NightFigures.columns.filter { column in ordered.count { column.value($0) != nil } > 1 }
    guard !shown.isEmpty else { return }
    main.element("dl", ["class": "history"]) { list in
      for column in shown {
        let values = ordered.map(column.value)
        let known = values.compactMap { $0 }
        list.element("div") { pair in
          pair.element("dt", "\(column.heading), the last \(Plural.of(values.count, "night"))")
          pair.element("dd") { line in
            let (low, high) = (known.min() ?? 0, known.max() ?? 1)
            // The scale spans at least a fifth of the highest value, so that noise does not look like a change.
            let room = max(0, 0.2 * abs(high) - (high - low)) / 2
            InlineCharts.spark(
              values, within: (low - room)...(high + room), of: "nights, the oldest first", text: column.text,
              into: &line)
            if let last = values.last ?? nil { line.text(" \(column.text(last))") }
          }
        }
      }
    }
  }

  private static func line(_ night: Night, _ body: inout HTML) {
    body.element("tr", ["class": night.tone]) { row in
      row.element("td") { cell in
        cell.element("a", ["href": Escape.path("\(place(night))index.html")], night.name)
      }
      row.element(
        "td", ["class": "n"], night.figures.calls.map { ValueText.grouped($0) } ?? ValueText.unknown)
      for column in NightFigures.columns {
        row.element(
          "td", ["class": "n", "data-label": column.heading],
          column.value(night.figures).map(column.text) ?? ValueText.unknown)
      }
      row.element("td", night.headline)
    }
  }
}
