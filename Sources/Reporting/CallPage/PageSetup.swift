import CallModel

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
      let restart = attempt.isRestart ? ", an ICE restart" : ""
      let which =
        end.attempts.count > 1 ? ", attempt \(attempt.attempt)\(restart), \(attempt.outcome.rawValue)" : ""
      figure.element("figcaption", Measure.sentence("\(EndWords.name(end.name))\(which)\(total)"))
      SetupPicture(attempt).write(to: &figure)
    }
  }
}
