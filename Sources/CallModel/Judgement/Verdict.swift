/// What a call was like for the people in it, in one word: the only place where good, poor or broken is said.
///
/// It is decided once by `Verdicts`, stored with the call, and read by every list, page, gate and report. `docs/verdict.md` has
/// the rules.
public struct Verdict: Sendable, Equatable {
  /// What a call can be. The order is that of gravity: the first that holds for an end or a medium is the call's.
  public enum Word: String, Sendable, CaseIterable {
    /// Wanted, and never came up.
    case failed
    /// Came up, and broke without being asked to.
    case dropped
    /// Stood, and sound that was sent or meant to be heard did not reach an ear.
    case silent
    /// The same of a picture.
    case noPicture = "no-picture"
    /// Heard or seen badly.
    case poor
    /// An end sent no sound, and nothing proves that it should have.
    case notSent = "not-sent"
    /// Noticeably impaired, short of poor.
    case fair
    /// Every end of which anything is known heard and saw well, and there is evidence of it.
    case good
    /// Rejected, busy, no answer, cancelled: the network did its work.
    case notSetUp = "not-set-up"
    /// Nothing, or too little, is known of media.
    case unjudged

    /// Whether it raises an alarm.
    public var isAlarm: Bool {
      switch self {
      case .failed, .dropped, .silent, .noPicture, .poor: true
      case .notSent, .fair, .good, .notSetUp, .unjudged: false
      }
    }

    /// Whether a call of it counts as broken, unless that was expected or is known.
    public var isBroken: Bool { self == .failed || self == .dropped || self == .silent }
  }

  /// What is to blame.
  public enum Reason: String, Sendable, CaseIterable {
    case lostOnPath = "lost-on-path"
    case notForwarded = "not-forwarded"
    case undecodable
    case notPlayed = "not-played"
    case notSent = "not-sent"
    case silentSource = "silent-source"
    case ice, dtls, signalling, server, device, permission, unknown
  }

  /// What it rests on.
  public enum Basis: String, Sendable, CaseIterable {
    case bothEnds = "both ends"
    case oneEnd = "one end"
    case packets
    case encryptedPackets = "encrypted packets"
    case sdkReport = "SDK report"
    case events
  }

  /// Version of the rules; runs that were judged by different ones are not compared.
  public static let version = 5

  public var word: Word
  /// The end that suffered; nil where it is the call as a whole, or an end that is not on record.
  public var end: String?
  public var medium: MediaKind?
  public var reason: Reason?
  public var basis: Basis
  /// The row of the table in `docs/verdict.md`.
  public var rule: String
  /// When the medium was missing, ms since the Unix epoch; nil where that is no one span.
  public var span: ClosedRange<Double>?

  /// A verdict by a rule.
  public init(
    _ word: Word, rule: String, end: String? = nil, medium: MediaKind? = nil, reason: Reason? = nil,
    basis: Basis = .events, span: ClosedRange<Double>? = nil
  ) {
    self.word = word
    self.rule = rule
    self.end = end
    self.medium = medium
    self.reason = reason
    self.basis = basis
    self.span = span
  }
}
