import CallModel
import Rendering

/// The verdict of a call in words: a first line in a fixed, searchable format, and an explanation.
package struct VerdictWords {
  private let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  /// The effective verdict: a person's takes precedence over the stored one.
  package var word: Verdict.Value? { account.call.markedVerdict ?? account.call.verdict?.value }

  /// `silent: caller, audio, 0:53 to end (7 s), lost-on-path; basis: both ends`; nil if the call has not been judged.
  package var line: String? {
    guard let word else { return nil }
    if let marked = account.call.markedVerdict {
      let why = account.call.markedWhy.map { ": \(VisibleText.visible(VisibleText.cut($0, to: 100)))" } ?? ""
      let judged = account.call.verdict.map { ", judged \($0.value.rawValue)" } ?? ""
      return "\(marked.rawValue) (marked by a person\(why)\(judged))"
    }
    guard let verdict = account.call.verdict else { return nil }
    var parts: [String] = []
    if let end = verdict.end, word != .good { parts.append(EndWords.plain(end)) }
    if let medium = verdict.medium, word != .good { parts.append(medium.rawValue) }
    if let span = verdict.span { parts.append(time(of: span)) }
    if let reason = verdict.reason, reason.rawValue != word.rawValue { parts.append(reason.rawValue) }
    let what = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    return "\(word.rawValue)\(what); basis: \(verdict.basis.rawValue)"
  }

  /// `0:53 to end (7 s)`, `0:10 to 0:42 (32 s)`.
  private func time(of span: ClosedRange<Double>) -> String {
    let length = Measure.duration(span.upperBound - span.lowerBound)
    guard let zero = account.zeroMs else { return length }
    let until = lastsToEnd(span) ? "end" : Measure.clock(span.upperBound - zero)
    return "\(Measure.clock(max(0, span.lowerBound - zero))) to \(until) (\(length))"
  }

  private func lastsToEnd(_ span: ClosedRange<Double>) -> Bool {
    account.lastMs.map { span.upperBound >= $0 - Self.endSlackMs } ?? false
  }

  /// One sentence that explains the verdict, unless a finding does.
  var explanation: String? {
    guard let verdict = account.call.verdict, account.call.markedVerdict == nil else { return nil }
    let end = verdict.end
    let name = sufferers ?? "the other end"
    guard verdict.medium != nil else {
      guard verdict.value == .failed, end != nil else { return nil }
      let why = account.findings.first {
        [.iceNeverConnected, .noCandidatePair, .dtlsNeverConnected].contains($0.finding.code) && $0.end == end
      }
      return ["\(Measure.sentence(name)) never connected, while others did.", why?.finding.text]
        .compactMap { $0.map { VisibleText.visible($0) } }.joined(separator: " ")
    }
    let from =
      verdict.span.flatMap { span in
        account.zeroMs.map { zero in
          let begin = Measure.clock(max(0, span.lowerBound - zero))
          return lastsToEnd(span)
            ? " from \(begin) on" : " from \(begin) to \(Measure.clock(span.upperBound - zero))"
        }
      } ?? ""
    switch (verdict.value, verdict.reason) {
    case (.silent, .undecodable?), (.noPicture, .undecodable?), (.poor, .undecodable?):
      let error = account.findings.first {
        $0.finding.severity == .error && ![.oneWayAudio, .noMedia].contains($0.finding.code)
          || $0.finding.code == .videoPaused && verdict.medium == .video && $0.end == end
      }
      return error.map { VisibleText.visible($0.finding.text) }
    case (.silent, .silentSource?), (.silent, .notPlayed?): return nil
    case (.silent, _) where hasFinding([.oneWayAudio, .noMedia], at: end): return nil
    case (.silent, .notForwarded?), (.poor, .notForwarded?):
      return
        "Sound that was sent did not reach \(name)\(from): \(behindServer)."
    case (.silent, _): return "No sound reached \(name)\(from)."
    case (.noPicture, .notForwarded?):
      return
        "A picture that was sent did not reach \(name)\(from): \(behindServer)."
    case (.noPicture, _) where hasFinding([.videoPaused, .noPicture, .noMedia], at: end): return nil
    case (.noPicture, _): return "No picture reached \(name)\(from)."
    case (.notSent, .silentSource?):
      return "What \(name) was sent was silent\(from): a mute key, or a microphone that gives nothing."
    case (.notSent, _):
      return
        "\(Measure.sentence(name)) was sent no sound\(from), and nothing shows that it should have been: a voicemail, a recorder or a mute key does that."
    default: return nil
    }
  }

  /// What became of media that a server had: the place of the fault tells whether it passed them on.
  private var behindServer: String {
    account.call.place?.rule.place.isBehindServer == true
      ? "a server had it, and it was lost behind that" : "a server had it, and did not pass it on"
  }

  /// Whether the sentence on the verdict, or an error, tells that these ends missed something at a time; an outage of all
  /// media is told with its times in any case.
  func tellsOf(_ time: MissedTime, at ends: [String]) -> Bool {
    guard let verdict = account.call.verdict, account.call.markedVerdict == nil, let span = verdict.span,
      time.what != .lost || time.medium != nil, ends.allSatisfy(sufferingEnds.contains),
      time.medium == nil || time.medium == verdict.medium,
      min(span.upperBound, time.untilMs) - max(span.lowerBound, time.fromMs) > time.lengthMs / 2
    else { return false }
    let told = ScoreCaveats(account).errors.map(\.end)
    return explanation != nil || ends.allSatisfy(told.contains)
  }

  /// The end that the verdict is on, with those of which the same became at the time.
  private var sufferingEnds: [String] {
    guard let verdict = account.call.verdict, let end = verdict.end else { return [] }
    guard [.silent, .noPicture, .notSent].contains(verdict.value), let span = verdict.span,
      let medium = verdict.medium,
      let fate = account.ends.first(where: { $0.name == end })?.fate(of: medium, during: span)
    else { return [end] }
    return account.ends.filter { $0.name == end || $0.fate(of: medium, during: span) == fate }.map(\.name)
  }

  /// The same in words.
  private var sufferers: String? {
    let same = sufferingEnds
    guard !same.isEmpty else { return nil }
    return same.count == 2 && account.ends.count == 2
      ? "either end" : Measure.list(same.prefix(4).map(EndWords.name))
  }

  private func hasFinding(_ codes: [FindingCode?], at end: String?) -> Bool {
    account.findings.contains {
      codes.contains($0.finding.code) && $0.end == end && $0.finding.severity != .info
    }
  }

  /// Maximum time before the end of the call for a span that lasts to the end, ms.
  private static let endSlackMs = 3000.0
}

extension Verdict.Value {
  /// CSS class of the verdict's colour; a mark has the same meaning.
  package var tone: String {
    switch self {
    case .failed, .dropped, .silent, .noPicture: "fail"
    case .poor: "unsure"
    case .fair, .good: "pass"
    case .notSent, .notSetUp, .unjudged: "plain"
    }
  }
}
