import CallModel
import Rendering

extension Cause {
  /// The cause as the object of `points were lost to …`.
  package var words: String {
    switch self {
    case .loss: "loss"
    case .jitter: "jitter"
    case .delay: "delay"
    case .freeze: "freezes"
    case .framerate: "a low frame rate"
    case .resolution: "a small picture"
    case .bitrate: "a low bit rate"
    case .coding: "coarse coding"
    case .silence: "silence"
    case .playout: "sound that was not played"
    }
  }

  /// Share of late audio below which jitter lost its points to time-stretching.
  private static let minLateShare = 0.005
  /// Share of the late audio from which unsent audio explains it.
  private static let unsentShare = 0.5

  /// Whether audio that was concealed but not lost was not sent, rather than late.
  package static func isUnsent(_ unsentMs: Double, late: Double, of lengthMs: Double) -> Bool {
    unsentMs > 0 && late >= minLateShare && unsentMs >= unsentShare * late * lengthMs
  }

  /// The measurement behind a cause, for readers; nil if there is none.
  ///
  /// Loss elsewhere is not called loss on the wire, and audio that was not sent (`unsentMs` of `lengthMs`) is not
  /// called late; concealment that was not counted is called estimated.
  package func evidence(
    _ inputs: WindowInputs, at end: String, place: LossPlace = .inTransit, isEstimated: Bool = false,
    unsentMs: Double = 0, of lengthMs: Double = 0
  ) -> String? {
    let about = isEstimated ? "an estimated " : ""
    switch self {
    case .loss:
      if let share = inputs.lossShare, share >= 0.0005 {
        let percent = Measure.percent(share)
        return switch place {
        case .inTransit: "\(percent) lost on the wire towards \(end)"
        case .perhapsNotCaptured: "\(percent) missing, lost or not captured, towards \(end)"
        case .neverSent: "\(percent) never sent to \(end)"
        }
      }
      return inputs.concealedShare.map { "\(about)\(Measure.percent($0)) of the sound concealed" }
    case .jitter:
      return inputs.concealedShare.map { made in
        // Concealment beyond the lost packets is due to late ones.
        guard let lost = inputs.lossShare else {
          return "\(about)\(Measure.percent(made)) of the sound concealed, lost or late"
        }
        let late = made - lost
        if Self.isUnsent(unsentMs, late: late, of: lengthMs) {
          return "the far end sent nothing for \(Measure.duration(unsentMs))"
        }
        if late >= Self.minLateShare { return "\(about)\(Measure.percent(late)) of the sound came too late" }
        return isEstimated
          ? "sound that came too late, by an estimate" : "sound slowed down or sped up by the jitter buffer"
      }
    case .delay: return inputs.delayMs.map { "\(Measure.duration($0)) from mouth to ear" }
    case .freeze: return inputs.freezeShare.map { "picture frozen \(Measure.percent($0)) of the time" }
    case .framerate: return inputs.frameRate.map { "\(Measure.frameRate($0)) frames a second" }
    case .resolution: return inputs.height.map { "\(CellText.fixed($0, decimals: 0)) lines high" }
    case .bitrate, .coding: return inputs.bitrateBps.map { Measure.bitrate($0) }
    case .silence, .playout: return nil
    }
  }
}

/// Names in running text: `the caller`, but `Alice`.
enum EndWords {
  /// The end as the subject of a sentence.
  package static func name(_ end: String) -> String {
    EndName.impersonal.contains(end)
      ? "the \(end)" : VisibleText.visible(VisibleText.cut(end, to: 40))
  }

  /// The end as an item of a list.
  package static func plain(_ end: String) -> String { VisibleText.visible(VisibleText.cut(end, to: 40)) }

  /// Title of a table of ends.
  package static func title(of ends: [EndAccount]) -> String {
    let (count, recorded) = (ends.count, ends.lazy.filter(\.isOnRecord).count)
    if recorded < count, recorded > 0 { return "\(recorded) of \(count) ends on record" }
    return count == 1 ? "The recorded end" : count == 2 ? "Both ends" : "All ends"
  }

  /// The quality of a score in words; `fair` is a word of verdicts, which begins lower.
  package static func band(_ score: Double) -> String {
    switch QualityBand(score) {
    case .good: "good"
    case .fair: "slightly impaired"
    case .mediocre: "impaired"
    case .poor: "poor"
    case .bad: "bad"
    }
  }
}

/// A setup attempt in words.
enum SetupWords {
  /// `637 ms`; `at least 96 ms, from the offer on` if the log does not show what preceded the offer; `about 3 s` with a
  /// clock of whole seconds.
  package static func total(_ milliseconds: Double, of attempt: SetupAttempt?) -> String {
    let isRough =
      attempt?.isOfWholeSeconds ?? false && milliseconds.truncatingRemainder(dividingBy: 1000) == 0
    let time = (isRough ? "about " : "") + Measure.duration(milliseconds)
    guard attempt?.isFromOfferOn ?? false else { return time }
    return isRough ? "\(time) or more, from the offer on" : "at least \(time), from the offer on"
  }

  /// The title of an attempt: `Setup of the caller`, or if there are several `ICE restart of the caller, attempt 2
  /// (completed)`.
  package static func title(_ attempt: SetupAttempt, of end: EndAccount) -> String {
    let what = attempt.isRestart ? "ICE restart" : "Setup"
    let which = end.attempts.count > 1 ? ", attempt \(attempt.attempt) (\(attempt.outcome.rawValue))" : ""
    return "\(what) of \(EndWords.name(end.name))\(which)"
  }

  /// How the connection of an established call was restored.
  static func recovery(_ restart: SetupAttempt) -> String {
    if restart.setupWallMs == nil, restart.phases.contains(where: \.isBelowClock) {
      return "The connection was lost; an ICE restart brought it back \(Self.belowClock)."
    }
    guard let lasted = restart.setupWallMs else {
      return "The connection was lost; an ICE restart did not bring it back."
    }
    return "The connection was lost; an ICE restart brought it back in \(Measure.duration(lasted))."
  }

  /// The lines below a chart: phases that ended before, that did not happen, and that are unknown.
  package static func rest(_ attempt: SetupAttempt, _ chart: SetupChart) -> [String] {
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

  /// The text for a duration that a clock of whole seconds cannot measure.
  package static let belowClock = "too fast for a clock of whole seconds to measure"

  /// Heading of the phases after the connection.
  package static let later = "until it could be heard and seen"
  package static let person = "a person's time, not in the total"
}
