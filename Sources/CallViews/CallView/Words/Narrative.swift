import CallModel
import Rendering

/// The call described for someone who knows nothing of RTP: a few sentences, the most important first.
struct Narrative {
  private let account: CallAccount
  private var caveats: ScoreCaveats { ScoreCaveats(account) }

  /// Whether to omit what the sections below show as well.
  private let briefly: Bool

  package init(_ account: CallAccount, briefly: Bool = false) {
    (self.account, self.briefly) = (account, briefly)
  }

  /// The sentences. Names in them come from the input and are already escaped for display.
  package var sentences: [String] {
    let verdict = VerdictWords(account)
    let logged = LoggedWords(account: account)
    let place = PlaceWords(account)
    var sentences = [verdict.line, place.rootCause, place.sentence, ending, verdict.explanation].compactMap {
      $0
    }
    sentences += logged.problems
    sentences += establishedButFailed ? caveats.errorSentences : connectionErrors
    if let conference { sentences.append(conference) }
    if let reported = logged.reported { sentences.append(reported) }
    if let held = logged.held { sentences.append(held) }
    sentences += account.moves + account.doings
    let early = account.isNeverAnswered ? earlySound : []
    sentences += early.isEmpty ? silence : early
    sentences += account.ends.compactMap(quality)
    sentences += caveats.findingSentences(account.findings.filter { $0.finding.code == .mediaClock })
    sentences += agreement
    sentences += caveats.stillPicture
    sentences += caveats.reportedLoss
    sentences += unrecorded
    sentences += account.ends.flatMap(caveats.sentences)
    sentences += causes
    if let setup { sentences.append(setup) }
    sentences += account.restarts.prefix(3).map(SetupWords.recovery)
    if let why = logged.why { sentences.append(why) }
    return sentences
  }

  // MARK: How it ended

  private var ending: String {
    let call = account.call
    let signalling = SignallingWords(events: account.events)
    let after = lasted
    let plain = ["normal", "remote", "local", "hangup"]
    let isSame = call.endCode?.lowercased() == call.endReason?.lowercased()
    let reason = [call.endCode, isSame ? nil : call.endReason].compactMap { $0 }.filter {
      !$0.isEmpty && !plain.contains($0)
    }
    .map { VisibleText.visible(VisibleText.cut($0, to: 90)) }
    let why = reason.isEmpty ? "" : " (\(reason.joined(separator: ", ")))"
    switch call.outcome {
    case .completed:
      let how = [account.whoHungUp.map { "\(EndWords.name($0)) hung up" }, reasonInWords].compactMap { $0 }
      return "Completed\(after)\(how.isEmpty ? "" : " (\(how.joined(separator: ", ")))")."
        + signalling.withoutACK
        + signalling.ignoredBye
    case .dropped: return "Dropped\(after)\(why)."
    case .failed:
      return "Failed\(why)\(signalling.refusedCredentials)"
        + (account.wasMediaReceived ? "." : ": the call was never connected.")
    case .rejected: return "Rejected\(why)."
    case .busy: return "Busy\(why)."
    case .noAnswer: return "Nobody answered\(why)."
    case .cancelled where account.isAnsweredElsewhere:
      let code = call.endCode.map { " (\(VisibleText.visible(VisibleText.cut($0, to: 60))))" }
      return "Answered on another device\(code ?? "")."
    case .cancelled: return "Cancelled before it was \(account.isAnswered ? "connected" : "answered")\(why)."
    case .missing: return "Missing: the manifest names this call, but no file of it was imported."
    case .unknown:
      return
        (coveredMs.map { "How it ended is not known; the files cover \(Measure.clock($0))." }
        ?? "How it ended is not known.") + signalling.neverAnswered
    }
  }

  /// ` after 0:40`; where it was answered well after the zero of all times, ` after 0:40, at 1:10`.
  private var lasted: String {
    guard let lastedMs = account.call.durationMs else { return "" }
    let clock = Measure.clock(lastedMs)
    let over = account.ownEvents.filter { $0.record.event.isEnd }.compactMap(\.record.timeMs).max()
    guard let zero = account.zeroMs, let over, over - zero >= lastedMs + Self.minBeforeAnswerMs else {
      return " after \(clock)"
    }
    return " after \(clock), at \(Measure.clock(over - zero))"
  }

  /// Less between the zero of all times and the answer is told nowhere.
  private static let minBeforeAnswerMs = 5000.0

  /// The reason given by the side that ended the call, if it says more than the outcome.
  private var reasonInWords: String? {
    guard let reason = account.call.endReason,
      account.events.contains(where: {
        $0.record.event == .callEnded && $0.record[.reason] == reason
          && $0.record[.words] == reason
      })
    else { return nil }
    return VisibleText.visible(VisibleText.cut(reason, to: 60))
  }

