import CallModel

/// A setup attempt in words.
enum SetupWords {
  /// `637 ms`; where the log does not tell what came before the offer, `at least 96 ms, from the offer on`; by a clock of whole
  /// seconds `about 3 s`.
  static func total(_ milliseconds: Double, of attempt: SetupAttempt?) -> String {
    let isRough =
      attempt?.isOfWholeSeconds ?? false && milliseconds.truncatingRemainder(dividingBy: 1000) == 0
    let time = (isRough ? "about " : "") + Measure.duration(milliseconds)
    guard attempt?.isFromOfferOn ?? false else { return time }
    return isRough ? "\(time) or more, from the offer on" : "at least \(time), from the offer on"
  }

  /// What the attempt is: `Setup of the caller`, or with several `ICE restart of the caller, attempt 2 (completed)`.
  static func title(_ attempt: SetupAttempt, of end: EndAccount) -> String {
    let what = attempt.isRestart ? "ICE restart" : "Setup"
    let which = end.attempts.count > 1 ? ", attempt \(attempt.attempt) (\(attempt.outcome.rawValue))" : ""
    return "\(what) of \(EndWords.name(end.name))\(which)"
  }

  /// How a call that had stood came back.
  static func recovery(_ restart: SetupAttempt) -> String {
    if restart.setupWallMs == nil, restart.phases.contains(where: \.isBelowClock) {
      return "The connection was lost; an ICE restart brought it back \(Self.belowClock)."
    }
    guard let lasted = restart.setupWallMs else {
      return "The connection was lost; an ICE restart did not bring it back."
    }
    return "The connection was lost; an ICE restart brought it back in \(Measure.duration(lasted))."
  }

  /// What lies under a chart: what was over before, what did not happen, what is not known.
  static func rest(_ attempt: SetupAttempt, _ chart: SetupChart) -> [String] {
    let before = chart.before.map { phase in
      let why = phase.isRefused ? phase.cause.map { " (\(VisibleText.visible($0)))" } : nil
      return "\(phase.name.rawValue) \(Measure.duration(phase.durationMs ?? 0))" + (why ?? "")
    }
    func names(_ isMeant: (Phase) -> Bool) -> [String] { attempt.phases.filter(isMeant).map(\.name.rawValue) }
    let lists = [
      ("before that", before), ("did not happen", names { $0.state == .absent }),
      (Phase.belowClock, names(\.isBelowClock)),
      ("not known", names { $0.state == .unknown && !$0.isBelowClock }),
    ]
    return lists.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
  }

  /// What is told of a time that a clock of whole seconds cannot measure.
  static let belowClock = "too soon for a clock of whole seconds to tell how long it took"

  /// Above what came after the connection.
  static let later = "until it could be heard and seen"
  static let person = "a person's time, not in the total"
}
