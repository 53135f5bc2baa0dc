import CallModel

/// The ends side by side.
struct PageEnds {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  func write(to html: inout HTML) {
    let facts = SideBySide.facts.filter { fact in account.ends.contains { fact.1($0, account) != nil } }
    guard !facts.isEmpty else { return }
    let many = account.ends.count > 3
    html.element("section", ["class": "card ends"]) { card in
      card.element("h2", EndWords.title(ofEnds: account.ends.count))
      card.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Ends of the call"]
      ) { box in
        box.element("table", ["class": many ? "wide" : nil]) { table in
          table.element("thead") { head in
            head.element("tr") { row in
              row.element("td", "")
              for (index, end) in account.ends.enumerated() {
                row.element("th", ["scope": "col"]) { cell in
                  cell.element("span", ["class": "key end\(index % 6)", "aria-hidden": "true"], "")
                  cell.text(VisibleText.cut(end.name, to: 60))
                }
              }
            }
          }
          table.element("tbody") { body in
            for (name, fact) in facts {
              let values = account.ends.map { fact($0, account) }
              body.element("tr") { row in
                row.element("th", ["scope": "row"], name)
                for value in values { row.element("td", value ?? CellText.unknown) }
              }
            }
          }
        }
      }
    }
  }
}