  /// The time covered by the files, ms; if clocks differ, the known duration of the call.
  private var coveredMs: Double? {
    let spanMs = account.zeroMs.flatMap { zero in account.lastMs.map { $0 - zero } }
    let isSkewed = account.findings.contains { $0.finding.code == .clockSkew }
    return isSkewed ? account.call.durationMs : spanMs ?? account.call.durationMs
  }

  private var establishedButFailed: Bool { account.call.outcome == .completed }

  /// Why the ends could not connect, from the findings, and what was tried.
  private var connectionErrors: [String] {
    let errors = account.findings.filter {
      $0.finding.severity == .error && $0.finding.code != .noMedia && !$0.finding.isOfEvents
    }
    func has(_ code: FindingCode) -> Bool { errors.contains { $0.finding.code == code } }
    var sentences = caveats.findingSentences(
      errors.filter { ![.iceNeverConnected, .dtlsNeverConnected].contains($0.finding.code) })
    let isDead = account.call.outcome == .failed && !account.wasMediaReceived
    // Without the answer at one end, neither the checks of both ends nor the handshake can finish.
    let isAnswerMissing = has(.answerNotReceived)
    let neverConnected =
      !isAnswerMissing && !has(.noCandidatePair)
      && (has(.iceNeverConnected) || (isDead && account.triedICE && !account.foundPath))
    if neverConnected {
      sentences.insert(
        "ICE never connected: no path between the two ends let packets through both ways.", at: 0)
    } else if !isAnswerMissing, has(.dtlsNeverConnected) || (isDead && account.foundPath) {
      sentences.insert(
        "DTLS never connected: \(account.foundPath ? "ICE found a path, but the" : "the") handshake for the keys did not finish.",
        at: 0)
    }
    if isDead { sentences.insert(contentsOf: refusals, at: 0) }
    if isDead, sentences.isEmpty, account.isAnswered {
      sentences = ["It was answered, but its media never connected; the log has no ICE or DTLS events."]
    }
    return Array(sentences.prefix(3)) + (neverConnected ? CandidateWords.sentences(account) : [])
  }

  /// The end whose camera or microphone made the call fail, and why.
  private var refusals: [String] {
    account.ends.compactMap { end in
      end.attempts.last?.deviceFailure.map {
        Measure.sentence("\(EndWords.name(end.name)): \(VisibleText.visible($0)).")
      }
    }
  }

  // MARK: How it was

  private var conference: String? {
    let participants = Participants(account)
    let count = participants.present.count
    guard count > 1 else { return nil }
    let talker = participants.people.filter { $0.spokeMs > 0 }.max { $0.spokeMs < $1.spokeMs }
    let name = talker.map { VisibleText.cut(VisibleText.visible($0.name), to: 40) }
    let most = participants.most == count ? "" : ", at most \(participants.most) at a time"
    let spoke = name.map { "; \($0) spoke most" } ?? ""
    return "A conference: \(count) people were there\(most)\(spoke)."
  }

  private func quality(_ end: EndAccount) -> String? {
    guard let score = end.score, !score.isGood else { return nil }
    let totals = EndTotals(end.windows)
    var experience: [String] = []
    if totals.missedAudioMs + totals.brokenAudioMs > 0 {
      // As the outages tell it; windows are of 5 s.
      let exactMs = end.missedMs(of: .audio) ?? 0
      let missedMs = exactMs > 0 ? min(exactMs, totals.audioMs) : totals.missedAudioMs
      let parts = [
        missedMs > 0 ? "nothing for \(Measure.duration(missedMs))" : nil,
        totals.brokenAudioMs > 0 ? "poor sound for \(Measure.duration(totals.brokenAudioMs))" : nil,
      ].compactMap { $0 }
      let isAll = totals.missedAudioMs + totals.brokenAudioMs >= totals.audioMs
      let all = isAll ? "" : " of \(Measure.duration(totals.audioMs))"
      experience.append("heard \(Measure.list(parts))\(all)")
    }
    if let picture = totals.pictureWords(unseenMs: end.missedMs(of: .video) ?? 0) {
      experience.append(picture)
    }
    let who = Measure.sentence(EndWords.name(end.name))
    var sentence =
      experience.isEmpty
      ? "\(who) had \(EndWords.band(score.mean)) quality, score \(Measure.points(score.mean))"
      : "\(who) \(Measure.list(experience)): score \(Measure.points(score.mean))"
    if let missing = missing(end, totals) { sentence += "; " + missing }
    let isDelayTold = briefly ? score.causes.first?.cause == .delay : (score.pointsLost[.delay] ?? 0) >= 2
    if isDelayTold, let delay = totals.inputs.delayMs {
      let way = totals.audioMs > 0 ? "mouth to ear" : "camera to screen"
      sentence += "; \(Measure.duration(delay)) from \(way)"
    }
    return sentence + "."
  }

