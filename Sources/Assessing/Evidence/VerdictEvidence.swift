import CallModel
import Scoring
import SetupTime
import Verdicts

/// Translates the results for the ends of a call into the terms of the verdict rules.
struct VerdictEvidence {
  let ends: [EndpointAssessment]
  let findings: [Int64: [Finding]]
  /// The first two ends that received media.
  private let firstReceivers: [Int64]
  /// Whether the call was up at any end. It is asked of each of thousands of ends.
  let wasUp: Bool

  /// - Parameter findings: the findings of each end, corrected by its other end.
  init(_ ends: [EndpointAssessment], findings: [Int64: [Finding]]) {
    self.ends = ends
    self.findings = findings
    firstReceivers = ends.lazy.filter(\.hasReceived).prefix(2).map(\.endpoint.key)
    wasUp = ends.contains { $0.wasUp }
  }

  /// Whether another end than this one received media.
  func hasReceived(besides end: EndpointAssessment) -> Bool {
    firstReceivers.contains { $0 != end.endpoint.key }
  }

  /// - Parameter role: the purpose of the call, if an attribute states it.
  func evidence(outcome: Outcome, durationMs: Double?, role: CallRole?) -> CallEvidence {
    var evidence = CallEvidence(outcome: outcome)
    switch role {
    case .talk, .conference: evidence.isTalk = true
    case .some: evidence.isTalk = false
    case nil: evidence.isTalk = nil
    }
    evidence.durationMs = ends.contains { $0.lastedMs != nil } ? durationMs : nil
    evidence.trouble = trouble(at: ends)
    evidence.ends = ends.map(end)
    for place in ends.indices { addLossAtFarEnd(of: ends[place], to: &evidence) }
    if ends.count == 1, let farEnd = ends.first.flatMap(unrecordedFarEnd) { evidence.ends.append(farEnd) }
    return evidence
  }

  // MARK: One end

  private func end(_ end: EndpointAssessment) -> EndEvidence {
    var evidence = EndEvidence(end.endpoint.name)
    evidence.basis = basis(of: end)
    let windows = end.judgingWindows
    evidence.recordedMs = windows.reduce(0) { $0 + ($1.state == .unscored ? 0 : $1.endMs - $1.startMs) }
    evidence.heldMs = heldMs(at: end)
    evidence.lacksSound = lacksSound(at: end)
    evidence.isSoundUnseen = (findings[end.endpoint.key] ?? []).contains {
      $0.evidence.has("unseen_ms")
    }
    evidence.failure = failure(of: end)
    evidence.hungUp = end.ownEvents.contains { event in
      event.event == .callEnded
        && ["local", "hangup", "self", "this end"].contains(
          event[.by] ?? event[.reason] ?? "")
    }
    let ownFindings = findings[end.endpoint.key] ?? []
    evidence.error =
      ownFindings.lazy.filter { $0.severity == .error }.compactMap { finding in
        Self.mediaErrors.first { $0.code == finding.code }.map {
          (finding.evidence.word("kind") ?? .audio, finding.evidence.word("cause") ?? $0.reason)
        }
      }.first
    evidence.media = [MediaKind.audio, .video].compactMap {
      medium($0, at: end, windows: windows, ownFindings: ownFindings)
    }
    // Of what never came there is no window.
    let missedMs = evidence.media.flatMap(\.faults).map { $0.endMs - $0.startMs }
    evidence.recordedMs =
      (missedMs + evidence.media.compactMap { $0.summed?.talkMs } + [evidence.recordedMs]).max() ?? 0
    return evidence
  }

  /// How much of the call no audio was to be received by an end, ms.
  private func heldMs(at end: EndpointAssessment) -> Double {
    guard let times = end.times else { return 0 }
    let quiet = end.quiet.filter { $0.kind != .video }.map {
      (start: $0.startMs, end: $0.endMs)
    }
    return SpanSet(quiet).covered(from: times.establishedMs, to: times.overMs)
  }

