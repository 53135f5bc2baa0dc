import CallModel

/// What is known when the outcome of an attempt is decided.
struct OutcomeEvidence {
  let line: AttemptEvents
  let direction: CallDirection
  /// Whether any media from the far end arrived, according to any source.
  let receivedMedia: Bool
  /// Whether every line of its log could be read, from the first to the last. Only then does it mean
  /// something that an event is missing.
  let isLogWhole: Bool
  /// Whether it was established: somebody answered and its media could flow.
  let wasEstablished: Bool
  /// Its end: the first one, or if it was established, the first one after that; nil if the log has none.
  let end: EventRecord?
  /// The information from all lines of that end.
  let ending: EndOfAttempt?
  /// What broke its connection without being repaired before that end, or before the log stops.
  let down: EventRecord?

  init(_ line: AttemptEvents, _ direction: CallDirection, receivedMedia: Bool, isLogWhole: Bool) {
    (self.line, self.direction, self.receivedMedia, self.isLogWhole) = (
      line, direction, receivedMedia, isLogWhole
    )
    wasEstablished = line.wasEstablished
    let (index, down) =
      wasEstablished ? Self.endOnceUp(line) : (line.events.firstIndex(where: EndOfAttempt.isEnd), nil)
    end = index.map { line.events[$0] }
    ending = index.map { EndOfAttempt(line.events[$0...]) }
    self.down = down
  }

  /// The outcome of the end according to a dialect or its codes.
  var statedOutcome: Outcome? { ending?.outcome }

  /// Which end ended it: as the log says, or the local end if the SDK accepted its request to end the call.
  var endedBy: String? {
    if let by = ending?[.by] { return by }
    let isAsked = line.events.contains {
      $0.event == .callUpdated && $0[.update] == "end" && $0[.result] == "accepted"
    }
    return isAsked ? "local" : nil
  }

  var isIncoming: Bool { line.has(.callIncoming, .callAlerting) }

  /// The last of these events.
  func last(_ names: EventName...) -> EventRecord? { line.events.last { names.contains($0.event) } }

  /// Whether this end waited as long as people do for media that never came; nil if the log would not show
  /// them.
  func waitedForMedia(since answer: EventRecord) -> Bool? {
    guard let wait = mediaExpectedMs(since: answer), let endMs = end?.ownTimeMs else { return nil }
    return endMs - wait >= Threshold.patience.value
  }

  /// The time from which media are expected, on the log's own clock; nil if the log would not show that they
  /// were connected.
  func mediaExpectedMs(since answer: EventRecord) -> Double? {
    let isReported = line.reportsMediaState || line.isWithoutCandidates || line.isWithoutPair
    return line.preferred([.iceConnected, .iceChecking, .iceConnecting])?.timeMs
      ?? (isReported ? answer.ownTimeMs : nil)
  }

  /// The description that was rejected, if no other one was set after it.
  var unusableAnswer: EventRecord? {
    guard let failed = line.events.lastIndex(where: { $0.event == .sdpFailed }) else { return nil }
    let isMended = line.events[failed...].contains {
      [.sdpRemoteSet, .iceConnected, .dtlsConnected].contains($0.event)
    }
    return isMended ? nil : line.events[failed]
  }

  private static func endOnceUp(_ line: AttemptEvents) -> (end: Int?, down: EventRecord?) {
    var isUp = false
    var down: EventRecord?
    for (index, event) in line.events.enumerated() {
      switch event.event {
      case .callEstablished, .callHandedOver, .dtlsConnected, .iceConnected, .networkReestablished:
        isUp = isUp || event.event != .iceConnected || line.isEstablishedByICE
        down = nil
      case .iceDisconnected, .iceFailed, .networkLost, .dtlsFailed, .sessionFailed:
        down = isUp ? event : nil
      case .callFailed where isUp, .callEnded where isUp: return (index, down)
      default: break
      }
    }
    return (nil, down)
  }
}

/// One kind of evidence for how an attempt ended: what it is, who reports it, and which outcome it means.
struct OutcomeRule: Sendable {
  let what: String
  let reporter: OutcomeReason.Reporter
  /// The outcome and the event that shows it, if this rule applies.
  let decide: @Sendable (OutcomeEvidence) -> (Outcome, EventRecord?)?

