import CallModel

/// What a good score does not tell: sound that never came, or was not to be heard, and loss that nobody counted.
struct ScoreCaveats {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  private var errors: [AccountFinding] {
    account.findings.filter {
      $0.finding.severity == .error && ["one-way-audio", "no-media"].contains($0.finding.code)
    }
  }

  /// Whether sound failed at an end, which no score of what came can make good.
  func isWithoutSound(_ end: EndAccount) -> Bool { errors.contains { $0.end == end.name } }

  /// What went wrong with sound, at which end.
  var trouble: [String] {
    var seen: Set<String> = []
    return errors.map { error in
      let text = VisibleText.visible(error.finding.text)
      guard account.ends.count > 1, let end = error.end else { return text }
      return "At \(EndWords.name(end)): \(text)"
    }.filter { seen.insert($0).inserted }.prefix(3).map(\.self)
  }

  /// What the score of an end leaves out; nil where it may be taken as it is.
  func sentence(_ end: EndAccount) -> String? {
    guard let score = end.score else { return nil }
    let name = EndWords.name(end.name)
    if isWithoutSound(end), score.isGood {
      return "The score of \(name), \(Measure.points(score.mean)), tells only of the packets that came."
    }
    let heard = end.ownStreams.filter {
      $0.direction == .inbound && $0.kind == .audio && ($0.number("packets") ?? 0) > 0
    }
    let isUncounted = heard.allSatisfy { $0.number("lost") == nil && $0.number("concealed_share") == nil }
    return heard.isEmpty || !isUncounted
      ? nil : "Loss of sound at \(name) is not reported: the score does not know of it."
  }
}