  private func basis(of end: EndpointAssessment) -> Verdict.Basis? {
    guard let judging = end.choice.judging, !end.choice.judges.isEmpty else {
      if let report = callReports(at: end).first {
        return .figures(per: "call", by: report[.by] ?? "a table")
      }
      return end.ownEvents.contains { $0.event == .mediaQualityReported } ? .sdkReport : nil
    }
    if judging == .stats { return .oneEnd }
    if judging == .figures { return basis(ofFiguresAt: end) }
    // Packets under DTLS-SRTP are encrypted: levels and silence are unknown.
    return end.ownEvents.contains { $0.event.group == .dtls } ? .encryptedPackets : .packets
  }

  private func medium(
    _ kind: MediaKind, at end: EndpointAssessment, windows: PackedWindows, ownFindings: [Finding]
  ) -> MediumEvidence? {
    var evidence = MediumEvidence(kind)
    let slow = ownFindings.slowPlayout
    let transitions = Transitions(of: kind, at: end)
    evidence.scored = windows.compactMap { window in
      guard window.score != nil else { return nil }
      let value = kind == .audio ? window.audioCQ : window.video
      return value.map {
        let length = max(1, window.endMs - window.startMs)
        var time = ScoredTime(
          from: window.startMs, to: window.endMs, score: $0,
          missedShare: kind == .video
            ? window.freezeShare ?? 0
            : slow.covered(from: window.startMs, to: window.endMs) / length)
        time.isTransition = transitions.cover(window)
        return time
      }
    }
    evidence.summed = summedLoss(kind, at: end, windows: windows)
    if isOfLongMeans(end) { evidence.scored = [] }
    let far = end.onlySource(of: kind, among: ends)
    var quiet = end.quiet(kind)
    if kind == .audio, let far { quiet += mutes(of: far, on: end) }
    let quietTimes = SpanSet(quiet.map { (start: $0.startMs, end: $0.endMs) })
    var faults = isOfLongMeans(end) ? [] : faults(kind, at: end, ownFindings: ownFindings, quiet: quietTimes)
    if kind == .audio, let fault = unreceivedInFigures(at: end) { faults.append(fault) }
    evidence.faults = provenByBreak(faults, ownFindings, at: end, from: far).flatMap { fault in
      offHold(from: fault.startMs, to: fault.endMs, quietTimes).map { part in
        var rest = fault
        (rest.startMs, rest.endMs) = part
        rest.heldMs = quietTimes.covered(from: part.start, to: part.end)
        return rest
      }
    }
    // Periods of media that may not have been sent are not bad.
    let unproven = SpanSet(
      evidence.faults.filter { !$0.isProven }.map { (start: $0.startMs, end: $0.endMs) })
    evidence.meanScore = evidence.scored.mean
    evidence.scored.removeAll {
      $0.score == 0 && unproven.covered(from: $0.startMs, to: $0.endMs) > ($0.endMs - $0.startMs) / 2
    }
    guard !evidence.scored.isEmpty || !evidence.faults.isEmpty || evidence.summed != nil else { return nil }
    if let expected = expected(kind, at: end, evidence) {
      evidence.expected = expected
      evidence.heldMs = quietTimes.covered(from: expected.lowerBound, to: expected.upperBound)
      evidence.held = quiet.filter { $0.endMs > $0.startMs }.map { $0.startMs...$0.endMs }
    }
    return evidence
  }

  /// When a medium was to flow at an end: from its first packet, or when it should have arrived, to the end of the
  /// call.
  private func expected(_ kind: MediaKind, at end: EndpointAssessment, _ evidence: MediumEvidence)
    -> ClosedRange<Double>?
  {
    let starts = evidence.scored.map(\.startMs) + evidence.faults.map(\.startMs)
    let stops = evidence.scored.map(\.endMs) + evidence.faults.map(\.endMs)
    guard let first = starts.min(), let last = stops.max() else { return nil }
    return first...max(last, endOfRecord(end) ?? last)
  }

  /// The last time of the call at an end, according to any recording of it.
  private func endOfRecord(_ end: EndpointAssessment) -> Double? {
    let own = end.media?.upperBound
    // A capture between the ends sees only what each of them receives: the call continues for both.
    let seen =
      end.choice.judging == .capture
      ? ends.filter { $0.choice.judging == .capture }.compactMap { other in
        other.media.map { other.onCallClock($0.upperBound) - end.onCallClock(0) }
      }.max() : nil
    let last = [own, seen].compactMap { $0 }.max()
    let over = end.endedMs
    guard let last else { return over }
    return over.map { min($0, last) } ?? last
  }

