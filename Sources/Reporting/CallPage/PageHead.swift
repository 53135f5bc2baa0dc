import CallModel

/// The answer: who, when, how it ended, and what happened in words.
struct PageHead {
  private let account: CallAccount
  private let zone: Zone

  init(_ account: CallAccount, _ zone: Zone) { (self.account, self.zone) = (account, zone) }

  func write(to html: inout HTML) {
    let call = account.call
    html.element("header", ["class": "verdict \(tone)"]) { header in
      header.element("p", ["class": "title"], "Call " + VisibleText.cut(call.id, to: 200))
      let sentences = Narrative(account).sentences
      header.element("h1") { title in
        title.element("span", ["class": "mark", "aria-hidden": "true"], mark)
        title.text(sentences.first ?? "")
      }
      header.element("div", ["class": "sentences"]) { box in
        for sentence in sentences.dropFirst() { box.element("p", sentence) }
      }
      header.element("dl") { list in
        for (name, value) in facts {
          list.element("div") { pair in
            pair.element("dt", name)
            pair.element("dd", VisibleText.cut(value, to: 160))
          }
        }
      }
    }
  }

  /// Colour and mark say the same, for readers without the one or the other.
  private var tone: String {
    switch account.call.outcome {
    case .failed, .dropped, .missing: return "fail"
    case .unknown: return "plain"
    default: break
    }
    guard let score = account.ends.compactMap({ $0.score?.mean }).min() else { return "plain" }
    switch QualityBand(score) {
    case .good, .fair: return Narrative(account).wasPoor ? "unsure" : "pass"
    case .mediocre: return "unsure"
    case .poor, .bad: return "fail"
    }
  }

  private var mark: String {
    switch tone {
    case "fail": account.call.outcome == .completed ? "!" : "✕"
    case "pass": "✓"
    case "unsure": "!"
    default: "?"
    }
  }

  private var facts: [(String, String)] {
    let call = account.call
    var facts: [(String, String)] = []
    if let started = call.startedMs, let text = zone.text(started) { facts.append(("Started", text)) }
    if let lasted = call.durationMs { facts.append(("Lasted", Measure.clock(lasted))) }
    let scores = account.ends.compactMap(\.score?.mean)
    if let worst = scores.min() {
      facts.append(
        ("Score", "\(Measure.points(worst)) of 100" + (scores.count > 1 ? " at the worse end" : "")))
    }
    if let mos = call.mos {
      facts.append(("MOS", CellText.fixed(mos, decimals: 2) + (call.mosScale.map { " (\($0))" } ?? "")))
    }
    if let setup = call.setupMs {
      facts.append(("Setup", SetupWords.total(setup, of: account.leadingAttempt)))
    }
    if let sdk = call.sdk { facts.append(("SDK", sdk + (call.sdkVersion.map { " \($0)" } ?? ""))) }
    if let run = call.run { facts.append(("Run", run)) }
    if let scenario = call.scenario { facts.append(("Scenario", scenario)) }
    if let expected = call.expectedOutcome { facts.append(("Expected", expected.rawValue)) }
    if let excluded = call.excluded { facts.append(("Excluded", excluded)) }
    if let known = call.known { facts.append(("Known", known)) }
    if let model = call.model { facts.append(("Model", model)) }
    return facts
  }
}

/// The ends side by side.
struct PageEnds {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  func write(to html: inout HTML) {
    let facts = SideBySide.facts.filter { fact in account.ends.contains { fact.1($0, account) != nil } }
    guard !facts.isEmpty else { return }
    let many = account.ends.count > 3
    html.element("section", ["class": "card ends"]) { card in
      card.element(
        "h2", account.ends.count == 1 ? "The end we know" : account.ends.count == 2 ? "Both ends" : "All ends"
      )
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

/// The setup of each end.
struct PageSetup {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  func write(to html: inout HTML) {
    let attempts = account.ends.flatMap { end in end.attempts.map { (end, $0) } }.filter {
      !$0.1.phases.isEmpty
    }
    guard let first = attempts.first else { return }
    html.element("section", ["class": "card setup"]) { card in
      card.element("h2", "Setup")
      picture(first.0, first.1, &card)
      guard attempts.count > 1 else { return }
      card.element("details") { more in
        more.element("summary", attempts.count == 2 ? "The other end" : "\(attempts.count - 1) more")
        for (end, attempt) in attempts.dropFirst() { picture(end, attempt, &more) }
      }
    }
  }

  private func picture(_ end: EndAccount, _ attempt: SetupAttempt, _ html: inout HTML) {
    html.element("figure") { figure in
      let total = attempt.setupMs.map { ": \(SetupWords.total($0, of: attempt))" } ?? ": total not known"
      let which = end.attempts.count > 1 ? ", attempt \(attempt.attempt), \(attempt.outcome.rawValue)" : ""
      figure.element("figcaption", Measure.sentence("\(EndWords.name(end.name))\(which)\(total)"))
      SetupPicture(attempt).write(to: &figure)
    }
  }
}

/// What the answer rests on, and what it cannot say.
struct PageTrust {
  private let account: CallAccount
  private let zone: Zone

  init(_ account: CallAccount, _ zone: Zone) {
    self.account = account
    self.zone = zone
  }

  func write(to html: inout HTML) {
    html.element("section", ["class": "card trust"]) { card in
      let wire = WireWords(account).sentences
      if !wire.isEmpty {
        card.element("h2", "On the wire")
        card.element("ul") { list in for sentence in wire { list.element("li", sentence) } }
      }
      let differences = DifferenceWords(account, zone: zone).sentences
      if !differences.isEmpty {
        card.element("h2", "Packets against statistics")
        card.element("ul") { list in for sentence in differences { list.element("li", sentence) } }
      }
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
