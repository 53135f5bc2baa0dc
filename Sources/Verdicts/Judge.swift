import CallModel

/// The thresholds of the rules; `docs/verdict.md` gives their reasons.
enum Threshold {
  /// Minimum length of a period without audio that is a fault by itself, ms.
  static let minMs = 5000.0
  /// Minimum length of missing media that lasts to the end, ms.
  static let toEndMs = 10_000.0
  /// Maximum time before the end of the call for a fault that lasts to its end, ms: media stops slightly before a
  /// hang-up.
  static let endSlackMs = 3000.0
  static let wholeShare = 0.9
  static let thirdShare = 1.0 / 3
  /// Score below which a period is bad, as for a window.
  static let badSound = QualityBand.poorBelow
  static let badPicture = QualityBand.poorPictureBelow
  /// Minimum share of a period with frozen video, or slow audio playout, that makes it bad.
  static let missedShare = 0.4
  static let badShare = 0.1
  /// The length of two windows, ms.
  static let badMs = 2 * Window.lengthMs
  static let badTotalMs = 60_000.0
  static let lossAtFarEnd = 0.1
  static let fairShare = 0.05
  static let fairMean = QualityBand.fair.rawValue
  /// Faults closer together than this are joined, ms.
  static let joinedMs = 1500.0
  static let minScoredMs = 4500.0
  static let recordedShare = 0.5
}

extension CallEvidence {
  /// The verdict on the call: the worst one of its ends and media, audio before video. And the verdict on each end that
  /// connected, or failed to, by its name: an end is missing if it was recorded too shortly to be called good and nothing
  /// bad is known of it.
  public var verdicts: (call: Verdict, ends: [String: Verdict]) {
    let basis = basis
    let own = ends.map { ownVerdicts(of: $0, basis: basis) }
    return (verdict(own.flatMap { $0 }, basis), byEnd(own))
  }

  /// The verdict on the call alone.
  public var verdict: Verdict { verdicts.call }

  private func verdict(_ verdicts: [Verdict], _ basis: Verdict.Basis) -> Verdict {
    switch outcome {
    case .missing: return Verdict(.unjudged, rule: VerdictRule.missing.rawValue, basis: .events)
    case .failed:
      let end = ends.first { $0.failure != nil }?.name
      return Verdict(.failed, rule: "failed", end: end, reason: trouble ?? .unknown, basis: basis)
    case .rejected, .busy, .noAnswer, .cancelled:
      return Verdict(
        .notSetUp, rule: VerdictRule.notSetUp.rawValue, reason: trouble ?? .signalling, basis: basis)
    case .completed, .dropped, .unknown: break
    }
    if let worst = worst(of: verdicts.filter(\.value.isAlarm)), outcome != .dropped || worst.value == .failed
    {
      return worst
    }
    if outcome == .dropped {
      let span = verdicts.first { $0.value == .silent }?.span
      return Verdict(
        .dropped, rule: VerdictRule.dropped.rawValue, reason: trouble ?? .unknown, basis: basis, span: span)
    }
    if let unjudged = withoutEnoughEvidence(basis) { return unjudged }
    let worst = worst(of: verdicts)
    let isUndecided = ends.contains { $0.media.contains { $0.summed.map { $0.rule == nil } ?? false } }
    if isUndecided, worst?.value == .good || worst == nil {
      return Verdict(.unjudged, rule: VerdictRule.lossUnplaced.rawValue, basis: basis)
    }
    return worst ?? Verdict(.unjudged, rule: VerdictRule.noMedia.rawValue, basis: basis)
  }