  // MARK: What was missing

  private func faults(
    _ kind: MediaKind, at end: EndpointAssessment, ownFindings: [Finding], quiet: SpanSet
  ) -> [MediaFault] {
    let far = end.onlySource(of: kind, among: ends)
    // Of several others it is not known which of them could not use it.
    let isOther = far != nil || ends.count == 1
    var faults = ownFindings.filter { !isOther || !isOfOtherEnd($0) }.flatMap { finding in
      let fault = fault(kind, finding, at: end, far: far, quiet: quiet).map { [$0] } ?? []
      return kind == .audio ? fault + unheard(finding, at: end, from: far) : fault
    }
    if let far {
      // Faults that a capture at the sender shows for the other end.
      let behind = far.onCallClock(0) - end.onCallClock(0)
      if kind == .audio { faults += lateStart(at: end, from: far) }
      faults += (findings[far.endpoint.key] ?? []).filter(isOfOtherEnd).compactMap { finding in
        fault(kind, finding, at: far, far: end).map { fault in
          var here = fault
          (here.startMs, here.endMs) = (fault.startMs + behind, fault.endMs + behind)
          return here
        }
      }
      faults += (unsent(kind, by: far) + undelivered(kind, by: far, to: end)).map { fault in
        var here = fault
        (here.startMs, here.endMs) = (fault.startMs + behind, fault.endMs + behind)
        return here
      }
    }
    if kind == .audio { faults += notForwarded(to: end) }
    for gap in end.gapsOffHold(kind) where gap.lengthMs >= MediaSpan.minOutageMs(of: kind) {
      // By its numbers and its clock, whatever else has its stream.
      let stoodStill =
        kind == .audio
        && end.farEndStoodStill.covered(from: gap.startMs, to: gap.endMs) >= Self.allLost * gap.lengthMs
      let isSent = !stoodStill && sent(kind, far, from: gap.startMs, to: gap.endMs, at: end)
      // A camera that is off sends no packets either, so for a video gap without proven loss the sender must show that
      // it sent.
      guard gap.isLost || (kind == .audio ? gap.isOpen : isSent) else { continue }
      let isUnsent =
        stoodStill
        || gap.proof == .none
          && far.map { isUnsentBesideReception(gap.startMs, gap.endMs, by: $0, at: end) } ?? false
      let isLost = gap.isLost && !gap.isUnexplained && !isUnsent
      let isLossShown = isSent || [.sequenceNumbers, .senderReports].contains(gap.proof) && isLost
      var fault = MediaFault(
        from: gap.startMs, to: gap.endMs,
        reason: gap.proof == .signalling || !isLost && !isSent ? .notSent : .lostOnPath,
        isProven: isLost || isSent, isLossShown: isLossShown)
      fault.proof = isSent && gap.proof == .none ? .otherEnd : gap.proof
      faults.append(fault)
    }
    return faults
  }

  /// Audio that an end did not send, on its own clock. Proven to be a fault if its microphone was audible and no audio
  /// was ever sent.
  private func unsent(_ kind: MediaKind, by end: EndpointAssessment) -> [MediaFault] {
    (findings[end.endpoint.key] ?? []).filter { kind == .audio && $0.code == .soundNotSent }.compactMap {
      finding in
      guard let start = finding.startMs, let stop = finding.endMs, stop > start else { return nil }
      return MediaFault(from: start, to: stop, reason: .notSent, isProven: finding.severity == .warning)
    }
  }

  /// Audio that was not sent to the other end, if that end is not on record.
  private func unrecordedFarEnd(of end: EndpointAssessment) -> EndEvidence? {
    let ofOtherEnd = (findings[end.endpoint.key] ?? []).filter(isOfOtherEnd)
    let faults =
      unsent(.audio, by: end) + undelivered(.audio, by: end, to: nil) + silentlySent(by: end)
      + unsentByCapture(of: end) + ofOtherEnd.compactMap { fault(.audio, $0, at: end, far: nil) }
    guard !faults.isEmpty, let media = end.media else { return nil }
    var sound = MediumEvidence(.audio)
    sound.faults = faults
    sound.expected = media.lowerBound...max(media.lowerBound, endOfRecord(end) ?? media.upperBound)
    sound.heldMs = SpanSet(end.quiet.map { (start: $0.startMs, end: $0.endMs) }).covered(
      from: media.lowerBound, to: media.upperBound)
    var evidence = EndEvidence(nil)
    evidence.media = [sound]
    return evidence
  }

