import CallModel

/// The rows of the table in `docs/verdict.md`; a test compares the two.
public enum VerdictRule: String, CaseIterable, Sendable {
  case failed, dropped
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
  case errorFinding = "error-finding"
  case notSentWhole = "not-sent-whole"
  case notSentToEnd = "not-sent-to-end"
  case notSentThird = "not-sent-third"
  case impaired
  case heardWell = "heard-well"
  case noMedia = "no-media-known"
  case tooShort = "too-short"
  case halfUnrecorded = "half-unrecorded"

  /// The condition of the rule, in one sentence.
  public var condition: String {
    switch self {
    case .failed: "The outcome is `failed`."
    case .dropped: "The outcome is `dropped`."
    case .notSetUp: "The outcome is `rejected`, `busy`, `no-answer` or `cancelled`."
    case .missing: "The manifest names the call, and no file of it came."
    case .soundWhole:
      "Sound is proven to be missing in one span of 90 % of the call or more, and 5 s or more."
    case .soundToEnd: "Sound is proven to be missing for 10 s or more, up to the end of the call."
    case .soundThird:
      "Sound is proven to be missing in one span of a third of the call or more, and 5 s or more."
    case .soundLostAtEnd:
      "Packets of sound are known to be lost for 5 s or more up to the end, and the end that could not hear hung up."
    case .pictureWhole:
      "A picture that was sent is missing in one span of 90 % of the call or more, and 5 s or more."
    case .pictureToEnd: "A picture that was sent is missing for 10 s or more, up to the end of the call."
    case .pictureThird: "A picture that was sent is missing in one span of a third of the call or more."
    case .badTime:
      "Sound or picture was bad (or for 40 % of a window frozen or slow) for 10 % of an end's time and two windows (10 s), or for 60 s."
    case .badThroughout: "Sound was bad for 90 % of its scored time, and 5 s or more."
    case .longGap: "Sound or picture was proven to be missing for 10 s or more in one span."
    case .lossAtFarEnd:
      "The far end, not on record itself, reports 10 % or more of the sound sent to it lost, for a tenth of the time or 60 s."
    case .errorFinding: "A finding about media is an error, and no other rule covers it."
    case .notSentWhole: "An end sent no sound at all, and nothing proves that it should have."
    case .notSentToEnd:
      "An end sent no sound for the last 10 s or more, and nothing proves that it should have."
    case .notSentThird:
      "An end sent no packet of sound in one span of a third of the call and 10 s or more, and nothing proves that it should have."
    case .impaired: "The mean score of the worse end and medium is under 75, or 5 % of its time was bad."
    case .heardWell: "Every end of which anything is known heard and saw well."
    case .noMedia: "Nothing is known of the media of any end."
    case .tooShort:
      "Less than 5 s of media was scored, or in a call under 10 s no sound came to an end that was to hear some, and no loss is proven."
    case .halfUnrecorded: "Less than half of the call, hold left out, is on record."
    }
  }

  /// The resulting verdict.
  public var value: Verdict.Value {
    switch self {
    case .failed: .failed
    case .dropped: .dropped
    case .notSetUp: .notSetUp
    case .soundWhole, .soundToEnd, .soundThird, .soundLostAtEnd: .silent
    case .pictureWhole, .pictureToEnd, .pictureThird: .noPicture
    case .badTime, .badThroughout, .longGap, .lossAtFarEnd, .errorFinding: .poor
    case .notSentWhole, .notSentToEnd, .notSentThird: .notSent
    case .impaired: .fair
    case .heardWell: .good
    case .missing, .noMedia, .tooShort, .halfUnrecorded: .unjudged
    }
  }
}
