import CallModel

/// A setup attempt in words.
enum SetupWords {
  /// `637 ms`; where the log does not tell what came before the offer, `at least 96 ms, from the offer on`.
  static func total(_ milliseconds: Double, of attempt: SetupAttempt?) -> String {
    let time = Measure.duration(milliseconds)
    return attempt?.isFromOfferOn ?? false ? "at least \(time), from the offer on" : time
  }

  /// What the attempt is: `Setup of the caller`, or with several `ICE restart of the caller, attempt 2 (completed)`.
  static func title(_ attempt: SetupAttempt, of end: EndAccount) -> String {
    let what = attempt.isRestart ? "ICE restart" : "Setup"
    let which = end.attempts.count > 1 ? ", attempt \(attempt.attempt) (\(attempt.outcome.rawValue))" : ""
    return "\(what) of \(EndWords.name(end.name))\(which)"
  }

  /// How a call that had stood came back.
  static func recovery(_ restart: SetupAttempt) -> String {
    guard let lasted = restart.setupWallMs else {
      return "The connection was lost; an ICE restart did not bring it back."
    }
    return "The connection was lost; an ICE restart brought it back in \(Measure.duration(lasted))."
  }

  /// What lies under a chart: what was over before, what did not happen, what is not known.
  static func rest(_ attempt: SetupAttempt, _ chart: SetupChart) -> [String] {
    let before = chart.before.map { "\($0.name.rawValue) \(Measure.duration($0.durationMs ?? 0))" }
    let lists =
      [("before that", before)]
      + [(PhaseState.absent, "did not happen"), (.unknown, "not known")].map { state, words in
        (words, attempt.phases.filter { $0.state == state }.map(\.name.rawValue))
      }
    return lists.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
  }

  /// Above what came after the connection.
  static let later = "until it could be heard and seen"
  static let person = "a person's time, not in the total"
}
