import CallModel

/// The setup of each end.
struct PageSetup {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  func write(to html: inout HTML) {
    let attempts = account.ends.flatMap { end in end.attempts.map { (end, $0) } }.filter {
      !$0.1.phases.isEmpty
    }
    // Ends of which no phase is known are told together.
    let drawn = attempts.filter { $0.1.phases.contains { $0.state == .measured } }
    let silent = attempts.filter { !$0.1.phases.contains { $0.state == .measured } }
    let shown = silent.count > 2 ? drawn + silent.prefix(1) : attempts
    let left = attempts.count - shown.count
    guard let first = shown.first else { return }
    html.element("section", ["class": "card setup"]) { card in
      card.element("h2", "Setup")
      picture(first.0, first.1, &card)
      if left > 0, drawn.isEmpty { others(left, &card) }
      guard shown.count > 1 else { return }
      card.element("details") { more in
        more.element(
          "summary", shown.count == 2 && left == 0 ? "The other end" : "\(attempts.count - 1) more")
        for (end, attempt) in shown.dropFirst() { picture(end, attempt, &more) }
        if left > 0, !drawn.isEmpty { others(left, &more) }
      }
    }
  }

  private func others(_ count: Int, _ html: inout HTML) {
    html.element(
      "p", ["class": "note"],
      "Of \(count) other \(count == 1 ? "attempt" : "attempts") no phase is known either; `callqa setup` lists them."
    )
  }

  private func picture(_ end: EndAccount, _ attempt: SetupAttempt, _ html: inout HTML) {
    html.element("figure") { figure in
      let total = attempt.setupMs.map { ": \(SetupWords.total($0, of: attempt))" } ?? ": total not known"
      let restart = attempt.isRestart ? ", an ICE restart" : ""
      let which =
        end.attempts.count > 1 ? ", attempt \(attempt.attempt)\(restart), \(attempt.outcome.rawValue)" : ""
      figure.element("figcaption", Measure.sentence("\(EndWords.name(end.name))\(which)\(total)"))
      SetupPicture(attempt).write(to: &figure)
    }
  }
}