  /// Whether the finding is reported at the sender but concerns the other end, which could not use what it received.
  private func isOfOtherEnd(_ finding: Finding) -> Bool { finding.evidence.has("sent_by") }

  private func fault(
    _ kind: MediaKind, _ finding: Finding, at end: EndpointAssessment, far: EndpointAssessment?,
    quiet: SpanSet = SpanSet([])
  ) -> MediaFault? {
    guard let start = finding.startMs, let stop = finding.endMs, stop > start else { return nil }
    let has = finding.evidence.has
    func fault(_ reason: Verdict.Reason, proven: Bool, loss: Bool = false) -> MediaFault {
      MediaFault(from: start, to: stop, reason: reason, isProven: proven, isLossShown: loss)
    }
    let isOfStats = end.choice.judging == .stats
    switch (kind, finding.code) {
    case (.audio, .oneWayAudio) where has("not_played_ms"):
      return fault(.notPlayed, proven: true)
    case (.audio, .oneWayAudio) where has("not_decoded_ms"):
      return fault(.undecodable, proven: true)
    case (.audio, .oneWayAudio) where has("sent_level"):
      return fault(.notPlayed, proven: true)
    case (.audio, .oneWayAudio) where has("silent_ms"):
      return fault(.silentSource, proven: isSpeaking(far, from: start, to: stop, at: end))
    case (.audio, .oneWayAudio) where has("returned"):
      return fault(.lostOnPath, proven: true, loss: true)
    case (.audio, .oneWayAudio):
      if has("stopped_at") { return fault(.notForwarded, proven: true, loss: true) }
      let by: MediaSpan.Proof? = finding.evidence.word("by")
      if by == .signalling { return fault(.notSent, proven: true) }
      let isLossShown =
        by != nil && finding.severity == .error || sent(.audio, far, from: start, to: stop, at: end)
      let isProven = isLossShown || isOfStats && finding.severity == .error
      return fault(isProven ? .lostOnPath : .notSent, proven: isProven, loss: isLossShown)
    case (.audio, .farEndSilent) where has("silent_ms"):
      let isProven = isSpeaking(far, from: start, to: stop, at: end)
      return isProven || isDigital(finding, besides: quiet) ? fault(.silentSource, proven: isProven) : nil
    case (.audio, .farEndSilent) where has("digital_silence_ms"):
      return fault(.silentSource, proven: isSpeaking(far, from: start, to: stop, at: end))
    case (.audio, .farEndSilent) where has("times") || has("unseen_ms"): return nil
    case (.audio, .farEndSilent):
      var unsent = fault(finding.evidence.word("cause") ?? .notSent, proven: false)
      let by: MediaSpan.Proof? = finding.evidence.word("by")
      unsent.isPause = by == .sequenceNumbers
      return unsent
    case (_, .noMedia) where finding.severity == .error:
      guard isOfCall(kind, at: end, far: far) else { return nil }
      return fault(sent(kind, far, from: start, to: stop, at: end) ? .lostOnPath : .unknown, proven: true)
    case (_, .packingNotAgreed) where finding.severity != .error: return nil
    case (_, .payloadTypeNotAgreed), (_, .srtpSequenceReset), (_, .packingNotAgreed):
      let medium = finding.evidence.word("kind") ?? MediaKind.audio
      return medium == kind ? fault(.undecodable, proven: true) : nil
    case (.audio, .sparseSound): return fault(.notSent, proven: true)
    case (.video, .videoPaused) where isStalled(far, from: start, to: stop, seenFrom: end):
      return fault(.notSent, proven: true)
    case (.video, .videoPaused) where finding.severity != .info:
      // Of several pictures a server may forward some at a time.
      guard !end.seesMotion(from: start, to: stop) else { return nil }
      if has("undecoded_ms") { return fault(.undecodable, proven: true) }
      if far == nil, othersSent(.video, from: start, to: stop, at: end) {
        return fault(lostBefore(end, from: start, to: stop), proven: true, loss: true)
      }
      if sent(.video, far, from: start, to: stop, at: end) {
        let isMissed = isOfStats && end.missed(.video, from: start, to: stop)
        return fault(isMissed ? .lostOnPath : .undecodable, proven: true, loss: isMissed)
      }
      // A camera that is off sends no packets; with the file of one end alone it cannot be distinguished from loss.
      guard isOfStats, end.missed(.video, from: start, to: stop) else { return fault(.unknown, proven: true) }
      let isLost = end.lost(.video, from: start, to: stop)
      return fault(isLost ? .lostOnPath : .notSent, proven: isLost, loss: isLost)
    case (.video, .noPicture): return fault(.lostOnPath, proven: true, loss: true)
    default: return nil
    }
  }