  private func byEnd(_ own: [[Verdict]]) -> [String: Verdict] {
    switch outcome {
    case .missing, .rejected, .busy, .noAnswer, .cancelled: return [:]
    case .failed, .completed, .dropped, .unknown: break
    }
    let verdicts = zip(ends, own).filter { outcome != .failed || $0.0.failure != nil }.flatMap(\.1)
    let pairs = ends.compactMap { end -> (String, Verdict)? in
      guard let name = end.name, let worst = worst(of: verdicts.filter { $0.end == name }),
        worst.value.isAlarm || isLongEnough([end])
      else { return nil }
      return (name, worst)
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private func ownVerdicts(of end: EndEvidence, basis: Verdict.Basis) -> [Verdict] {
    if let failure = end.failure {
      return [
        Verdict(
          .failed, rule: VerdictRule.endFailed.rawValue, end: end.name, reason: failure, basis: basis)
      ]
    }
    let own = end.media.compactMap { verdict(of: $0, at: end, basis: basis) }
    let isCovered = own.contains { $0.value.isAlarm || $0.value == .notSent }
    guard let error = end.error, !isCovered else { return own }
    return own + [
      Verdict(
        .poor, rule: VerdictRule.errorFinding.rawValue, end: end.name, medium: error.medium,
        reason: error.reason, basis: basis)
    ]
  }

  // Of two equally bad verdicts, audio comes before video, whichever end it is of.
  private func worst(of verdicts: [Verdict]) -> Verdict? {
    let order = Verdict.Value.allCases
    func rank(_ verdict: Verdict) -> Int {
      (order.firstIndex(of: verdict.value) ?? order.count) * 2 + (verdict.medium == .video ? 1 : 0)
    }
    return verdicts.min { rank($0) < rank($1) }
  }

  /// A verdict of unjudged if no rule finds the call bad but too little is known to call it good.
  private func withoutEnoughEvidence(_ basis: Verdict.Basis) -> Verdict? {
    func unjudged(_ rule: VerdictRule) -> Verdict {
      Verdict(.unjudged, rule: rule.rawValue, basis: basis)
    }
    let hasMedia = ends.contains {
      $0.media.contains { !$0.scored.isEmpty || !$0.faults.isEmpty || $0.summed != nil }
    }
    guard hasMedia else {
      let isShort = durationMs.map { $0 < Threshold.minMs } ?? false
      return unjudged(isShort && ends.contains { $0.isOnRecord } ? .tooShort : .noMedia)
    }
    if let durationMs,
      !ends.contains(where: { $0.recordedMs >= Threshold.recordedShare * (durationMs - $0.heldMs) })
    {
      return unjudged(.halfUnrecorded)
    }
    if ends.contains(where: \.isSoundUnseen) { return unjudged(.soundUnseen) }
    return isLongEnough(ends) ? nil : unjudged(.tooShort)
  }

  // Whether one medium of one of these ends was scored, or missing, for long enough.
  private func isLongEnough(_ ends: [EndEvidence]) -> Bool {
    let scored = ends.flatMap(\.media).map { $0.scored.reduce(0) { $0 + $1.lengthMs } }.max() ?? 0
    let missing = ends.flatMap(\.media).flatMap(\.faults).map(\.lengthMs).max() ?? 0
    let summed = ends.flatMap(\.media).compactMap { $0.summed?.talkMs }.max() ?? 0
    return max(scored, missing, summed) >= Threshold.minScoredMs
      && !ends.contains { $0.lacksSound || $0.isSoundUnseen }
  }

  private var basis: Verdict.Basis {
    // An SDK's own rating counts only if nothing was measured.
    let all = ends.compactMap(\.basis)
    let measured = all.filter { $0 != .sdkReport }
    let known = measured.isEmpty ? all : measured
    guard let first = known.first else { return .events }
    if known.allSatisfy({ $0 == .oneEnd }) {
      return ends.count > 2 ? .ends(known.count, of: ends.count) : known.count > 1 ? .bothEnds : .oneEnd
    }
    return known.count == 1 ? first : known.first { $0 != .oneEnd } ?? first
  }

  // MARK: One medium at one end

  private func verdict(of medium: MediumEvidence, at end: EndEvidence, basis: Verdict.Basis) -> Verdict? {
    func result(_ rule: VerdictRule, _ fault: MediaFault? = nil, atFarEnd isFarEnds: Bool = false) -> Verdict
    {
      let suffering = isFarEnds ? farEnd(of: end) : end.name
      return Verdict(
        rule.value, rule: rule.rawValue, end: suffering, medium: medium.medium, reason: fault?.reason,
        basis: basis,
        span: fault.map { $0.startMs...max($0.startMs, $0.endMs) })
    }
    let isSound = medium.medium == .audio
    let proven = joined(medium.faults.filter { $0.isProven || isTalk == true })
    for fault in proven {
      if let rule = missing(fault, of: medium, hungUp: end.hungUp) { return result(rule, fault) }
    }
    if let summed = medium.summed, medium.faults.isEmpty {
      return summed.rule.map { result($0, atFarEnd: summed.isAtSwitch) }
    }
    let bad = badTime(of: medium, proven)
    if let gap = proven.max(by: { $0.lengthMs < $1.lengthMs }), gap.lengthMs >= Threshold.toEndMs {
      return result(.longGap, gap)
    }
    if bad.windows >= 2, Self.isMuch(bad.badMs, of: bad.allMs) {
      return result(.badTime, proven.first)
    }
    // Video that was bad for so short a time may only have been starting.
    if isSound, bad.badMs >= max(Threshold.minScoredMs, Threshold.wholeShare * bad.allMs) {
      return result(.badThroughout, proven.first)
    }
    let lostMs = medium.lostAtFarEnd.reduce(0) { $0 + ($1.share >= Threshold.lossAtFarEnd ? $1.lengthMs : 0) }
    if isSound, Self.isMuch(lostMs, of: medium.sentMs) { return result(.lossAtFarEnd, atFarEnd: true) }
    if isSound, isTalk != false {
      let unproven = joined(medium.faults)
      if let whole = unproven.first(where: { isWhole($0, of: medium) }) {
        return result(.notSentWhole, whole)
      }
      if let last = unproven.first(where: { $0.lengthMs >= Threshold.toEndMs && lastsToEnd($0, of: medium) })
      {
        return result(.notSentToEnd, last)
      }
      // Silence that ends is a mute; if no packets arrive, the cause is unknown.
      let length = length(of: medium)
      if let third = unproven.first(where: { fault in
        fault.reason == .notSent && !fault.isPause && fault.lengthMs >= Threshold.toEndMs
          && length.map { fault.lengthMs >= Threshold.thirdShare * $0 } ?? false
      }) {
        return result(.notSentThird, third)
      }
    }
    guard let scored = medium.scored.mean else { return nil }
    // A machine that listens need not be sent anything.
    let mean = isTalk == false ? scored : medium.meanScore ?? scored
    if isSound && mean < Threshold.fairMean
      || bad.windows >= 1 && bad.badMs >= Threshold.fairShare * bad.allMs
    {
      return result(.impaired)
    }
    return result(.heardWell)
  }

  /// The other one of two ends; nil if it is not on record, or if there are more.
  private func farEnd(of end: EndEvidence) -> String? {
    ends.count == 2 ? ends.first { $0.name != end.name }?.name : nil
  }

  /// Whether enough of a period was bad to call all of it bad.
  static func isMuch(_ badMs: Double, of wholeMs: Double) -> Bool {
    badMs >= Threshold.badTotalMs
      || badMs >= Threshold.badMs * 0.75 && badMs >= Threshold.badShare * wholeMs
  }

  /// The rule for a medium that was missing for so long, or at such a time, that nobody would say it was there; nil if
  /// none.
  private func missing(_ fault: MediaFault, of medium: MediumEvidence, hungUp: Bool) -> VerdictRule? {
    let isSound = medium.medium == .audio
    if isWhole(fault, of: medium) { return isSound ? .soundWhole : .pictureWhole }
    if fault.lengthMs >= Threshold.toEndMs, lastsToEnd(fault, of: medium) {
      return isSound ? .soundToEnd : .pictureToEnd
    }
    if let length = length(of: medium), fault.lengthMs >= Threshold.minMs,
      fault.lengthMs >= Threshold.thirdShare * length
    {
      return isSound ? .soundThird : .pictureThird
    }
    if isSound, fault.isLossShown, hungUp, fault.lengthMs >= Threshold.minMs, lastsToEnd(fault, of: medium) {
      return .soundLostAtEnd
    }
    return nil
  }

  /// How long a medium was to flow, without hold and mutes, ms.
  private func length(of medium: MediumEvidence) -> Double? {
    medium.expected.map { max(0, $0.upperBound - $0.lowerBound - medium.heldMs) }
  }

  private func isWhole(_ fault: MediaFault, of medium: MediumEvidence) -> Bool {
    guard let length = length(of: medium), fault.lengthMs >= Threshold.minMs else { return false }
    return fault.lengthMs >= Threshold.wholeShare * length
  }

  private func lastsToEnd(_ fault: MediaFault, of medium: MediumEvidence) -> Bool {
    medium.expected.map { fault.endMs >= $0.upperBound - Threshold.endSlackMs } ?? false
  }

  /// Faults in time order with adjacent ones joined; the reason is that of the longest.
  private func joined(_ faults: [MediaFault]) -> [MediaFault] {
    var joined: [MediaFault] = []
    var longest = 0.0
    for fault in faults.sorted(by: { $0.startMs < $1.startMs }) {
      guard var last = joined.last, fault.startMs <= last.endMs + Threshold.joinedMs else {
        joined.append(fault)
        longest = fault.lengthMs
        continue
      }
      if fault.lengthMs > longest {
        last.reason = fault.reason
        longest = fault.lengthMs
      }
      last.isLossShown = last.isLossShown || fault.isLossShown
      last.isProven = last.isProven || fault.isProven
      last.isPause = last.isPause && fault.isPause
      // Two faults of one time were on hold at the same times.
      last.heldMs = fault.startMs < last.endMs ? max(last.heldMs, fault.heldMs) : last.heldMs + fault.heldMs
      last.endMs = max(last.endMs, fault.endMs)
      joined[joined.count - 1] = last
    }
    return joined
  }

  /// How much of a medium's time was bad: windows with a bad score, and periods in which nothing was received. The first
  /// seconds of a stream count only if all that followed was bad too.
  private func badTime(of medium: MediumEvidence, _ missing: [MediaFault]) -> (
    badMs: Double, allMs: Double, windows: Int
  ) {
    let bar = medium.medium == .audio ? Threshold.badSound : Threshold.badPicture
    let allBad = medium.scored.filter { $0.score < bar || $0.missedShare >= Threshold.missedShare }
    let lasting = allBad.filter { !$0.isTransition }
    let bad = lasting.count == medium.scored.count { !$0.isTransition } ? allBad : lasting
    let spans = bad.map { ($0.startMs, $0.endMs) } + missing.map { ($0.startMs, $0.endMs) }
    let all = medium.scored.map { ($0.startMs, $0.endMs) } + missing.map { ($0.startMs, $0.endMs) }
    func covered(_ spans: [(Double, Double)]) -> Double {
      guard let first = spans.map(\.0).min(), let last = spans.map(\.1).max() else { return 0 }
      return SpanSet(spans.map { (start: $0.0, end: $0.1) }).covered(from: first, to: last)
    }
    let windows = bad.count + missing.reduce(0) { $0 + Int(($1.lengthMs / Window.lengthMs).rounded(.up)) }
    return (covered(spans), max(covered(all), medium.scored.reduce(0) { $0 + $1.lengthMs }), windows)
  }
}
