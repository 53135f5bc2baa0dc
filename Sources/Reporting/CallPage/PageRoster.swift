import CallModel

/// Who was in a conference, from when to when.
struct PageRoster {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  init(_ account: CallAccount, _ zone: Zone, zeroMs: Double) {
    (self.account, self.zone, self.zeroMs) = (account, zone, zeroMs)
  }

  private static let columns = [
    "participant", "role", "by", "joined", "left", "spoke", "presented", "video lost",
  ]

  func write(to html: inout HTML) {
    let roster = Roster(account).people
    guard !roster.isEmpty else { return }
    html.element("section", ["class": "card", "id": "roster"]) { card in
      card.element("h2", "Who was there")
      card.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Participants"]
      ) { box in
        box.element("table") { table in
          table.element("thead") { head in
            head.element("tr") { row in
              for (place, name) in Self.columns.enumerated() {
                row.element("th", ["scope": "col", "class": place > 2 ? "n" : nil], name)
              }
            }
          }
          table.element("tbody") { body in
            for person in roster.prefix(500) {
              body.element("tr") { row in
                row.element("td", VisibleText.cut(person.name, to: 80))
                row.element("td", VisibleText.cut(person.role ?? CellText.unknown, to: 40))
                row.element("td", VisibleText.cut(person.way ?? CellText.unknown, to: 40))
                row.element("td", ["class": "n"], person.joinedMs.map(clock) ?? "before")
                row.element("td", ["class": "n"], person.leftMs.map(clock) ?? "stayed")
                row.element("td", ["class": "n"], person.spokeMs > 0 ? Measure.duration(person.spokeMs) : "")
                row.element(
                  "td", ["class": "n"], person.presentedMs > 0 ? Measure.duration(person.presentedMs) : "")
                row.element(
                  "td", ["class": "n"],
                  person.dropouts > 0 ? person.dropouts == 1 ? "once" : "\(person.dropouts) times" : "")
              }
            }
          }
        }
      }
    }
  }

  private func clock(_ timeMs: Double) -> String { zone.clockText(timeMs) ?? CellText.unknown }
}
