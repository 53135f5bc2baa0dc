import CallModel

/// What the answer rests on, and what it cannot say.
struct PageTrust {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  func write(to html: inout HTML) {
    html.element("section", ["class": "card trust"]) { card in
      let unknown = Unknowns(account).sentences
      card.element("h2", "Not known")
      if unknown.isEmpty {
        card.element("p", ["class": "note"], "Nothing that matters is missing.")
      } else {
        card.element("ul") { list in for sentence in unknown { list.element("li", sentence) } }
      }
      card.element("h2", "Sources")
      card.element("ul", ["class": "sources"]) { list in
        for source in account.sources {
          list.element("li") { item in
            item.element(
              "span", ["class": "file", "title": VisibleText.cut(source.path, to: 300)],
              VisibleText.cut(source.name, to: 80))
            item.element("span", ["class": "note"], " " + SourceWords.facts(source))
            guard !source.notes.isEmpty else { return }
            item.element("details", ["class": "note"]) { more in
              more.element("summary", source.notes.count == 1 ? "1 note" : "\(source.notes.count) notes")
              for note in source.notes {
                more.element("p", ["class": "note"], VisibleText.cut(note, to: 400))
              }
            }
          }
        }
      }
    }
  }
}
