import CallModel

/// An aggregate over many calls, used in gates and comparisons and named as in a gate file.
public enum Figure: Hashable, Sendable, CustomStringConvertible {
  case scoreMean
  /// Mean of the quality that clients reported themselves, 0–100. This is not callqa's score.
  case reportedMean
  /// Percentile by nearest rank of the calls' mean scores or setup times.
  case scorePercentile(Int)
  case setupMean
  case setupPercentile(Int)
  /// Mean duration of a phase of the setup.
  case phaseMean(PhaseName)
  /// Share of calls that ended otherwise than expected, 0–1; share of scored calls that were poor, 0–1.
  case brokenShare
  case poorShare
  /// Share of the calls that ran and count whose verdict is this word.
  case verdictShare(Verdict.Value)
  /// Share of the calls that ran and count with an error or warning of this name.
  case findingShare(String)
  /// Share of the calls that ran and count whose fault was at this place.
  case placeShare(Place)
  /// Number of failed logins, reconnections, registrations, tokens or pushes, including those that did not lead to a
  /// call: a kind of `sessions`.
  case failedTries(String)
  /// Counts of calls: broken, expected but missing, excluded, and run.
  case broken
  case missing
  case excluded
  case calls

  /// Parses a name such as `score.mean`, `setup.p90_ms`, `broken.share`; nil if there is no such figure.
  public init?(_ name: some StringProtocol) {
    let name = String(name)
    if let named = Figure.named.first(where: { $0.description == name }) ?? Figure.share(name)
      ?? Figure.phase(name).map(Figure.phaseMean)
    {
      self = named
      return
    }
    guard let (group, percent) = Figure.percentile(name) else { return nil }
    self = group == "score" ? .scorePercentile(percent) : .setupPercentile(percent)
  }

  /// The figures without a finding, place, phase or percentile in their names.
  private static let named: [Figure] =
    [.scoreMean, .reportedMean, .setupMean, .brokenShare, .poorShare, .broken, .missing, .excluded, .calls]
    + words.map(Figure.verdictShare) + tries.map(Figure.failedTries)

  /// Every name that `init(_:)` accepts, for messages.
  public static let names =
    "score.mean, reported.mean, score.p10 (p1 to p99), setup.mean_ms, setup.p90_ms (p1_ms to p99_ms), setup.PHASE.mean_ms, broken.share, poor.share, silent.share, no-picture.share, not-sent.share, unjudged.share, finding.NAME.share, place.NAME.share, login.failed, reconnection.failed, registration.failed, token.failed, push.failed, broken, missing, excluded, calls"

  /// The name in a gate file.
  public var description: String {
    switch self {
    case .scoreMean: "score.mean"
    case .reportedMean: "reported.mean"
    case .scorePercentile(let percent): "score.p\(percent)"
    case .setupMean: "setup.mean_ms"
    case .setupPercentile(let percent): "setup.p\(percent)_ms"
    case .phaseMean(let phase): "setup.\(phase.rawValue).mean_ms"
    case .brokenShare: "broken.share"
    case .poorShare: "poor.share"
    case .verdictShare(let word): "\(word.rawValue).share"
    case .findingShare(let code): "finding.\(code).share"
    case .placeShare(let place): "place.\(place.rawValue).share"
    case .failedTries(let kind): "\(kind).failed"
    case .broken: "broken"
    case .missing: "missing"
    case .excluded: "excluded"
    case .calls: "calls"
    }
  }

  /// Whether the figure is an exact count rather than an estimate, and so has no interval.
  public var isCount: Bool {
    switch self {
    case .failedTries, .broken, .missing, .excluded, .calls: true
    default: false
    }
  }

  /// Whether it counts attempts such as logins, which are not calls.
  var isOfTries: Bool { if case .failedTries = self { true } else { false } }

  /// Whether it is a share of the calls, 0–1.
  var isShare: Bool {
    switch self {
    case .brokenShare, .poorShare, .verdictShare, .findingShare, .placeShare: true
    default: false
    }
  }

  /// Whether it depends on the verdict rules: other rules give another value for the same calls.
  var restsOnVerdict: Bool {
    switch self {
    case .broken, .brokenShare, .poorShare, .verdictShare, .placeShare: true
    default: false
    }
  }

