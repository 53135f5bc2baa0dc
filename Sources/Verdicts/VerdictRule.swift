import CallModel

/// The rules, in the order of the table in `docs/verdict.md`, which has the condition of each; a test compares the two.
public enum VerdictRule: String, CaseIterable, Sendable {
  case failed
  case endFailed = "end-failed"
  case dropped
  case notSetUp = "not-set-up"
  case missing
  case soundWhole = "sound-whole"
  case soundToEnd = "sound-to-end"
  case soundThird = "sound-third"
  case soundLostAtEnd = "sound-lost-at-end"
  case pictureWhole = "picture-whole"
  case pictureToEnd = "picture-to-end"
  case pictureThird = "picture-third"
  case badTime = "bad-time"
  case badThroughout = "bad-throughout"
  case longGap = "long-gap"
  case lossAtFarEnd = "loss-at-far-end"
  case lossInFigures = "loss-in-figures"
  case errorFinding = "error-finding"
  case notSentWhole = "not-sent-whole"
  case notSentToEnd = "not-sent-to-end"
  case notSentThird = "not-sent-third"
  case impaired
  case someLossInFigures = "some-loss-in-figures"
  case heardWell = "heard-well"
  case cleanFigures = "clean-figures"
  case noMedia = "no-media-known"
  case tooShort = "too-short"
  case halfUnrecorded = "half-unrecorded"
  case lossUnplaced = "loss-unplaced"
  case soundUnseen = "sound-unseen"

  /// The resulting verdict.
  public var value: Verdict.Value {
    switch self {
    case .failed, .endFailed: .failed
    case .dropped: .dropped
    case .notSetUp: .notSetUp
    case .soundWhole, .soundToEnd, .soundThird, .soundLostAtEnd: .silent
    case .pictureWhole, .pictureToEnd, .pictureThird: .noPicture
    case .badTime, .badThroughout, .longGap, .lossAtFarEnd, .lossInFigures, .errorFinding: .poor
    case .notSentWhole, .notSentToEnd, .notSentThird: .notSent
    case .impaired, .someLossInFigures: .fair
    case .heardWell, .cleanFigures: .good
    case .missing, .noMedia, .tooShort, .halfUnrecorded, .lossUnplaced, .soundUnseen: .unjudged
    }
  }
}