  /// All rules in order of strength. The first that applies decides, and `call` and `calls --json` name it.
  static let table: [OutcomeRule] = ofEstablishedCalls + ofCallsWithoutEnd + ofCallsNeverEstablished

  /// Decides an attempt's outcome.
  static func reason(of evidence: OutcomeEvidence) -> (outcome: Outcome, reason: OutcomeReason) {
    for rule in table {
      guard let (outcome, event) = rule.decide(evidence) else { continue }
      return (outcome, OutcomeReason(what: rule.what, reporter: rule.reporter, event: event))
    }
    return (.unknown, .unknown)
  }

  // Attempts that were established and have an end.
  private static let ofEstablishedCalls = [
    rule("it failed after it was established", .sdk, of: establishedAndEnded) {
      $0.end?.event == .callFailed ? (.dropped, $0.end) : nil
    },
    rule("it ended while its connection was down", .connection, of: establishedAndEnded) { evidence in
      evidence.down.map { (.dropped, $0) }
    },
    rule("it was established, and the code of its end reports a failure", .sdk, of: establishedAndEnded) {
      $0.statedOutcome == .failed || $0.statedOutcome == .dropped ? (.dropped, $0.end) : nil
    },
    rule("its room ended it for a reason that no table knows", .server, of: establishedAndEnded) {
      $0.statedOutcome == nil && ($0.line.isOfRoom || $0.ending?.isReportedByServer == true)
        && $0.ending?.isUnexplained == true
        ? (.unknown, $0.end) : nil
    },
    rule("it was established, and ended normally", .end, of: establishedAndEnded) { (.completed, $0.end) },
  ]

  // Attempts that were established, but the log stops before an end: the outcome is unknown, unless somebody
  // gave up the call.
  private static let ofCallsWithoutEnd = [
    rule("the SDK gave its connection up", .sdk, of: establishedWithoutEnd) {
      $0.down != nil ? $0.line.events.loss.map { (.dropped, $0) } : nil
    },
    rule("the server did not renew its token", .server, of: establishedWithoutEnd) {
      $0.line.events.refusedRefresh.map { (.dropped, $0) }
    },
    rule("its session was lost and did not come back", .sdk, of: establishedWithoutEnd) {
      $0.line.events.lostSession.map { (.dropped, $0) }
    },
    rule("it went on at another device", .sdk, of: establishedWithoutEnd) {
      $0.line.events.handedOver.map { (.completed, $0) }
    },
    rule("the log stops while it is established", .end, of: establishedWithoutEnd) { _ in (.unknown, nil) },
  ]

