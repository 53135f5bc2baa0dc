import CallModel
import Rendering

/// Two rows per end, one from statistics and one from packets, over the windows that both have: a score and points that
/// add up to 100, to show where the two differ.
struct DifferenceTable {
  package struct Row: Equatable {
    package var end: String
    package var by: String
    /// The score, then the points lost by cause.
    package var cells: [String]
  }

  package let columns: [String]
  package let rows: [Row]

  package init(_ account: CallAccount, zone: Zone) {
    let words = DifferenceWords(account, zone: zone)
    let points = account.ends.flatMap { end -> [(name: String, by: String, points: PointRounding)] in
      let pairs = words.pairs(of: end, clockMs: words.clockMs(end) ?? 0)
      guard let stats = Self.mean(pairs.map(\.stats)), let capture = Self.mean(pairs.map(\.capture)) else {
        return []
      }
      return [(end.name, "statistics", stats), ("", "packets", capture)]
    }
    let causes = Cause.allCases.filter { cause in points.contains { ($0.points.lost[cause] ?? 0) > 0 } }
    columns = ["score"] + causes.map(\.rawValue)
    rows = points.map { row in
      let lost = causes.map { row.points.lost[$0].map { $0 == 0 ? "·" : "-\($0)" } ?? "·" }
      return Row(end: VisibleText.visible(row.name), by: row.by, cells: ["\(row.points.score)"] + lost)
    }
  }

  /// The table as lines for a terminal, with the short headings of `callqa score`.
  package func lines(width: Int) -> [String] {
    guard !rows.isEmpty else { return [] }
    let heads = columns.map { Cause(rawValue: $0)?.heading ?? $0 }
    let widths = heads.indices.map { place in
      max(VisibleText.width(heads[place]), rows.map { VisibleText.width($0.cells[place]) }.max() ?? 0)
    }
    let by = 10
    let figures = widths.reduce(0, +)
    let gap = by + figures + 2 * (widths.count + 1) + 10 <= width ? 2 : 1
    let room = width - by - figures - gap * (widths.count + 1)
    let name = max(4, min(20, room, rows.map { VisibleText.width($0.end) }.max() ?? 0))
    func line(_ head: String, _ source: String, _ cells: [String]) -> String {
      ([VisibleText.fit(head, to: name), VisibleText.fit(source, to: by)]
        + zip(widths, cells).map { VisibleText.fit($1, to: $0, rightAligned: true) })
        .joined(separator: String(repeating: " ", count: gap))
    }
    return [line("", "", heads)] + rows.map { line($0.end, $0.by, $0.cells) }
  }

  package func write(to html: inout HTML) {
    guard !rows.isEmpty else { return }
    html.scrollBox("Packets against statistics") { box in
      box.table(["end", "by"] + columns, isNumber: (2...).contains) { body in
        for one in rows {
          body.row([VisibleText.cut(one.end, to: 40), one.by] + one.cells, isNumber: (2...).contains)
        }
      }
    }
  }

  /// Means over windows as integers that add up to 100.
  private static func mean(_ windows: [Window]) -> PointRounding? {
    let scored = windows.filter { $0.score != nil && $0.pointsLost != nil }
    guard !scored.isEmpty else { return nil }
    var lost: ByCause<Double> = [:]
    for cause in Cause.allCases {
      lost[cause] =
        Double(scored.reduce(0) { $0 + ($1.pointsLost?[cause] ?? 0) }) / Double(scored.count)
    }
    return PointRounding(score: DoublyScoredWindow.mean(scored), lost: lost)
  }
}

extension Cause {
  /// The heading of its column, as in `callqa score`.
  var heading: String {
    switch self {
    case .framerate: "fps"
    case .resolution: "px"
    case .bitrate: "rate"
    case .silence: "quiet"
    case .playout: "play"
    default: rawValue
    }
  }
}

extension EndDifference.Row {
  /// `freeze +44, loss -37, others +1`.
  func words(_ name: (Cause) -> String) -> String {
    causes.map { part in
      let name = part.cause.map(name) ?? (causes.count == 1 ? "every cause a little" : "others")
      return "\(name) \(part.points < 0 ? "" : "+")\(part.points)"
    }.joined(separator: ", ")
  }
}

extension EndDifference {
  private static let columns = ["at", "statistics", "packets", "difference by cause"]

  /// The stretches as lines for a terminal, one each unless they have many causes.
  package func lines(width: Int) -> [String] {
    guard !rows.isEmpty else { return [] }
    let at = rows.map { VisibleText.width($0.at) }.max() ?? 0
    func line(_ at: String, _ stats: String, _ packets: String) -> String {
      "\(at)  \(VisibleText.fit(stats, to: 10, rightAligned: true))  \(VisibleText.fit(packets, to: 7, rightAligned: true))  "
    }
    let head =
      line(VisibleText.fit(Self.columns[0], to: at), Self.columns[1], Self.columns[2]) + Self.columns[3]
    return [head]
      + rows.flatMap { row in
        let start = line(VisibleText.fit(row.at, to: at), "\(row.stats)", "\(row.packets)")
        let indent = VisibleText.width(start)
        let causes = VisibleText.wrap(row.words(\.heading), to: max(20, width - indent))
        return causes.enumerated().map { ($0 == 0 ? start : String(repeating: " ", count: indent)) + $1 }
      } + (more > 0 ? ["and \(Plural.of(more, "more stretch", "more stretches"))"] : [])
  }

  package func write(to html: inout HTML) {
    html.element("h3", end)
    html.scrollBox("Differences, \(end)") { box in
      box.table(Self.columns, isNumber: (1...2).contains) { body in
        for one in rows {
          body.row(
            [one.at, "\(one.stats)", "\(one.packets)", one.words(\.rawValue)], isNumber: (1...2).contains)
        }
      }
    }
    if more > 0 {
      html.element("p", ["class": "note"], "And \(Plural.of(more, "more stretch", "more stretches")).")
    }
    html.element("ul") { list in
      for reason in reasons { list.element("li", "\(reason.cause.rawValue): \(reason.text)") }
    }
  }
}
