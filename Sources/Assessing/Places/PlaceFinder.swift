import CallModel
import CallStore
import Scoring
import Timeline
import Verdicts

/// Finds where the fault of a call was, by the rules of `PlaceRule` in their order.
struct PlaceFinder {
  let ends: [EndpointAssessment]
  let findings: [Int64: [Finding]]
  let fates: CallFates
  /// What was wrong with the media that arrived at each end, by the end's key.
  let impairments: [Int64: [Impairment]]
  let evidence: CallEvidence
  let verdict: Verdict
  /// All streams of each end, chosen or not, by the end's key.
  let streams: [Int64: [StoredStream]]
  let store: Store

  /// Share of packets lost from which a way is bad, and the part of it below which another is clean.
  static let (lossShare, cleanPart) = (0.03, 0.25)
  /// How much the loss at a receiver may differ from that of the uplink.
  private static let about = 0.5...1.7

  /// Where the fault of a call was, and what began it; nil if it is not known, or nothing is wrong.
  func found() throws -> PlacedCall {
    switch verdict.value {
    case .failed: return PlacedCall(place: answerLost ?? noCheckAnswered ?? noServerAnswered)
    case .dropped, .notSetUp, .unjudged: return PlacedCall()
    case .silent, .noPicture, .poor, .fair, .good, .notSent: break
    }
    let troubles = Trouble.found(at: ends, fates, impairments, verdict)
    // What reports alone tell is none of the troubles.
    let reported = lostBehindRelay
    guard let first = troubles.first else { return PlacedCall(place: try reported ?? ofOwnSender()) }
    let ways = troubles.contains(where: \.mayComeOfPath) ? try Ways(ends, in: store) : Ways(unknownFor: ends)
    let placed = try troubles.map { (trouble: $0, fault: try fault(of: $0, ways)) }
    let known = placed.first { $0.fault != nil }
    return PlacedCall(
      place: reported ?? known?.fault, rootCause: rootCause(of: known?.trouble ?? first, ways, known?.fault),
      places: placed.compactMap { one in one.fault.map { (one.trouble, $0.rule.place) } })
  }

  /// By the first rule that holds.
  private func fault(of trouble: Trouble, _ ways: Ways) throws -> PlacedFault? {
    let end = ends[trouble.listener]
    let others = ends.filter { $0.endpoint.key != end.endpoint.key }
    let byHops = ofHops(trouble, end, others)
    for rule in PlaceRule.allCases {
      if let fault = try fault(by: rule, trouble, end, others, byHops, ways) { return fault }
    }
    return nil
  }

