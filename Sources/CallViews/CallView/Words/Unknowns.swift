import CallModel
import Rendering

/// What readers should know that the files do not contain.
struct Unknowns {
  private let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  /// What is unknown in a few words each, without explanations.
  package var subjects: [String] {
    sentences.map { sentence in
      let subject = sentence.prefix { $0 != ":" }
      return subject.prefix(1).lowercased() + subject.dropFirst()
    }
  }

  /// Sentences on what is unknown; empty if nothing is.
  package var sentences: [String] {
    var sentences: [String] = []
    if account.call.outcome == .unknown { sentences.append(howItEnded) }
    if account.ends.count < 2, account.call.outcome != .missing, Participants(account).people.isEmpty {
      let voices = account.ends.first.map(voicesAtOnce) ?? 0
      sentences.append(
        voices > 1
          ? "The other ends, \(voices) or more by the sounds that came at one time: no file of them was imported."
          : "The other end: no file of it was imported, so what it heard and saw is not known.")
    }
    // A call that was never established has no setup time.
    if account.call.setupMs == nil, ![.missing, .failed].contains(account.call.outcome) {
      let isBelowClock = account.leadingAttempt?.isBelowClock ?? false
      sentences.append(
        "How long setup took: \(isBelowClock ? Phase.belowClock : "the events that bound it are missing").")
    }
    sentences += ofEnds
    if let other = callWithMedia {
      sentences.append(
        "Its media, which bypassed the user agent between the ends: they are recorded under another call (Call-ID \(other))."
      )
    }
    for source in account.sources {
      let name = VisibleText.visible(source.name)
      if source.status == "partial" {
        sentences.append(
          "\(name) was read only in part\(source.reason.map { ": \(VisibleText.visible($0))" } ?? "").")
      }
      if source.prunedMs != nil {
        sentences.append("\(name): its samples were pruned; only the judgement is left.")
      }
    }
    return sentences
  }

  /// The Call-ID of the call under which media of this one is on record.
  private var callWithMedia: String? {
    account.events.lazy.map(\.record).first { $0.note == .mediaElsewhere }?[.call]
      .map { VisibleText.visible($0) }
  }

  /// How many sounds an end received at one time, for 5 s or more: a server sends one for each of the others.
  private func voicesAtOnce(_ end: EndAccount) -> Int {
    let spans = end.ownStreams.filter {
      $0.direction == .inbound && $0.kind == .audio && $0.role == nil && $0.number("packets") ?? 0 > 0
    }.compactMap { stream in stream.firstMs.flatMap { first in stream.lastMs.map { (first, $0) } } }
    return spans.map { one in spans.count { $0.0 <= one.0 && min($0.1, one.1) - one.0 >= 5000 } }.max() ?? 0
  }

  // If only the end of a call was logged, the reason may be known but not what ended.
  private var howItEnded: String {
    guard let reason = account.call.endReason else {
      let isEndReported = account.ownEvents.contains {
        [.callEnded, .callFailed].contains($0.record.event)
      }
      return isEndReported
        ? "How the call ended: the log shows its end, but not why, and not whether it was answered."
        : "How the call ended: no event says so."
    }
    return
      "How the call ended: the reason is known (\(VisibleText.visible(reason))), but not whether it was answered."
  }

  /// Placeholder for the end's name in a sentence.
  private static let name = "\u{0}"

  /// Sentences on single ends; those that apply to several ends are combined.
  private var ofEnds: [String] {
    var grouped: [(sentence: String, ends: [String])] = []
    for end in account.ends {
      for sentence in unknowns(of: end) {
        if let place = grouped.firstIndex(where: { $0.sentence == sentence }) {
          grouped[place].ends.append(EndWords.name(end.name))
        } else {
          grouped.append((sentence, [EndWords.name(end.name)]))
        }
      }
    }
    return grouped.map { sentence, ends in
      let isAll = ends.count > 3 && ends.count == account.ends.count
      let rest = ends.count - 3
      let names =
        isAll
        ? "all \(ends.count) ends"
        : rest > 1 ? "\(ends.prefix(3).joined(separator: ", ")) and \(rest) more" : Measure.list(ends)
      return sentence.replacing(Self.name, with: names)
    }
  }

  /// Sentences with `name` in place of the end's name.
  private func unknowns(of end: EndAccount) -> [String] {
    let name = Self.name
    var sentences: [String] = []
    let inbound = end.streams.filter { $0.direction == .inbound }
    if end.windows.isEmpty {
      guard account.call.scoreMean == nil || account.call.scoreEndpoint != end.name else {
        return ["How the quality at \(name) came about: its score is on record, and no window of it."]
      }
      sentences.append(
        inbound.isEmpty
          ? "The quality at \(name): no received stream is on record."
          : "The quality at \(name): too little was recorded for a score.")
      return sentences
    }
    if let head = end.unrecordedMs {
      sentences.append(
        "The quality at \(name) for about its first \(Measure.duration(head)): media came already, and its record begins only then."
      )
    }
    if let unrecorded = account.unrecordedTailMs(at: end) {
      sentences.append(
        "The quality at \(name) for the last \(Measure.duration(unrecorded)): its files end before.")
    }
    let unscored = end.windows.filter { $0.state == .unscored }
    if !unscored.isEmpty {
      let length = unscored.reduce(0) { $0 + $1.endMs - $1.startMs }
      sentences.append(
        "The quality at \(name) for \(Measure.duration(length)): muted, held or too little recorded.")
    }
    if let sparse = end.sparseReports {
      let part = sparse.lengthMs.map { " for \(Measure.duration($0)) in all" } ?? ""
      sentences.append(
        "How it was at \(name) from one report to the next\(part): \(part.isEmpty ? "" : "there ")they came \(Measure.duration(sparse.apartMs)) apart, and every window between two of them has their mean."
      )
    }
    let scored = end.windows.filter { $0.score != nil }
    if !scored.isEmpty, scored.allSatisfy({ $0.inputs.delayMs == nil }) {
      sentences.append(
        "The delay towards \(name): no round trip was measured, so no points were taken for it.")
    }
    if end.isConcealmentEstimated, scored.contains(where: { $0.inputs.concealedShare != nil }) {
      sentences.append(
        "How much of the sound was concealed or came too late at \(name): the source does not count it; it is estimated from loss and jitter."
      )
    }
    if account.isPicturePromised(to: end) {
      sentences.append(
        "Whether a picture was sent to \(name): the descriptions allow one, and no packet of it came.")
    }
    if end.hasPicture, !scored.isEmpty,
      scored.allSatisfy({ $0.inputs.freezeShare == nil })
    {
      sentences.append("Freezes at \(name): the source does not report them.")
    }
    let phases =
      SetupAttempt.leading([end.attempts])?.phases.filter {
        $0.state == .unknown && $0.name != .iceAndDtls && $0.name != .ringing
      } ?? []
    if !phases.isEmpty {
      let names = Measure.list(phases.map { $0.name.rawValue })
      // If some phases are measured, do not say that all are missing.
      let isSome = end.attempts.contains { $0.phases.contains { $0.state == .measured } }
      sentences.append(
        isSome
          ? "\(names.prefix(1).uppercased() + names.dropFirst()) of the setup at \(name): no event shows when."
          : "Phases of the setup at \(name): \(names).")
    }
    return sentences
  }
}
