import CallModel

/// Findings and the worst moments, each with a link to its place in the timeline.
struct PageMoments {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  init(_ account: CallAccount, _ zone: Zone) {
    self.account = account
    self.zone = zone
    zeroMs = account.zeroMs ?? 0
  }

  func write(to html: inout HTML) {
    let worst = self.worst
    guard !worst.isEmpty || !account.findings.isEmpty else { return }
    html.element("div", ["class": "pair"]) { pair in
      if !worst.isEmpty {
        pair.element("section", ["class": "card"]) { card in
          card.element("h2", "Worst moments")
          card.element("ul", ["class": "moments"]) { list in
            for (end, stretch) in worst {
              list.element("li") { item in
                let words = stretch.isThroughout(end.windows) ? "throughout" : nil
                link(stretch.startMs, stretch.endMs, words, &item)
                item.text(
                  " " + (account.ends.count > 1 ? VisibleText.cut(end.name, to: 40) + ", " : "")
                    + stretch.words(at: end.name, captureMissed: ScoreCaveats(account).captureMissed(end)))
              }
            }
          }
        }
      }
      if !account.findings.isEmpty { findings(&pair) }
    }
  }

  /// The worst stretches of all ends, the worst first.
  private var worst: [(EndAccount, Stretch)] {
    var stretches: [(EndAccount, Stretch)] = []
    for end in account.ends {
      for stretch in Stretch.worst(end.windows).prefix(6) { stretches.append((end, stretch)) }
    }
    stretches.sort { ($0.1.figures?.mean ?? 0) < ($1.1.figures?.mean ?? 0) }
    return Array(stretches.prefix(8))
  }

  private func findings(_ html: inout HTML) {
    html.element("section", ["class": "card"]) { card in
      card.element("h2", "Findings")
      card.element("ul", ["class": "moments"]) { list in
        for entry in account.findings {
          list.element("li", ["class": entry.finding.severity.rawValue]) { item in
            item.element(
              "span", ["class": "badge \(entry.finding.severity.rawValue)"], entry.finding.severity.rawValue)
            item.text(" ")
            item.element("strong", entry.finding.code)
            if let end = entry.end { item.text(" (\(VisibleText.cut(end, to: 40)))") }
            if let from = entry.finding.startMs {
              item.text(" ")
              link(from, entry.finding.endMs ?? from, nil, &item)
            }
            item.element("p", VisibleText.cut(entry.finding.text, to: 600))
          }
        }
      }
    }
  }

  /// A link to a time, by its clock unless there are words for it.
  private func link(_ fromMs: Double, _ toMs: Double, _ words: String?, _ html: inout HTML) {
    let (from, to) = ((fromMs - zeroMs) / 1000, (toMs - zeroMs) / 1000)
    let margin = max(5, (to - from) * 0.5)
    func text(_ value: Double) -> String { CellText.fixed(value, decimals: 2) }
    let hash = "#t=\(text(from))&z=\(text(max(0, from - margin)))-\(text(to + margin))"
    let clock = "\(zone.clockText(fromMs) ?? "?")" + (toMs > fromMs ? "–\(zone.clockText(toMs) ?? "?")" : "")
    html.element("a", ["href": hash], words ?? clock)
  }
}
