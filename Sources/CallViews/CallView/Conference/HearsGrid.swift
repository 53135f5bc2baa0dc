import CallModel
import Rendering

/// A stream that an end received, with whose it is.
public struct HeardStream: Sendable {
  /// The end that sent it; nil if unknown.
  public var from: String?
  public var to: String
  public var verdict: Verdict.Value?
  /// 0–100, of its medium alone; nil if it was not scored by itself.
  public var score: Double?

  /// The verdict if it is a bad one, otherwise the score.
  var text: String {
    isBad ? verdict?.rawValue ?? "" : score.map { CellText.fixed($0, decimals: 0) } ?? CellText.unknown
  }

  /// Sorts the worst first, and what is not known last.
  fileprivate var rank: Double { isBad ? -1 : score ?? .infinity }

  private var isBad: Bool { verdict.map { $0.isAlarm || $0 == .notSent } ?? false }
}

extension HeardStream {
  init(_ row: NamedRow) {
    self.init(
      from: row.text("from_end"), to: row.text("to_end") ?? "", verdict: row.word("verdict"),
      score: row.number("score"))
  }
}

/// Who hears whom in a call of three or more ends: a row for each listener and a column for each speaker, the worst first.
struct HearsGrid {
  /// Who listens, and the worst of what they received of each speaker; nil if they received nothing of them.
  package struct Row {
    package var listener: String
    package var cells: [String?]
  }

  package static let title = "Who hears whom"
  package static let legend = "row: who listens; column: who speaks; the worst of their sound and picture"
  private static let unknown = "not known"

  package private(set) var speakers: [String] = []
  package private(set) var rows: [Row] = []

  package init(_ account: CallAccount) {
    // Where nobody's stream is known to be whose, it says no more than the columns of the ends.
    guard account.ends.count > 2, account.hears.contains(where: { $0.from != nil }) else { return }
    let worst = Dictionary(grouping: account.hears) { Way(from: $0.from, to: $0.to) }
      .compactMapValues { $0.min { $0.rank < $1.rank } }
    let from = Self.worstFirst(worst.map { ($0.key.from, $0.value.rank) }) {
      ($0 == nil ? 1 : 0, $0 ?? "") < ($1 == nil ? 1 : 0, $1 ?? "")
    }
    speakers = from.map { $0 ?? Self.unknown }
    rows = Self.worstFirst(worst.map { ($0.key.to, $0.value.rank) }, <).map { listener in
      Row(listener: listener, cells: from.map { worst[Way(from: $0, to: listener)]?.text })
    }
  }

  private struct Way: Hashable {
    var from: String?
    var to: String
  }

  private static func worstFirst<Name: Hashable>(
    _ names: [(Name, rank: Double)], _ isBefore: (Name, Name) -> Bool
  ) -> [Name] {
    let ranks = Dictionary(names.map { ($0.0, $0.rank) }, uniquingKeysWith: min)
    return ranks.sorted { $0.value == $1.value ? isBefore($0.key, $1.key) : $0.value < $1.value }.map(\.key)
  }

  /// The grid as lines for a terminal; speakers for whom there is no room are counted.
  package func lines(width: Int, ink: TerminalStyle) -> [String] {
    guard !rows.isEmpty else { return [] }
    func room(_ names: [String], _ most: Int) -> Int {
      min(most, names.map { VisibleText.width(VisibleText.visible($0)) }.max() ?? 0)
    }
    let label = room(rows.map(\.listener), 20)
    let column = max(room(speakers, 12), room(rows.flatMap { $0.cells.compactMap { $0 } }, 12), 3)
    let shown = max(1, min(speakers.count, (width - label) / (column + 2)))
    func line(_ head: String, _ cells: [String?]) -> String {
      VisibleText.fit(VisibleText.visible(head), to: label)
        + cells.prefix(shown).map {
          "  " + VisibleText.fit(VisibleText.visible($0 ?? ""), to: column, rightAligned: true)
        }.joined()
    }
    let rest = speakers.count - shown
    let more = rest > 0 ? "; and \(Plural.of(rest, "more speaker"))" : ""
    return [ink(.heading, line("", speakers))] + rows.map { line($0.listener, $0.cells) }
      + VisibleText.wrap(Self.legend + more, to: width).map { ink(.faint, $0) }
  }

  /// The grid as a card of the page.
  package func write(to html: inout HTML) {
    guard !rows.isEmpty else { return }
    html.element("section", ["class": "card", "id": "hears"]) { card in
      card.element("h2", Self.title)
      card.scrollBox(Self.title) { box in
        box.element("table") { table in
          table.element("thead") { head in
            head.element("tr") { row in
              row.element("td", "")
              for name in speakers {
                row.element("th", ["scope": "col", "class": "n"], VisibleText.cut(name, to: 40))
              }
            }
          }
          table.element("tbody") { body in
            for one in rows {
              body.element("tr") { row in
                row.element("th", ["scope": "row"], VisibleText.cut(one.listener, to: 40))
                for cell in one.cells { row.element("td", ["class": "n"], cell ?? "") }
              }
            }
          }
        }
      }
      card.element("p", ["class": "note"], Self.legend)
    }
  }
}