  // Attempts that were never established, as far as the log shows.
  private static let ofCallsNeverEstablished = [
    rule("the push that was to wake it came too late", .server, of: openAttempt) {
      $0.line.isFollowed ? nil : $0.last(.pushExpired).map { (.noAnswer, $0) }
    },
    rule("the server refused to let it in", .server, of: openAttempt) {
      $0.line.events.refusal.map { ($0.statedOutcome ?? .failed, $0) }
    },
    rule(OutcomeReason.unknown.what, .end, of: openAttempt) { _ in (.unknown, nil) },
    rule("its log begins while it was established", .end) {
      guard !$0.line.isFollowed, $0.line.beginsAmidCall, let end = $0.end else { return nil }
      if end.event == .callFailed || $0.statedOutcome == .failed || $0.statedOutcome == .dropped {
        return (.dropped, end)
      }
      return $0.statedOutcome == nil || $0.statedOutcome == .completed ? (.completed, end) : nil
    },
    // A normal end of an established call is no normal end of one that never was. A call that was never
    // established cannot be dropped either: a request that timed out has failed.
    rule("the code of its end says so", .sdk) {
      guard let statedOutcome = $0.statedOutcome, statedOutcome != .completed else { return nil }
      return (statedOutcome == .dropped && $0.end?.event == .callFailed ? .failed : statedOutcome, $0.end)
    },
    rule("it was rejected", .sdk) {
      $0.end?.event == .callFailed && $0.ending?[.stage] == "rejected" ? (.rejected, $0.end) : nil
    },
    // A normal end in a room is no normal end in its waiting room.
    rule("nobody let it in where it waited", .server) {
      guard $0.line.isWaiting, $0.endedBy != "local", $0.ending?[.code] != nil else { return nil }
      return (.rejected, $0.end)
    },
    rule("camera or microphone could not be had", .sdk) {
      $0.line.isEndedByDevice ? (.failed, $0.last(.mediaLocalFailed)) : nil
    },
    rule("ICE or DTLS failed before it was ever connected", .connection) {
      $0.last(.iceFailed, .dtlsFailed).map { (.failed, $0) }
    },
    rule("it failed before it connected", .sdk) { $0.end?.event == .callFailed ? (.failed, $0.end) : nil },
    rule("it was given up while its network was down", .connection) {
      $0.last(.iceDisconnected, .networkLost).map { (.failed, $0) }
    },
    rule("the far end's description could not be used", .connection) {
      $0.unusableAnswer.map { (.failed, $0) }
    },
    // In the event stream of a room, the end is that of the participant.
    rule("whoever was in the room left it", .server) {
      guard !$0.line.isFollowed, !$0.line.isUnanswered, let roster = $0.last(.conferenceRosterSynced),
        let statedOutcome = $0.statedOutcome
      else { return nil }
      return (statedOutcome, $0.end ?? roster)
    },
    rule("the log did not follow it, and does not say whether it was answered", .end) {
      $0.line.isFollowed ? nil : (.unknown, $0.end)
    },
    rule("it was answered, its media arrived, and it ended normally", .end, of: isAnswered) {
      $0.receivedMedia ? (.completed, $0.end) : nil
    },
    rule("nothing in the log would show whether its media were connected", .end, of: isAnswered) { evidence in
      guard let answer = evidence.line.answer(evidence.direction),
        evidence.mediaExpectedMs(since: answer) == nil
      else { return nil }
      return (evidence.statedOutcome ?? .unknown, evidence.end)
    },
    rule(
      "it was answered, and its media did not come in \(Int(Threshold.patience.value / 1000)) s", .end,
      of: isAnswered
    ) {
      evidence in
      guard let answer = evidence.line.answer(evidence.direction),
        let waited = evidence.waitedForMedia(since: answer)
      else { return nil }
      return waited ? (.failed, evidence.end) : nil
    },
    rule("it ended before its media could flow", .end, of: isAnswered) {
      ($0.end?.ownTimeMs == nil ? .unknown : .cancelled, $0.end)
    },
    rule("a line of its log could not be read, and may say that it was answered", .end) {
      $0.isLogWhole || $0.line.isUnanswered ? nil : (.unknown, $0.end)
    },
    rule("the far end ended it before it connected", .sdk) {
      $0.endedBy == "remote" ? ($0.isIncoming ? .noAnswer : .rejected, $0.end) : nil
    },
    rule("this end ended it before it connected", .end) {
      $0.endedBy == "local" ? ($0.isIncoming ? .rejected : .cancelled, $0.end) : nil
    },
    // A page closes its PeerConnection itself. For any other end without details, it is unknown which end
    // caused it.
    rule("its page closed it before it connected", .end) {
      $0.end?.sdk == "w3c" && !$0.isIncoming ? (.cancelled, $0.end) : nil
    },
    rule("it ended before it connected, and nothing says who ended it", .end) { (.unknown, $0.end) },
  ]

  // The calls that a rule applies to.
  private static let establishedAndEnded: @Sendable (OutcomeEvidence) -> Bool = {
    $0.wasEstablished && $0.end != nil
  }
  private static let establishedWithoutEnd: @Sendable (OutcomeEvidence) -> Bool = {
    $0.wasEstablished && $0.end == nil
  }
  private static let openAttempt: @Sendable (OutcomeEvidence) -> Bool = { $0.end == nil }
  private static let isAnswered: @Sendable (OutcomeEvidence) -> Bool = {
    !$0.line.isUnanswered && $0.line.answer($0.direction) != nil
  }

  private static func rule(
    _ what: String, _ reporter: OutcomeReason.Reporter,
    of calls: @escaping @Sendable (OutcomeEvidence) -> Bool = { _ in true },
    _ decide: @escaping @Sendable (OutcomeEvidence) -> (Outcome, EventRecord?)?
  ) -> OutcomeRule {
    OutcomeRule(what: what, reporter: reporter) { calls($0) ? decide($0) : nil }
  }
}
