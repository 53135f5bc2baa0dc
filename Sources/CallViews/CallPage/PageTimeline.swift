import Rendering

/// The container in which the script draws the lanes, with its controls.
struct PageTimeline {
  let hasLanes: Bool
  /// Length of the timeline, s.
  let spanS: Double

  package func write(to html: inout HTML) {
    guard hasLanes else { return }
    html.element("section", ["class": "card timeline", "id": "timeline", "aria-label": "Timeline"]) { card in
      card.element("div", ["class": "bar"]) { bar in
        bar.element("h2", "Timeline")
        bar.element("div", ["class": "buttons", "role": "toolbar", "aria-label": "Timeline"]) { tools in
          for (id, label, sign) in Self.buttons {
            tools.element("button", ["type": "button", "id": id, "title": label, "aria-label": label], sign)
          }
        }
        bar.element("label", ["class": "member", "hidden": "", "id": "member-label"]) { label in
          label.text("Draw ")
          label.element("select", ["id": "member"]) {
            $0.element("option", ["value": ""], "any other figure…")
          }
        }
        bar.element("output", ["id": "moment", "class": "moment"], "")
      }
      card.element("noscript") {
        $0.element("p", "The lanes are drawn by a script; everything else on this page works without.")
      }
      card.element(
        "div",
        [
          "id": "lanes", "class": "lanes", "tabindex": "0", "role": "slider",
          "aria-label": "Moment of the call",
          "aria-valuemin": "0", "aria-valuemax": CellText.fixed(spanS, decimals: 2), "aria-valuenow": "0",
          "aria-valuetext": "no moment chosen",
          "aria-describedby": "moment",
        ]
      ) { _ in }
      card.element("div", ["id": "legend", "class": "legend"]) { _ in }
      card.element(
        "p", ["class": "note keys"],
        "Drag to zoom, double-click for the whole call, point or use ← → for values, + − to zoom, n for the next bad moment, ? for all keys."
      )
    }
    html.element("dialog", ["id": "help", "aria-label": "Keys"]) { dialog in
      dialog.element("h2", "Keys")
      dialog.element("dl", ["class": "help"]) { list in
        for (key, meaning) in Self.keys {
          list.element("div") { pair in
            pair.element("dt") { $0.element("kbd", key) }
            pair.element("dd", meaning)
          }
        }
      }
      dialog.element("form", ["method": "dialog"]) { $0.element("button", "Close") }
    }
  }

  private static let buttons: [(id: String, name: String, sign: String)] = [
    ("zoom-in", "Zoom in", "+"), ("zoom-out", "Zoom out", "−"), ("earlier", "Earlier", "←"),
    ("later", "Later", "→"),
    ("all", "Whole call", "All"), ("previous-bad", "Previous bad moment", "‹ bad"),
    ("next-bad", "Next bad moment", "bad ›"),
    ("csv", "Download what is shown as CSV", "CSV"), ("keys", "Keys", "?"),
  ]

  private static let keys = [
    ("← →", "move the cursor; with Shift ten times as far"), ("+ −", "zoom in and out around the cursor"),
    ("[ ]", "pan earlier and later"), ("0", "the whole call"), ("Home End", "first and last moment shown"),
    ("n p", "next and previous bad moment or finding"), ("Esc", "no cursor"), ("?", "this list"),
    ("Ctrl + wheel", "zoom; Shift + drag pans"),
  ]
}

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

  /// Entries that are shown at once; the rest is folded, so that findings stand on the first screen.
  private static let maxOpen = 3

  package func writeWorst(to html: inout HTML) {
    let items: [(inout HTML) -> Void] =
      worst.map { end, stretch in { self.worst(end, stretch, &$0) } }
      + poor.map { moments in { self.poor(moments, &$0) } }
    write(items, "worst", "Worst moments", to: &html)
  }

  package func writeFindings(to html: inout HTML) {
    let items = RepeatedFindings.of(account.findings).map { repeated in
      { (list: inout HTML) in self.finding(repeated, &list) }
    }
    write(items, "findings", "Findings", to: &html)
  }

  private func write(_ items: [(inout HTML) -> Void], _ id: String, _ title: String, to html: inout HTML) {
    guard !items.isEmpty else { return }
    html.element("section", ["class": "card", "id": id]) { card in
      card.element("h2", title)
      card.element("ul", ["class": "moments"]) { list in
        for item in items.prefix(Self.maxOpen) { item(&list) }
      }
      guard items.count > Self.maxOpen else { return }
      card.element("details") { more in
        more.element("summary", "\(items.count - Self.maxOpen) more")
        more.element("ul", ["class": "moments"]) { list in
          for item in items.dropFirst(Self.maxOpen) { item(&list) }
        }
      }
    }
  }

  private func worst(_ end: EndAccount, _ stretch: ImpairedSpan, _ html: inout HTML) {
    html.element("li") { item in
      let words = stretch.isThroughout(end.windows) ? "throughout" : nil
      link(stretch.startMs, stretch.endMs, words, &item)
      item.text(
        " " + (account.ends.count > 1 ? VisibleText.cut(end.name, to: 40) + ", " : "")
          + stretch.words(
            at: end.name, place: ScoreCaveats(account).lossPlace(end),
            isEstimated: end.isConcealmentEstimated, unsent: ScoreCaveats(account).unsent(to: end)))
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
        (end, "sound", ImpairedSpan.poor(end.windows, \.isPoorSound)),
        (end, "picture", ImpairedSpan.poor(end.windows, \.isPoorPicture)),
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

  private func finding(_ repeated: RepeatedFindings, _ html: inout HTML) {
    let entry = repeated.example
    html.element("li", ["class": entry.finding.severity.rawValue]) { item in
      item.element(
        "span", ["class": "badge \(entry.finding.severity.rawValue)"], entry.finding.severity.rawValue)
      item.text(" ")
      item.element("strong", entry.finding.name)
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

  /// A link to a time, labelled with its clock time unless words are given.
  private func link(_ fromMs: Double, _ toMs: Double, _ words: String?, _ html: inout HTML) {
    let hash = TimelineLink.href(from: (fromMs - zeroMs) / 1000, to: (toMs - zeroMs) / 1000)
    let clock = "\(zone.clockText(fromMs) ?? "?")" + (toMs > fromMs ? "–\(zone.clockText(toMs) ?? "?")" : "")
    html.element("a", ["href": hash], words ?? clock)
  }
}
