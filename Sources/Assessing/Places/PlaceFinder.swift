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
  let evidence: CallEvidence
  let verdict: Verdict
  /// All streams of each end, chosen or not, by the end's key.
  let streams: [Int64: [StoredStream]]
  let store: Store

  /// Share of packets lost from which a way is bad, and the part of it below which another is clean.
  static let (lossShare, cleanPart) = (0.03, 0.25)
  /// How much the loss at a receiver may differ from that of the uplink.
  private static let about = 0.5...1.7

  /// Nil if it is not known, or nothing is wrong.
  func found() throws -> PlacedFault? {
    switch verdict.value {
    case .failed: return answerLost ?? noCheckAnswered
    case .dropped, .notSetUp: return nil
    case .silent, .noPicture, .poor, .fair, .good, .notSent, .unjudged: break
    }
    for trouble in Trouble.found(at: ends, fates, verdict) {
      if let place = try place(of: trouble) { return place }
    }
    return nil
  }

  private func place(of trouble: Trouble) throws -> PlacedFault? {
    let end = ends[trouble.listener]
    let others = ends.filter { $0.endpoint.key != end.endpoint.key }
    typealias Rule = (Trouble, EndpointAssessment, [EndpointAssessment]) throws -> PlacedFault?
    let rules: [Rule] = [
      slowPlayout, notPlayed, framesDropped, sourceStoodStill, sourceIsSlow, senderProcessor,
      senderStoodStill,
      stoppedByApplication, ofHops, notForwarded, uplinkLoss, allAtOnce, downlinkLoss, uplinkCapacity,
      betweenEnds,
    ]
    for rule in rules {
      if let place = try rule(trouble, end, others) { return place }
    }
    return nil
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
    let reached = ends.count { $0.hasReceived }
    return reached > 0
      ? PlacedFault(
        .noCheckAnswered, at: name,
        evidence:
          "none of its checks was answered, while \(reached) other\(reached == 1 ? "" : "s") got through")
      : nil
  }

  // MARK: Machines

  func overlap(_ finding: Finding, _ trouble: Trouble, aheadMs: Double = 0) -> Double {
    guard let start = finding.startMs, let end = finding.endMs else { return 0 }
    return max(0, min(end - aheadMs, trouble.endMs) - max(start - aheadMs, trouble.startMs))
  }

  private func slowPlayout(
    _ trouble: Trouble, _ end: EndpointAssessment, _: [EndpointAssessment]
  ) -> PlacedFault? {
    guard trouble.medium == .audio, [.impaired(.jitter), .impaired(.playout)].contains(trouble.kind) else {
      return nil
    }
    let slow = (findings[end.endpoint.key] ?? []).first {
      $0.missing == .time && overlap($0, trouble) > trouble.lengthMs / 2
    }
    return slow.map { _ in
      PlacedFault(
        .slowPlayout, at: end.endpoint.name,
        evidence: "sound was played slower than time passed, though its packets came")
    }
  }

  private func senderStoodStill(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard trouble.kind == .missed(.notSent), others.count == 1, let far = others.first else { return nil }
    let stoodStill = (findings[end.endpoint.key] ?? []).contains {
      $0.code == .sparseSound && overlap($0, trouble) > trouble.lengthMs / 2
    }
    return stoodStill
      ? PlacedFault(
        .senderStoodStill, at: far.endpoint.name, evidence: "it sent next to nothing, with no number missing")
      : nil
  }

  // MARK: A server between

  private func notForwarded(
    _ trouble: Trouble, _ end: EndpointAssessment, _: [EndpointAssessment]
  ) -> PlacedFault? {
    trouble.kind == .missed(.notForwarded) && end.choice.judging == .stats
      ? PlacedFault(.notForwarded, evidence: "it had what was sent, and did not pass it on") : nil
  }

  private func allAtOnce(
    _ trouble: Trouble, _ end: EndpointAssessment, _: [EndpointAssessment]
  ) -> PlacedFault? {
    let listeners = ends.filter(\.hasReceived)
    guard ends.count > 2, listeners.count > 2, trouble.isOfPath, ends.count(where: \.hasSent) > 1 else {
      return nil
    }
    let missed = listeners.filter { other in
      let aheadMs = end.onCallClock(0) - other.onCallClock(0)
      return fates[other].values.joined().contains { fate in
        fate.what == .lost
          && min(fate.endMs, trouble.endMs + aheadMs) - max(fate.startMs, trouble.startMs + aheadMs)
            > min(fate.lengthMs, trouble.lengthMs) / 2
      }
    }
    return missed.count == listeners.count
      ? PlacedFault(.allAtOnce, evidence: "all \(missed.count) ends missed everything at the same time") : nil
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

  private func uplinkLoss(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard ends.count > 2, trouble.isOfPath else { return nil }
    // A server repairs what it lost of a picture, and does not of sound.
    return uplinkLoss(.audio, others + [end])
      ?? uplinkLoss(trouble.medium, others + [end])
  }

  private func uplinkLoss(_ medium: MediaKind, _ all: [EndpointAssessment]) -> PlacedFault? {
    let lossy = all.compactMap { far -> (end: EndpointAssessment, share: Double)? in
      Self.losses(.outbound, medium, at: far).max().flatMap {
        $0 >= Self.lossShare ? (far, $0) : nil
      }
    }
    guard lossy.count == 1, let (sender, share) = lossy.first else { return nil }
    let receivers = ends.filter { $0.endpoint.key != sender.endpoint.key && $0.hasReceived }
    let alike = receivers.filter { receiver in
      let bad = Self.losses(.inbound, medium, at: receiver).filter { $0 >= Self.cleanPart * share }
      return bad.count == 1 && Self.about.contains(bad[0] / share)
    }
    guard alike.count == receivers.count, alike.count > 1 else { return nil }
    return PlacedFault(
      .uplinkLoss, at: sender.endpoint.name,
      evidence:
        "\(alike.count) of \(receivers.count) receivers lost \(lossPercent(share)) of what it sent, and nothing of the others"
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
      evidence: "its network carried too little for its picture, that of the others enough")
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
        "it lost \(lossPercent(own.reduce(0, +) / Double(own.count))) of everybody, and nobody else did")
  }

  // MARK: Without a server

  private func betweenEnds(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard ends.count == 2, let far = others.first, trouble.isOfPath, end.choice.judging == .stats,
      verdict.value.isAlarm,
      !far.choice.chosen(.stats).isEmpty, Self.isDirect(end, far),
      far.sent(trouble.medium, from: trouble.startMs, to: trouble.endMs, seenFrom: end)
    else { return nil }
    let share = Self.losses(.inbound, trouble.medium, at: end).max() ?? 0
    let what: String
    switch trouble.kind {
    case .missed: what = "nothing came for \(seconds(trouble.lengthMs))"
    case .impaired(.loss): what = "\(lossPercent(share)) did not arrive"
    case .impaired:
      guard share >= Self.lossShare / 3 || trouble.kind == .impaired(.jitter) else { return nil }
      what = share >= 0.005 ? "\(lossPercent(share)) did not arrive" : "much came unevenly"
    }
    return PlacedFault(
      .betweenEnds, evidence: "of what one end sent to the other, \(what)")
  }

  /// Whether one end receives what the other sends under its SSRC.
  private static func isDirect(_ end: EndpointAssessment, _ far: EndpointAssessment) -> Bool {
    func ssrcs(_ end: EndpointAssessment, _ direction: StreamDirection) -> Set<UInt32> {
      Set(
        end.choice.chosen(.stats).filter { $0.facts.direction == direction }.compactMap(\.facts.ssrc)
          .filter(SSRC.isRandom))
    }
    return !ssrcs(end, .inbound).isDisjoint(with: ssrcs(far, .outbound))
  }
}
