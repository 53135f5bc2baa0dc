import Rendering

/// The head of the page: who, when, how the call ended, and a summary in words.
struct PageHead {
  private let account: CallAccount
  private let zone: Zone

  /// Whether the page has the call as Markdown.
  private let hasMarkdown: Bool

  package init(_ account: CallAccount, _ zone: Zone, hasMarkdown: Bool = false) {
    (self.account, self.zone, self.hasMarkdown) = (account, zone, hasMarkdown)
  }

  package func write(to html: inout HTML) {
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
      if hasMarkdown {
        header.element(
          "button", ["type": "button", "id": "copy-markdown", "hidden": ""], "Copy as Markdown")
      }
    }
  }

  /// CSS class of the colour. A mark repeats its meaning for readers who do not see colours.
  private var tone: String {
    if account.call.outcome == .missing { return "fail" }
    return VerdictWords(account).word?.tone ?? "plain"
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
      let end = account.ends.count > 1 ? " at the worse end" : ""
      facts.append(("MOS", Measure.opinion(mos, scale: call.mosScale) + end))
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
