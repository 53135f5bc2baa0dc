import CallModel

/// The rules for the verdict of a call, in their order: the first that holds decides. The table in `docs/verdict.md` is
/// generated from them.
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

  /// When it holds.
  public var condition: String {
    switch self {
    case .failed: "The outcome is `failed`."
    case .endFailed: "An end tried to connect and never did, while others were connected."
    case .dropped: "The outcome is `dropped`."
    case .notSetUp: "The outcome is `rejected`, `busy`, `no-answer` or `cancelled`."
    case .missing: "The manifest names the call, and no file of it came."
    case .soundWhole: "Sound is proven to be missing in one span of 90 % of the call, and 5 s or more."
    case .soundToEnd: "The same for 10 s or more, up to the end of the call."
    case .soundThird: "The same in one span of a third of the call, and 5 s or more."
    case .soundLostAtEnd:
      "Sound is known to be lost for 5 s or more up to the end, and the end that could not hear hung up."
    case .pictureWhole: "A picture that was sent is missing in one span of 90 % of the call, and 5 s or more."
    case .pictureToEnd: "The same for 10 s or more, up to the end of the call."
    case .pictureThird: "The same in one span of a third of the call."
    case .badTime:
      """
      Sound or picture was bad (or for 40 % of a window frozen or slow) for 10 % of an end's time and 10 \
      s, or for 60 s.
      """
    case .badThroughout: "Sound was bad for 90 % of its scored time, and 5 s or more."
    case .longGap: "Sound or picture was proven to be missing for 10 s or more in one span."
    case .lossAtFarEnd:
      """
      The far end, not on record, reports 10 % or more of the sound sent to it lost, for a tenth of the \
      time or 60 s.
      """
    case .lossInFigures:
      """
      Means over the call or long parts of it leave, however the loss was spread, a tenth of the time or \
      60 s with 10 % lost.
      """
    case .errorFinding: "A finding about media is an error, and no other rule covers it."
    case .notSentWhole: "An end sent no sound at all, and nothing proves that it should have."
    case .notSentToEnd: "The same for the last 10 s or more."
    case .notSentThird:
      """
      No packet of sound in one span of a third of the call and 10 s or more, and nothing proves that it \
      should have come.
      """
    case .impaired: "The mean score of the worse end and medium is under 75, or 5 % of its time was bad."
    case .someLossInFigures: "As `loss-in-figures`, a twentieth of the time and one window."
    case .heardWell: "Every end of which anything is known heard and saw well."
    case .cleanFigures:
      """
      Means have under 0.5 % lost, concealed and discarded, packets all the time, and no delay or jitter \
      to hear.
      """
    case .noMedia: "Nothing is known of the media of any end."
    case .tooShort:
      """
      Less than 5 s of media was scored, or in a call under 10 s no sound came that should have, and no \
      loss is proven.
      """
    case .halfUnrecorded: "Less than half of the call, hold left out, is on record."
    case .lossUnplaced: "Only means over long times are known, and their loss may have been heard or not."
    case .soundUnseen:
      """
      By the collector an end muted the sound it received, or played it by Web Audio, and statistics show \
      none.
      """
    }
  }

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
