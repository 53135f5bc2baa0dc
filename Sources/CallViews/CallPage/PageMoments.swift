import Rendering

/// The section on findings and the worst moments, each with a link to its place in the timeline.
struct PageMoments {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  package init(_ account: CallAccount, _ zone: Zone) {
    self.account = account
    self.zone = zone
    zeroMs = account.zeroMs ?? 0
  }

  package func write(to html: inout HTML) {
    let worst = self.worst
    let poor = self.poor
    guard !worst.isEmpty || !poor.isEmpty || !account.findings.isEmpty else { return }
    html.element("div", ["class": "pair"]) { pair in
      if !worst.isEmpty || !poor.isEmpty {
        pair.element("section", ["class": "card"]) { card in
          card.element("h2", "Worst moments")
          card.element("ul", ["class": "moments"]) { list in
            for (end, stretch) in worst {
              list.element("li") { item in
                let words = stretch.isThroughout(end.windows) ? "throughout" : nil
                link(stretch.startMs, stretch.endMs, words, &item)
                item.text(
                  " " + (account.ends.count > 1 ? VisibleText.cut(end.name, to: 40) + ", " : "")
                    + stretch.words(
                      at: end.name, place: ScoreCaveats(account).lossPlace(end),
                      isEstimated: end.isConcealmentEstimated, unsent: ScoreCaveats(account).unsent(to: end)))
              }
            }
            for moments in poor { self.poor(moments, &list) }
          }
        }
      }
      if !account.findings.isEmpty { findings(&pair) }
    }
  }

  /// The worst stretches of all ends, worst first.
  private var worst: [(EndAccount, ImpairedSpan)] {
    var stretches: [(EndAccount, ImpairedSpan)] = []
    for end in account.ends {
      for stretch in ImpairedSpan.worst(end.windows).prefix(6) { stretches.append((end, stretch)) }
    }
    stretches.sort { ($0.1.figures?.mean ?? 0) < ($1.1.figures?.mean ?? 0) }
    return Array(stretches.prefix(8))
  }

  private typealias Poor = (end: EndAccount, what: String, stretches: [ImpairedSpan])

  /// Stretches of poor audio (listening quality, without delay) or video that the worst ones by score hardly include.
  private var poor: [Poor] {
    let shown = worst
    return account.ends.flatMap { end -> [Poor] in
      [
        (end, "sound", ImpairedSpan.poor(end.windows, \.audioLQ)),
        (end, "picture", ImpairedSpan.poor(end.windows, \.video)),
      ].filter { poor in
        !poor.stretches.allSatisfy { stretch in
          shown.contains { other, listed in
            other.name == end.name && listed.startMs <= stretch.startMs && stretch.endMs <= listed.endMs
          }
        }
      }
    }
  }

  private func poor(_ poor: Poor, _ html: inout HTML) {
    let longest = poor.stretches.sorted { ($1.lengthMs, $0.startMs) < ($0.lengthMs, $1.startMs) }.prefix(4)
    let all = poor.stretches.reduce(0) { $0 + $1.lengthMs }
    html.element("li") { item in
      item.text(
        (account.ends.count > 1 ? VisibleText.cut(poor.end.name, to: 40) + ", " : "")
          + "poor \(poor.what) for \(Measure.duration(all))"
          + (poor.stretches.count > longest.count
            ? " in \(poor.stretches.count) places, the longest: " : ": "))
      for (place, stretch) in longest.enumerated() {
        if place > 0 { item.text(", ") }
        link(stretch.startMs, stretch.endMs, nil, &item)
      }
    }
  }

  private func findings(_ html: inout HTML) {
    html.element("section", ["class": "card"]) { card in
      card.element("h2", "Findings")
      card.element("ul", ["class": "moments"]) { list in
        for repeated in RepeatedFindings.of(account.findings) {
          let entry = repeated.example
          list.element("li", ["class": entry.finding.severity.rawValue]) { item in
            item.element(
              "span", ["class": "badge \(entry.finding.severity.rawValue)"], entry.finding.severity.rawValue)
            item.text(" ")
            item.element("strong", entry.finding.code)
            if let end = entry.end { item.text(" (\(VisibleText.cut(end, to: 40)))") }
            if let words = repeated.words { item.text(" " + words + ", the longest:") }
            for (place, entry) in repeated.longest(4).enumerated() {
              guard let from = entry.finding.startMs else { continue }
              item.text(place == 0 ? " " : ", ")
              link(from, entry.finding.endMs ?? from, nil, &item)
            }
            item.element("p", VisibleText.cut(entry.finding.text, to: 600))
          }
        }
      }
    }
  }

  /// A link to a time, labelled with its clock time unless words are given.
  private func link(_ fromMs: Double, _ toMs: Double, _ words: String?, _ html: inout HTML) {
    let (from, to) = ((fromMs - zeroMs) / 1000, (toMs - zeroMs) / 1000)
    let margin = max(5, (to - from) * 0.5)
    func text(_ value: Double) -> String { CellText.fixed(value, decimals: 2) }
    let hash = "#t=\(text(from))&z=\(text(max(0, from - margin)))-\(text(to + margin))"
    let clock = "\(zone.clockText(fromMs) ?? "?")" + (toMs > fromMs ? "–\(zone.clockText(toMs) ?? "?")" : "")
    html.element("a", ["href": hash], words ?? clock)
  }
}