  private func fault(
    by rule: PlaceRule, _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment],
    _ byHops: PlacedFault?, _ ways: Ways
  ) throws -> PlacedFault? {
    switch rule {
    // Of calls that failed.
    case .answerLost, .noCheckAnswered, .noServerAnswered: nil
    case .slowPlayout: slowPlayout(trouble, end)
    case .notPlayed: try notPlayed(trouble, end)
    case .framesDropped: try framesDropped(trouble, end)
    case .slowDecoder: try slowDecoder(trouble, end)
    case .senderAsleep: senderAsleep(trouble, end, others)
    case .sourceStoodStill: try sourceStoodStill(trouble, end, others)
    case .sourceIsQuiet: sourceIsQuiet(trouble, end, others)
    case .sourceIsSlow: try sourceIsSlow(trouble, end, others)
    case .senderProcessor: try senderProcessor(trouble, end, others)
    case .senderStoodStill: senderStoodStill(trouble, end, others)
    case .senderTooSlow: senderTooSlow(trouble, end, others)
    case .portClosed, .senderPortClosed: portClosed(rule, trouble, end, others)
    case .stoppedByApplication: try stoppedByApplication(trouble, end, others)
    case .beforeRelay, .uplinkByHops, .notRelayed, .downlinkByHops, .betweenCaptures:
      byHops?.rule == rule ? byHops : nil
    case .onlyWhileRelayed: onlyWhileRelayed(trouble, ways)
    case .notForwarded: notForwarded(trouble, end)
    case .uplinkLoss: uplinkLoss(trouble, others)
    case .allAtOnce: allAtOnce(trouble, end)
    case .downlinkLoss: downlinkLoss(trouble, end, others)
    case .uplinkCapacity: uplinkCapacity(trouble, end, others)
    case .downlinkCapacity: downlinkCapacity(trouble, end, others, ways)
    case .betweenEnds: betweenEnds(trouble, end, others)
    case .queueBetweenEnds: queueBetweenEnds(trouble, end, others, ways)
    }
  }

  // MARK: An end that never connected

  private var answerLost: PlacedFault? {
    guard ends.count == 2 else { return nil }
    func has(_ end: EndpointAssessment, _ events: Set<EventName>, _ type: String? = nil) -> Bool {
      end.ownEvents.contains { events.contains($0.event) && (type == nil || $0[.type] == type) }
    }
    for (one, other) in [(ends[0], ends[1]), (ends[1], ends[0])]
    where has(one, [.sdpLocalSetting], "answer") && has(other, [.sdpLocalSetting], "offer")
      && !has(other, [.sdpAnswerReceived, .sdpRemoteSet])
    {
      return PlacedFault(
        .answerLost,
        evidence: "by their logs one end set its answer, and the other never got it")
    }
    return nil
  }

  private var noCheckAnswered: PlacedFault? {
    let failed = evidence.ends.filter { $0.failure == .ice }.compactMap(\.name)
    guard failed.count == 1, let name = failed.first,
      let end = ends.first(where: { $0.endpoint.name == name }),
      !end.ownEvents.contains(where: { $0.event == .iceConnected })
    else { return nil }
    let checks = end.ownEvents.connectivity
    let reached = ends.count { $0.hasReceived }
    guard reached > 0, let sent = checks.sent, sent > 0, checks.answered == 0 else { return nil }
    return PlacedFault(
      .noCheckAnswered, at: name,
      evidence:
        "none of its \(sent) checks was answered, while \(reached) other\(reached == 1 ? "" : "s") got through"
    )
  }

  private var noServerAnswered: PlacedFault? {
    func candidates(_ end: EndpointAssessment) -> Set<String> {
      Set(end.ownEvents.filter { $0.event == .iceCandidate }.compactMap { $0[.candidateType] })
    }
    let cut = ends.filter { end in
      let errors = end.ownEvents.filter { $0.event == .iceCandidateError }.compactMap(ICEServerError.init)
      return !errors.isEmpty && errors.allSatisfy { $0.code == 701 } && candidates(end) == ["host"]
        && !end.ownEvents.contains { $0.event == .iceConnected }
    }
    guard cut.count == 1, let end = cut.first,
      ends.contains(where: { !candidates($0).isDisjoint(with: ["srflx", "relay"]) })
    else { return nil }
    return PlacedFault(
      .noServerAnswered, at: end.endpoint.name,
      evidence: "no STUN or TURN server answered it, and it had only its own addresses to offer")
  }

  // MARK: Machines

  private func slowPlayout(_ trouble: Trouble, _ end: EndpointAssessment) -> PlacedFault? {
    trouble.kind == .impaired(.playout)
      ? PlacedFault(
        .slowPlayout, at: end.endpoint.name,
        evidence: "sound was played slower than time passed, though its packets came") : nil
  }

  private func senderStoodStill(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard trouble.kind == .missed(.notSent), others.count <= 1 else { return nil }
    return hasFinding(.sparseSound, at: end, during: trouble, of: end)
      ? stoodStill(others.first?.endpoint.name) : nil
  }

  /// - Parameter end: nil for the other end of a call of which one is on record.
  func stoodStill(_ end: String?) -> PlacedFault {
    PlacedFault(.senderStoodStill, at: end, evidence: "it sent next to nothing, with no number missing")
  }

  private func senderTooSlow(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard trouble.kind == .impaired(.silence), others.count <= 1,
      end.ownEvents.farEndStarved.covered(from: trouble.startMs, to: trouble.endMs) > trouble.lengthMs / 2
    else { return nil }
    return PlacedFault(
      .senderTooSlow, at: others.first?.endpoint.name,
      evidence: "it made less sound than time passed, with no number missing")
  }

  private func portClosed(
    _ rule: PlaceRule, _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard others.count <= 1, case .missed = trouble.kind else { return nil }
    let (closed, other) = rule == .portClosed ? (end, others.first) : (others.first, end)
    func isCovered(_ own: EndpointAssessment?, atFarEnd: Bool) -> Bool {
      guard let own else { return false }
      let aheadMs = end.onCallClock(0) - own.onCallClock(0)
      let spans = own.ownEvents.portClosed(atFarEnd: atFarEnd)
      return spans.covered(from: trouble.startMs + aheadMs, to: trouble.endMs + aheadMs) > trouble.lengthMs
        / 2
    }
    guard isCovered(closed, atFarEnd: false) || isCovered(other, atFarEnd: true) else { return nil }
    return PlacedFault(rule, at: closed?.endpoint.name, evidence: "its host said that the port is closed")
  }

  // MARK: A server between

  private func notForwarded(_ trouble: Trouble, _ end: EndpointAssessment) -> PlacedFault? {
    guard trouble.kind == .missed(.notForwarded), end.choice.judging == .stats else { return nil }
    // One listener alone may have asked for it.
    let isShared = ends.contains { other in
      other.endpoint.key != end.endpoint.key && hasMissed(trouble, at: other, besides: end, .notForwarded)
    }
    guard isShared || ends.count(where: \.hasReceived) < 3 else { return nil }
    return PlacedFault(.notForwarded, evidence: "it had what was sent, and did not pass it on")
  }

  /// Whether another end missed the medium in the same way at most of the same time.
  private func hasMissed(
    _ trouble: Trouble, at other: EndpointAssessment, besides end: EndpointAssessment, _ what: Fate.What
  ) -> Bool {
    let aheadMs = end.onCallClock(0) - other.onCallClock(0)
    return (fates[other][trouble.medium] ?? []).contains { fate in
      fate.what == what
        && min(fate.endMs, trouble.endMs + aheadMs) - max(fate.startMs, trouble.startMs + aheadMs)
          > min(fate.lengthMs, trouble.lengthMs) / 2
    }
  }

  private func allAtOnce(_ trouble: Trouble, _ end: EndpointAssessment) -> PlacedFault? {
    let listeners = ends.filter(\.hasReceived)
    guard ends.count > 2, listeners.count > 2, trouble.isOfPath, ends.count(where: \.hasSent) > 1 else {
      return nil
    }
    let missed = listeners.filter { hasMissed(trouble, at: $0, besides: end, .lost) }
    return missed.count == listeners.count
      ? PlacedFault(
        .allAtOnce,
        evidence:
          "all \(missed.count) ends that are on record missed the \(trouble.medium == .audio ? "sound" : "picture") at the same time"
      ) : nil
  }

  /// The share of a stream that was lost; nil if nothing counts it.
  private static func lost(_ stream: StoredStream) -> Double? {
    guard let lost = stream.totals.lost, let packets = stream.totals.packets, packets > 0 else { return nil }
    let all = stream.facts.direction == .outbound ? packets : packets + max(0, lost)
    return Double(max(0, lost)) / Double(all)
  }

  private static func losses(
    _ direction: StreamDirection, _ medium: MediaKind, at end: EndpointAssessment
  ) -> [Double] {
    end.choice.chosen(.stats).filter { $0.facts.direction == direction && $0.facts.kind == medium }
      .compactMap(lost)
  }

  private func uplinkLoss(_ trouble: Trouble, _ others: [EndpointAssessment]) -> PlacedFault? {
    guard ends.count > 2, trouble.isOfPath else { return nil }
    // A server has what it lost of a picture sent again, and not of sound.
    return uplinkLoss(.audio, others) ?? uplinkLoss(trouble.medium, others)
  }

  private func uplinkLoss(_ medium: MediaKind, _ others: [EndpointAssessment]) -> PlacedFault? {
    let lossy = ends.compactMap { far -> (end: EndpointAssessment, share: Double)? in
      Self.losses(.outbound, medium, at: far).max().flatMap { $0 >= Self.lossShare ? (far, $0) : nil }
    }
    guard lossy.count == 1, let (sender, share) = lossy.first,
      others.contains(where: { $0.endpoint.key == sender.endpoint.key })
    else { return nil }
    let receivers = ends.filter { $0.endpoint.key != sender.endpoint.key && $0.hasReceived }
    let alike = receivers.filter { receiver in
      let bad = Self.losses(.inbound, medium, at: receiver).filter { $0 >= Self.cleanPart * share }
      return bad.count == 1 && Self.about.contains(bad[0] / share)
    }
    guard alike.count == receivers.count, alike.count > 1 else { return nil }
    return PlacedFault(
      .uplinkLoss, at: sender.endpoint.name,
      evidence:
        "the server and all \(alike.count) receivers lost \(lossPercent(share)) of what it sent, and far less of the others"
    )
  }

  /// What one sender alone could not get through to the server.
  private func uplinkCapacity(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard ends.count > 2, trouble.isOfSentPicture else { return nil }
    let limited = others.filter { hasFinding(.bandwidthStarved, at: $0, during: trouble, of: end) }
    guard limited.count == 1, let sender = limited.first else { return nil }
    return PlacedFault(
      .uplinkCapacity, at: sender.endpoint.name,
      evidence: "its encoder was limited by its bandwidth, and that of nobody else")
  }

  private func downlinkLoss(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard ends.count > 2, trouble.isOfPath else { return nil }
    let own = Self.losses(.inbound, trouble.medium, at: end)
    guard own.count > 1, let least = own.min(), let most = own.max(), least >= Self.lossShare,
      most <= 3 * least
    else { return nil }
    let limit = Self.cleanPart * least
    let uplinks = others.flatMap { Self.losses(.outbound, trouble.medium, at: $0) }
    let elsewhere = others.filter(\.hasReceived).flatMap { Self.losses(.inbound, trouble.medium, at: $0) }
    guard !elsewhere.isEmpty, uplinks.allSatisfy({ $0 < limit }), elsewhere.allSatisfy({ $0 < limit }) else {
      return nil
    }
    return PlacedFault(
      .downlinkLoss, at: end.endpoint.name,
      evidence:
        "it lost \(lossPercent(own.reduce(0, +) / Double(own.count))) of what the others sent, and they far less"
    )
  }

  // MARK: Two ends

  private func betweenEnds(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard ends.count == 2, let far = others.first, trouble.isOfPath, verdict.value.isAlarm,
      end.choice.judging == .stats, Self.isSame(end, far),
      far.sent(trouble.medium, from: trouble.startMs, to: trouble.endMs, seenFrom: end)
    else { return nil }
    if case .missed = trouble.kind {
      let what = trouble.medium == .video ? "picture" : "sound"
      return PlacedFault(
        .betweenEnds,
        evidence:
          "while one end sent, no \(what) came to the other for \(durationText(trouble.lengthMs))"
      )
    }
    // Without loss, what came late may have been sent late.
    guard let share = Self.losses(.inbound, trouble.medium, at: end).max(), share >= Self.lossShare / 3 else {
      return nil
    }
    return PlacedFault(
      .betweenEnds, evidence: "of what one end sent, \(lossPercent(share)) did not come to the other")
  }

  /// Whether one end receives what the other sends under its SSRC, in rows of streams that meet a condition.
  static func isSame(
    _ end: EndpointAssessment, _ far: EndpointAssessment,
    where isMeant: (StoredStream) -> Bool = { _ in true }
  ) -> Bool {
    func ssrcs(_ end: EndpointAssessment, _ direction: StreamDirection) -> Set<UInt32> {
      Set(
        end.choice.chosen(.stats).filter { $0.facts.direction == direction && isMeant($0) }
          .compactMap(\.facts.ssrc).filter(SSRC.isRandom))
    }
    return !ssrcs(end, .inbound).isDisjoint(with: ssrcs(far, .outbound))
  }
}
