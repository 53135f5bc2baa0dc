import CallModel
import Rendering

/// What a good score does not show: audio that never arrived or was inaudible, video that stopped, and loss that no
/// score includes.
struct ScoreCaveats {
  package let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  /// The errors that say that sound, or all media, failed at an end.
  var errors: [AccountFinding] {
    account.findings.filter {
      $0.finding.severity == .error && [.oneWayAudio, .noMedia].contains($0.finding.code)
    }
  }

  /// Whether audio failed at an end, so that no score of what did arrive is meaningful.
  func isWithoutSound(_ end: EndAccount) -> Bool {
    if let verdict = account.call.verdict, [.silent, .notSent].contains(verdict.value),
      verdict.end == end.name
    {
      return true
    }
    return errors.contains { $0.end == end.name }
  }

  /// Whether an end is judged by a capture that missed packets which reached the end.
  func captureMissed(_ end: EndAccount) -> Bool {
    end.windowSource == .capture
      && account.findings.contains { $0.finding.code == .captureLoss && $0.end == end.name }
  }

  /// Whether the other end of a two-party call reports that this one lost more than its score includes.
  func lostBeyond(_ end: EndAccount) -> Bool {
    ownLoss(end) != nil
      || account.ends.count == 2 && end.windowSource == .capture
        && account.findings.contains {
          $0.finding.code == .remoteLoss && $0.finding.severity == .warning && $0.end != end.name
        }
  }

  /// The loss that an end scored by a capture reported itself (RFC 6035 and its like), %; nil if that is less than what
  /// a far end is warned for, or if the capture has most of it.
  private func ownLoss(_ end: EndAccount) -> Double? {
    guard end.windowSource == .capture else { return nil }
    let report = account.events.last {
      $0.end == end.name && $0.record.event == .mediaQualityReported && $0.record[.of] != "sent"
    }
    let captured = StreamRanking.worst(end, .audio).compactMap(StreamWords.lossShare).max() ?? 0
    return report?.record[.lossPercent].flatMap {
      $0 >= 100 * Threshold.lossWarning.value && 100 * captured < $0 / 2 ? $0 : nil
    }
  }

  /// Audio failures with their ends.
  package var errorSentences: [String] { findingSentences(errors) }

  /// Frozen video at ends whose score is good nevertheless.
  var stillPicture: [String] {
    findingSentences(
      account.findings.filter { entry in
        entry.finding.code == .videoPaused
          && account.ends.contains { $0.name == entry.end && $0.score?.isGood ?? false }
      })
  }

  /// Loss reported by far ends, if none of their own files shows it.
  package var reportedLoss: [String] {
    findingSentences(account.findings.filter { $0.finding.code == .remoteLoss })
  }

  /// The first few findings in words, each with its ends if there are several; of repeated findings of an end, the
  /// longest.
  package func findingSentences(_ findings: [AccountFinding]) -> [String] {
    var groups: [[AccountFinding]] = []
    for entry in findings {
      if let index = groups.firstIndex(where: { $0[0].isLike(entry) }) {
        groups[index].append(entry)
      } else {
        groups.append([entry])
      }
    }
    var groupedTexts: [(text: String, times: Int, ends: [String])] = []
    for group in groups {
      guard let longest = group.max(by: { $0.finding.lengthMs < $1.finding.lengthMs }) else { continue }
      let text = VisibleText.visible(longest.finding.text)
      let end = longest.end.map { [EndWords.name($0)] } ?? []
      if let index = groupedTexts.firstIndex(where: { $0.text == text && $0.times == group.count }) {
        groupedTexts[index].ends += end.filter { !groupedTexts[index].ends.contains($0) }
      } else {
        groupedTexts.append((text, group.count, end))
      }
    }
    return groupedTexts.prefix(3).map { text, times, ends in
      let here = account.ends.count > 1 && !ends.isEmpty ? "at \(Measure.list(ends))" : nil
      let often = times > 1 ? "\(times) times, at the longest" : nil
      let place = [here, often].compactMap { $0 }.joined(separator: " ")
      return place.isEmpty ? text : "\(Measure.sentence(place)): \(text)"
    }
  }

  /// What the score of an end does not include; empty if nothing.
  package func sentences(_ end: EndAccount) -> [String] {
    let head = end.significantUnrecordedMs.map {
      "The score of \(EndWords.name(end.name)) leaves out about the first \(Measure.duration($0)): its record begins only then."
    }
    return [end.score == nil ? nil : head, sentence(end)].compactMap { $0 }
  }

  private func sentence(_ end: EndAccount) -> String? {
    guard let score = end.score else { return nil }
    let name = EndWords.name(end.name)
    if isWithoutSound(end), score.isGood {
      return "The score of \(name), \(Measure.points(score.mean)), covers only the packets that arrived."
    }
    if let percent = ownLoss(end), score.isGood {
      return
        "\(Measure.sentence(name)) itself reported \(Measure.percent(percent / 100)) of the sound as lost; its score, \(Measure.points(score.mean)), does not include it."
    }
    if lostBeyond(end), score.isGood {
      return "The score of \(name), \(Measure.points(score.mean)), does not include it."
    }
    let heard = end.ownStreams.filter {
      $0.direction == .inbound && $0.kind == .audio && ($0.number("packets") ?? 0) > 0
    }
    let isUncounted = heard.allSatisfy { $0.number("lost") == nil && $0.number("concealed_share") == nil }
    return heard.isEmpty || !isUncounted
      ? nil : "Loss of sound at \(name) is not reported: the score does not include it."
  }
}

extension AccountFinding {
  /// Whether another finding repeats this one at the same end.
  fileprivate func isLike(_ other: AccountFinding) -> Bool {
    end == other.end && finding.code == other.finding.code && finding.kind == other.finding.kind
  }
}

extension Finding {
  fileprivate var lengthMs: Double { startMs.flatMap { start in endMs.map { $0 - start } } ?? 0 }
  /// What distinguishes findings with the same code: the figure they are based on, or their medium.
  fileprivate var kind: String? {
    ["kind", "silent_ms", "without_packets_ms"].compactMap { name in
      evidence[name].map { name == "kind" ? "\($0)" : name }
    }.first
  }
}
