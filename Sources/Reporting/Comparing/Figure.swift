import CallModel
import CallViews

/// A figure of many calls that gates and comparisons speak of, by the names that a gate file uses.
public enum Figure: Hashable, Sendable, CustomStringConvertible {
  case scoreMean
  /// Mean of the quality that clients reported of themselves, 0–100: their own word, not the score.
  case reportedMean
  /// Percentile by nearest rank of the calls' mean scores, setup times.
  case scorePercentile(Int)
  case setupMean
  case setupPercentile(Int)
  /// Share of calls that ended otherwise than expected, 0–1; share of scored calls that were poor.
  case brokenShare
  case poorShare
  /// Share of the calls that ran and count whose verdict is this word.
  case verdictShare(Verdict.Word)
  /// Share of the calls that ran and count with an error or warning of this name.
  case findingShare(String)
  /// Logins, reconnections, registrations, tokens or pushes that failed, also where no call came of them: a kind of `sessions`.
  case failedTries(String)
  /// Calls that were expected and never came, calls put aside, calls that ran.
  case missing
  case excluded
  case calls

  /// The figure of a name such as `score.mean`, `setup.p90_ms`, `broken.share`; nil if there is none.
  public init?(_ name: some StringProtocol) {
    switch String(name) {
    case "score.mean": self = .scoreMean
    case "reported.mean": self = .reportedMean
    case "setup.mean_ms": self = .setupMean
    case "broken.share": self = .brokenShare
    case "poor.share": self = .poorShare
    case "missing": self = .missing
    case "excluded": self = .excluded
    case "calls": self = .calls
    case let other:
      if let share = Figure.share(other) {
        self = share
        return
      }
      if let kind = Figure.tries.first(where: { other == "\($0).failed" }) {
        self = .failedTries(kind)
        return
      }
      guard let (group, percent) = Figure.percentile(other) else { return nil }
      self = group == "score" ? .scorePercentile(percent) : .setupPercentile(percent)
    }
  }

  /// Every name that `init(_:)` takes, for messages.
  public static let names =
    "score.mean, reported.mean, score.p10 (p1 to p99), setup.mean_ms, setup.p90_ms (p1_ms to p99_ms), broken.share, poor.share, silent.share, no-picture.share, not-sent.share, unjudged.share, finding.NAME.share, login.failed, reconnection.failed, registration.failed, token.failed, push.failed, missing, excluded, calls"

  /// The name in a gate file.
  public var description: String {
    switch self {
    case .scoreMean: "score.mean"
    case .reportedMean: "reported.mean"
    case .scorePercentile(let percent): "score.p\(percent)"
    case .setupMean: "setup.mean_ms"
    case .setupPercentile(let percent): "setup.p\(percent)_ms"
    case .brokenShare: "broken.share"
    case .poorShare: "poor.share"
    case .verdictShare(let word): "\(word.rawValue).share"
    case .findingShare(let code): "finding.\(code).share"
    case .failedTries(let kind): "\(kind).failed"
    case .missing: "missing"
    case .excluded: "excluded"
    case .calls: "calls"
    }
  }

  /// Whether it is counted rather than estimated: it has no interval.
  public var isCount: Bool {
    switch self {
    case .failedTries, .missing, .excluded, .calls: true
    default: false
    }
  }

  /// Whether it counts tries to get in, which are no calls.
  var isOfTries: Bool { if case .failedTries = self { true } else { false } }

  /// Whether it is a part of the calls, 0–1.
  var isShare: Bool {
    switch self {
    case .brokenShare, .poorShare, .verdictShare, .findingShare: true
    default: false
    }
  }

  /// Whether it rests on the rules of the verdict: other rules make another figure of the same calls.
  var restsOnVerdict: Bool {
    switch self {
    case .brokenShare, .poorShare, .verdictShare: true
    default: false
    }
  }

  /// What a share is a part of, in words; nil of what is no share.
  var denominator: String? {
    switch self {
    case .poorShare: "of the calls that were scored or judged"
    case .verdictShare(.unjudged): "of all calls that ran and count"
    case .brokenShare, .verdictShare, .findingShare:
      "of the calls that ran and count, without those of which nothing is known because their files were taken in part"
    default: nil
    }
  }

  /// The values that it can have at all.
  var bounds: ClosedRange<Double> {
    switch self {
    case .scoreMean, .scorePercentile, .reportedMean: 0...100
    case .brokenShare, .poorShare, .verdictShare, .findingShare: 0...1
    case .setupMean, .setupPercentile, .failedTries, .missing, .excluded, .calls: 0...Double.infinity
    }
  }

  /// What a number of it is, for messages.
  var unit: String {
    switch self {
    case .scoreMean, .scorePercentile, .reportedMean: "in points from 0 to 100"
    case .setupMean, .setupPercentile: "in milliseconds"
    case .brokenShare, .poorShare, .verdictShare, .findingShare: "a share"
    case .failedTries: "a number of tries"
    case .missing, .excluded, .calls: "a number of calls"
    }
  }

  /// The call's part in the figure; nil where the call says nothing about it. Shares are means of 0 and 1.
  func value(of call: ComparedCall) -> Double? {
    switch self {
    case .scoreMean, .scorePercentile: call.score
    case .reportedMean: call.reported
    case .setupMean, .setupPercentile: call.setupMs
    case .brokenShare: call.isCut ? nil : call.isBroken ? 1 : 0
    case .poorShare: call.isPoor.map { $0 ? 1 : 0 }
    // What nobody judged is as little known as what could not be.
    case .verdictShare(.unjudged):
      call.verdict.map { $0 == .unjudged ? 1 : 0 } ?? (call.score == nil && !call.isBroken ? 1 : nil)
    case .verdictShare(let word):
      call.isCut ? nil : call.verdict.map { $0 == word && !(word.isBroken && call.isKnown) ? 1 : 0 }
    case .findingShare(let code): call.isCut ? nil : call.findings.contains(code) ? 1 : 0
    case .failedTries, .missing, .excluded, .calls: nil
    }
  }

  /// The percentile it is, 1–99; nil for means and shares.
  var percent: Int? {
    switch self {
    case .scorePercentile(let percent), .setupPercentile(let percent): percent
    default: nil
    }
  }

  /// Kinds of tries that have a figure, as `sessions` calls them.
  static let tries = ["login", "reconnection", "registration", "token", "push"]

  /// Verdicts that have a share of their own beside those of broken and poor calls.
  static let words: [Verdict.Word] = [.silent, .noPicture, .notSent, .unjudged]

  /// `silent.share` or `finding.one-way-audio.share`.
  private static func share(_ name: String) -> Figure? {
    if let word = words.first(where: { name == "\($0.rawValue).share" }) { return .verdictShare(word) }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "finding", parts[2] == "share",
      FindingCode.all.contains(String(parts[1]))
    else { return nil }
    return .findingShare(String(parts[1]))
  }

  /// `score.p10` or `setup.p90_ms` taken apart.
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
