/// How a call was for the people in it, in one word. Only the verdict decides what is good, poor or broken.
///
/// `Verdicts` decides it once. It is stored with the call, and lists, pages, gates and reports read it.
/// `docs/verdict.md` has the rules.
public struct Verdict: Sendable, Equatable {
  /// The possible verdicts, worst first: the first that applies to an end or a medium is the verdict of the
  /// call.
  public enum Value: String, Sendable, CaseIterable {
    /// Meant to connect, and never did.
    case failed
    /// Was established, and broke off without anyone ending it.
    case dropped
    /// Established, but audio that was sent or meant to be heard did not reach the listener.
    case silent
    /// The same for video.
    case noPicture = "no-picture"
    /// Poor audio or video.
    case poor
    /// An end sent no audio, and there is no proof that it should have.
    case notSent = "not-sent"
    /// Noticeably impaired, but not poor.
    case fair
    /// All ends with known media heard and saw well, and there is evidence of it.
    case good
    /// Rejected, busy, no answer, cancelled: the network did its job.
    case notSetUp = "not-set-up"
    /// Too little is known of the media.
    case unjudged

    /// Whether it should raise an alarm.
    public var isAlarm: Bool {
      switch self {
      case .failed, .dropped, .silent, .noPicture, .poor: true
      case .notSent, .fair, .good, .notSetUp, .unjudged: false
      }
    }

    /// Whether a call with this verdict counts as broken, unless that was expected or is known.
    public var isBroken: Bool { self == .failed || self == .dropped || self == .silent }
  }

  /// The cause.
  public enum Reason: String, Sendable, CaseIterable {
    case lostOnPath = "lost-on-path"
    case notForwarded = "not-forwarded"
    case undecodable
    case notPlayed = "not-played"
    case notSent = "not-sent"
    case silentSource = "silent-source"
    case ice, dtls, signalling, server, device, permission, unknown
  }

  /// The evidence.
  public enum Basis: Sendable, Equatable {
    case bothEnds, oneEnd
    /// Of three ends or more, how many are on record.
    case ends(Int, of: Int)
    case packets, encryptedPackets, sdkReport, events
    /// Figures that something else worked out: of how long each (`minute`, `call`), and whose.
    case figures(per: String, by: String)
  }

  /// Version of the rules; runs judged by different versions are not compared.
  public static let version = 7

  public var value: Value
  /// The affected end; nil if it is the whole call, or an end that is not on record.
  public var end: String?
  public var medium: MediaKind?
  public var reason: Reason?
  public var basis: Basis
  /// The row of the table in `docs/verdict.md` that applied.
  public var rule: String
  /// When the medium was missing, ms since the Unix epoch; nil if that is not a single span.
  public var span: ClosedRange<Double>?

  /// A verdict by a rule of the table.
  public init(
    _ value: Value, rule: String, end: String? = nil, medium: MediaKind? = nil, reason: Reason? = nil,
    basis: Basis = .events, span: ClosedRange<Double>? = nil
  ) {
    self.value = value
    self.rule = rule
    self.end = end
    self.medium = medium
    self.reason = reason
    self.basis = basis
    self.span = span
  }
}

extension Verdict.Basis: RawRepresentable, CaseIterable {
  /// Every kind of evidence; of some ends, the kind alone.
  public static let allCases: [Self] = [
    .bothEnds, .oneEnd, .ends(0, of: 0), .packets, .encryptedPackets, .sdkReport, .events,
    .figures(per: "", by: ""),
  ]

  /// As stored and shown.
  public var rawValue: String {
    switch self {
    case .bothEnds: "both ends"
    case .oneEnd: "one end"
    case .ends(_, of: 0): "N of M ends"
    case .ends(let known, let all): "\(known) of \(all) ends"
    case .packets: "packets"
    case .encryptedPackets: "encrypted packets"
    case .sdkReport: "SDK report"
    case .events: "events"
    case .figures(per: "", by: ""): "figures per TIME (SOURCE)"
    case .figures(let per, let by): "figures per \(per) (\(by))"
    }
  }

  /// The basis that is shown as the given text; nil if there is none.
  public init?(rawValue: String) {
    let figures = "figures per "
    if rawValue.hasPrefix(figures), rawValue.hasSuffix(")"), let bracket = rawValue.firstRange(of: " (") {
      let per = rawValue[..<bracket.lowerBound].dropFirst(figures.count)
      self = .figures(per: String(per), by: String(rawValue[bracket.upperBound...].dropLast()))
      return
    }
    let counts = rawValue.split(separator: " ").compactMap { Int($0) }
    let some: Self? = counts.count == 2 ? .ends(counts[0], of: counts[1]) : nil
    guard let known = (Self.allCases + [some].compactMap(\.self)).first(where: { $0.rawValue == rawValue })
    else { return nil }
    self = known
  }
}

extension EventArgument<Verdict.Reason> {
  /// The cause of a bad call that an event names.
  public static let verdictCause = Self("verdict_cause")
}
