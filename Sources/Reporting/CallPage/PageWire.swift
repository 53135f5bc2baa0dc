/// What captures add to the statistics: where packets were lost, and what the score from packets alone would be.
struct PageWire {
  private let account: CallAccount
  private let zone: Zone

  init(_ account: CallAccount, _ zone: Zone) { (self.account, self.zone) = (account, zone) }

  func write(to html: inout HTML) {
    let parts = [
      ("On the wire", WireWords(account).sentences),
      ("Packets against statistics", DifferenceWords(account, zone: zone).sentences),
    ].filter { !$0.1.isEmpty }
    guard !parts.isEmpty else { return }
    html.element("section", ["class": "card wire", "id": "wire"]) { card in
      for (title, sentences) in parts {
        card.element("h2", title)
        card.element("ul") { list in for sentence in sentences { list.element("li", sentence) } }
      }
    }
  }
}