  /// What a share is a share of, in words; nil if the figure is not a share.
  var denominator: String? {
    switch self {
    case .poorShare: "of the calls that were scored or judged"
    case .verdictShare(.unjudged): "of all calls that ran and count"
    case .brokenShare, .verdictShare, .findingShare, .placeShare:
      "of the calls that ran and count, without those of which nothing is known because their files were taken in part"
    default: nil
    }
  }

  /// The range of possible values.
  var bounds: ClosedRange<Double> {
    switch self {
    case .scoreMean, .scorePercentile, .reportedMean: 0...100
    case .brokenShare, .poorShare, .verdictShare, .findingShare, .placeShare: 0...1
    case .setupMean, .setupPercentile, .phaseMean, .failedTries, .broken, .missing, .excluded, .calls:
      0...Double.infinity
    }
  }

  /// The unit of its values, for messages.
  var unit: String {
    switch self {
    case .scoreMean, .scorePercentile, .reportedMean: "in points from 0 to 100"
    case .setupMean, .setupPercentile, .phaseMean: "in milliseconds"
    case .brokenShare, .poorShare, .verdictShare, .findingShare, .placeShare: "a share"
    case .failedTries: "a number of tries"
    case .broken, .missing, .excluded, .calls: "a number of calls"
    }
  }

  /// The call's contribution to the figure; nil if unknown for this call. Shares are means of 0 and 1.
  func value(of call: ComparedCall) -> Double? {
    switch self {
    case .scoreMean, .scorePercentile: call.score
    case .reportedMean: call.reported
    case .setupMean, .setupPercentile: call.setupMs
    case .phaseMean(let phase): call.phaseMs(phase)
    case .brokenShare: call.isCut ? nil : call.isBroken ? 1 : 0
    case .poorShare: call.isPoor.map { $0 ? 1 : 0 }
    // A call that nobody judged counts as unjudged, like one that could not be judged.
    case .verdictShare(.unjudged):
      call.verdict.map { $0 == .unjudged ? 1 : 0 } ?? (call.score == nil && !call.isBroken ? 1 : nil)
    case .verdictShare(let word):
      call.isCut ? nil : call.verdict.map { $0 == word && !(word.isBroken && call.isKnown) ? 1 : 0 }
    case .findingShare(let code): call.isCut ? nil : call.findings.contains(code) ? 1 : 0
    case .placeShare(let place): call.isCut ? nil : call.place == place ? 1 : 0
    case .failedTries, .broken, .missing, .excluded, .calls: nil
    }
  }

  /// The percentile, 1–99; nil for means and shares.
  var percent: Int? {
    switch self {
    case .scorePercentile(let percent), .setupPercentile(let percent): percent
    default: nil
    }
  }

  /// Kinds of attempts that have a figure, named as in `sessions`.
  static let tries = ["login", "reconnection", "registration", "token", "push"]

  /// Verdicts that have a share of their own, besides those of broken and poor calls.
  static let words: [Verdict.Value] = [.silent, .noPicture, .notSent, .unjudged]

  /// Parses `finding.one-way-audio.share` or `place.server.share`.
  private static func share(_ name: String) -> Figure? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "share" else { return nil }
    let word = String(parts[1])
    switch parts[0] {
    case "finding": return FindingCode(rawValue: word).map { _ in .findingShare(word) }
    case "place": return Place(rawValue: word).map(Figure.placeShare)
    default: return nil
    }
  }

  /// Parses `setup.dtls.mean_ms`.
  private static func phase(_ name: String) -> PhaseName? {
    guard name.hasPrefix("setup."), name.hasSuffix(".mean_ms") else { return nil }
    return PhaseName(rawValue: String(name.dropFirst("setup.".count).dropLast(".mean_ms".count)))
  }

  /// Splits `score.p10` or `setup.p90_ms` into name and percentile.
  private static func percentile(_ name: String) -> (String, Int)? {
    let parts = name.split(separator: ".")
    guard parts.count == 2, parts[1].hasPrefix("p") else { return nil }
    var digits = parts[1].dropFirst()
    switch parts[0] {
    case "score": break
    case "setup":
      guard digits.hasSuffix("_ms") else { return nil }
      digits = digits.dropLast(3)
    default: return nil
    }
    guard let percent = Int(digits), (1...99).contains(percent) else { return nil }
    return (String(parts[0]), percent)
  }
}