  /// `of the sound 8 % was lost on the wire and 4.3 % concealed`: for the whole call, not only poor windows. Uncounted
  /// concealment is called estimated.
  private func missing(_ end: EndAccount, _ totals: EndTotals) -> String? {
    let kind: MediaKind = totals.audioMs > 0 ? .audio : .video
    let shares = totals.shares(of: end, kind)
    func percent(_ share: Double?) -> String? { share.flatMap { $0 >= 0.005 ? Measure.percent($0) : nil } }
    // If the packets arrived at a capture at the receiver, they were not lost on the wire.
    let isWire = shares.wire.map { $0 >= (shares.lost ?? 0) / 2 } ?? true
    let way =
      switch caveats.lossPlace(end) {
      case .inTransit: "lost on \(isWire ? "the wire" : "arrival")"
      case .perhapsNotCaptured: "lost or not captured"
      case .neverSent: "never sent"
      }
    let parts = [
      percent(shares.lost).map { "\($0) was \(way)" },
      percent(shares.concealed).map { share in
        "\(end.isConcealmentEstimated ? "an estimated " : "")\(share) \(percent(shares.lost) == nil ? "was " : "")concealed"
          + (shares.asSilence ?? "")
      },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : "of the \(kind == .audio ? "sound" : "picture") \(Measure.list(parts))"
  }

  /// Whether every end received video.
  private var hasVideo: Bool {
    account.ends.allSatisfy { $0.windows.contains { $0.video != nil } }
  }

  /// The ends without problems, in one sentence: all if the verdict is good, otherwise the others.
  private var agreement: [String] {
    let verdict = account.call.verdict
    let isGood = verdict.map { $0.value == .good || $0.value == .fair } ?? true
    let good = account.ends.filter { end in
      end.score?.isGood ?? false && !caveats.isWithoutSound(end) && !caveats.lostBeyond(end)
        && (isGood || verdict?.end != end.name)
    }
    guard !good.isEmpty else { return [] }
    let points = good.map { Measure.points($0.score?.mean ?? 0) }
    let scores = Set(points).count == 1 ? "score \(points[0])" : "scores \(Measure.list(points))"
    if isGood, good.count == account.ends.count, good.count == 2 {
      let wasVideoGood = hasVideo && caveats.stillPicture.isEmpty
      return ["Both ends \(wasVideoGood ? "heard and saw" : "heard") each other well: \(scores)."]
        + cutShort(good)
    }
    let who = Measure.sentence(Measure.list(good.map { EndWords.name($0.name) }))
    return ["\(who) had good quality: \(scores)."] + cutShort(good)
  }

  /// A sentence if the recordings of all ends stop before the call ends.
  private var unrecorded: [String] {
    guard let last = account.ends.compactMap({ $0.windows.last?.endMs }).max(),
      let over = account.events.filter({ $0.record.event == .callEnded }).compactMap(\.record.timeMs).min(),
      over - last >= Self.minUnrecordedMs
    else { return [] }
    return ["The last \(Measure.duration(over - last)) of the call are not on record."]
  }

  private static let minUnrecordedMs = 10_000.0

  /// Sentences on ends whose recording stops before the call ends.
  private func cutShort(_ ends: [EndAccount]) -> [String] {
    ends.compactMap { end in
      account.unrecordedTailMs(at: end).map {
        "Of \(EndWords.name(end.name)) the last \(Measure.duration($0)) of the call are not on record."
      }
    }
  }

  /// Where the points were lost at the worse end.
  private var causes: [String] {
    let worse = account.ends.filter { $0.score != nil }.min { ($0.score?.mean ?? 0) < ($1.score?.mean ?? 0) }
    guard let worse, let score = worse.score, score.mean < 89.5, let first = score.causes.first else {
      return []
    }
    let lost = score.causes.reduce(0) { $0 + $1.points }
    var sentence = "Most points went to \(first.cause.words) (\(first.points) of \(lost))"
    let next = score.causes.dropFirst().prefix(2).map { "\($0.cause.words) (\($0.points))" }
    if !next.isEmpty { sentence += ", then to \(Measure.list(next))" }
    if first.cause == .jitter, let unsentAddition = unsentAddition(at: worse) { sentence += unsentAddition }
    sentence += account.ends.count > 1 ? ", at \(EndWords.name(worse.name))." : "."
    // What began it has told the same.
    let isTold = PlaceWords(account).rootCause != nil
    let improvement = isTold ? nil : ImprovementWords(worse, from: account.zeroMs)?.sentence
    return [sentence + (improvement.map { " " + $0 } ?? "")]
  }

  /// The addition that jitter is not to blame, if most concealed but not lost audio was not sent.
  private func unsentAddition(at end: EndAccount) -> String? {
    let scored = end.windows.filter { $0.score != nil }
    guard let first = scored.first, let last = scored.last else { return nil }
    let inputs = EndTotals(scored).inputs
    let unsentMs = caveats.unsent(to: end).covered(from: first.startMs, to: last.endMs)
    guard let made = inputs.concealedShare, let lost = inputs.lossShare else { return nil }
    let lengthMs = scored.reduce(0) { $0 + $1.endMs - $1.startMs }
    guard Cause.isUnsent(unsentMs, late: made - lost, of: lengthMs) else { return nil }
    return ": the far end sent nothing for \(Measure.duration(unsentMs))"
  }

  /// The longest period in which each end missed something, unless the verdict told of it.
  private var silence: [String] {
    guard let start = account.zeroMs else { return [] }
    var longest: [(time: MissedTime, ends: [String])] = []
    for end in account.ends {
      guard let time = end.missed.max(by: { $0.lengthMs < $1.lengthMs }) else { continue }
      if let index = longest.firstIndex(where: { $0.time.isLike(time) }) {
        longest[index].ends.append(end.name)
        if time.lengthMs > longest[index].time.lengthMs { longest[index].time = time }
      } else {
        longest.append((time, [end.name]))
      }
    }
    let told = VerdictWords(account)
    return longest.filter { !told.tellsOf($0.time, at: $0.ends) }.prefix(3).map { time, ends in
      let who =
        ends.count == 2 && account.ends.count == 2 ? "either end" : Measure.list(ends.map(EndWords.name))
      let (from, until) = (Measure.clock(time.fromMs - start), Measure.clock(time.untilMs - start))
      return "\(time.words(at: who)) for \(Measure.duration(time.lengthMs)), from \(from) to \(until)."
    }
  }

  /// What was heard of a call that nobody answered.
  private var earlySound: [String] {
    account.ends.compactMap { end in
      let heardMs = EndTotals(end.windows).audioMs
      guard heardMs > 0 else { return nil }
      return Measure.sentence(
        "\(EndWords.name(end.name)) heard sound for \(Measure.duration(heardMs)) before any answer: ringing or an announcement, and no conversation."
      )
    }
  }

  private var setup: String? {
    let attempt = account.leadingAttempt
    guard let total = account.call.setupMs else {
      return attempt?.isBelowClock ?? false ? "It was connected \(SetupWords.belowClock)." : nil
    }
    let phases = attempt?.phases.filter { $0.state == .measured && $0.name.countsAsSetup } ?? []
    let counted = phases.map { (phase: $0, lasted: $0.waitedMs ?? 0) }
    var sentence = "Setup took \(SetupWords.total(total, of: attempt))"
    if let slow = counted.max(by: { $0.lasted < $1.lasted }), slow.lasted >= total * 0.3, slow.lasted > 0,
      counted.count > 1
    {
      sentence += ", \(Measure.duration(slow.lasted)) of it \(slow.phase.name.words)"
      if !briefly, let cause = slow.phase.cause { sentence += " (\(VisibleText.visible(cause)))" }
    }
    if let ringing = account.call.ringingMs, ringing > 0 {
      let phones = self.phones
      sentence += "; \(phones.rang) for \(Measure.duration(ringing))\(phones.answered)"
    }
    return sentence + "."
  }

  /// How many phones rang, and which one answered.
  private var phones: (rang: String, answered: String) {
    let answer = account.events.lazy.map(\.record).first { $0[.phonesRang] != nil }
    guard let answer, let rang = answer[.phonesRang] else { return ("it rang", "") }
    let host = answer[.answeredAt].map { ", and the one at \(VisibleText.visible($0)) answered" }
    return ("\(rang) phones rang", host ?? "")
  }
}

extension PhaseName {
  /// The phase in running text.
  package var words: String {
    switch self {
    case .capture: "camera and microphone permission"
    case .gathering: "gathering candidates"
    case .signalling: "signalling"
    case .push: "waiting for a push"
    case .ringing: "ringing"
    case .negotiation: "negotiation"
    case .ice: "finding a path (ICE)"
    case .dtls: "the DTLS handshake"
    case .iceAndDtls: "ICE and DTLS"
    case .firstPacket: "waiting for the first packet"
    case .firstFrame: "waiting for the first picture"
    case .firstAudio: "waiting for the first sound"
    }
  }

  /// Whether the phase is part of the total.
  var countsAsSetup: Bool {
    switch self {
    case .gathering, .signalling, .push, .negotiation, .ice, .dtls, .iceAndDtls: true
    default: false
    }
  }
}