  // MARK: What the other end shows

  private func other(than end: EndpointAssessment) -> EndpointAssessment? {
    ends.count == 2 ? ends.first { $0.endpoint.key != end.endpoint.key } : nil
  }

  /// Whether the other end's own recording shows that it sent a medium for most of a period.
  private func sent(
    _ kind: MediaKind, _ far: EndpointAssessment?, from start: Double, to stop: Double,
    at end: EndpointAssessment
  ) -> Bool {
    far?.sent(kind, from: start, to: stop, seenFrom: end) ?? false
      || end.passedElsewhere(kind, from: start, to: stop)
  }

  /// Periods in which the other end was muted according to its events, on this end's clock.
  func mutes(of far: EndpointAssessment, on end: EndpointAssessment) -> [QuietSpan] {
    let behind = far.onCallClock(0) - end.onCallClock(0)
    return far.muted.map { $0.shifted(byMs: behind) }
  }

  // MARK: The call as a whole

  /// Why ends were not connected or dropped, from their findings and setup attempts.
  func trouble(at ends: [EndpointAssessment]) -> Verdict.Reason? {
    let codes = Set(ends.flatMap { findings[$0.endpoint.key] ?? [] }.map(\.code))
    // A camera that failed long before is only a warning: the call continued without it.
    let isOfCapture = ends.contains { isFailedByCapture($0.ownEvents) }
    for (code, reason) in Self.troubles where codes.contains(code) {
      if isOfCapture || ![.device, .permission].contains(reason) { return reason }
    }
    if isOfCapture || ends.contains(where: { $0.attempts.last?.deviceFailure != nil }) { return .device }
    guard let end = ends.lazy.compactMap({ endingEvent(of: $0.ownEvents) }).first else { return nil }
    if let cause = end[.verdictCause] {
      // What the log says of the permission is more than that a camera could not be used.
      return cause == .device && (codes.contains(.permissionRefused) || end.saysPermissionRefused)
        ? .permission : cause
    }
    // A status of SIP or HTTP; other numbers are an SDK's own, and its table says what they mean.
    switch end[.code].flatMap(Int.init) {
    case .some(500..<600): return .server
    case .some(300..<700): return .signalling
    default: break
    }
    let isPathGone = ends.contains { end in
      end.ownEvents.last { $0.event.group == .ice }?.event == .iceFailed
    }
    return isPathGone ? .ice : nil
  }

  /// Codes of errors about media, with the cause that each proves; a call with such a finding is never good.
  private static let mediaErrors: [(code: FindingCode, reason: Verdict.Reason)] = [
    (.oneWayAudio, .unknown), (.noMedia, .unknown), (.droppedMidCall, .unknown),
    (.payloadTypeNotAgreed, .undecodable), (.srtpSequenceReset, .undecodable),
    (.packingNotAgreed, .undecodable), (.sparseSound, .notSent), (.mediaLost, .lostOnPath),
    (.streamNotReceived, .lostOnPath),
  ]

  private static let troubles: [(FindingCode, Verdict.Reason)] = [
    (.iceNeverConnected, .ice), (.noCandidatePair, .ice), (.noCandidates, .ice),
    (.answerNotReceived, .signalling),
    // A device that is missing because it was refused is refused.
    (.dtlsNeverConnected, .dtls), (.permissionRefused, .permission), (.noMicrophone, .device),
    (.noCamera, .device), (.droppedMidCall, .lostOnPath),
  ]
}
