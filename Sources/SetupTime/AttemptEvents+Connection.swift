import CallModel

/// What a PeerConnection's own log shows of the steps before its offer, and of when that offer was sent.
extension AttemptEvents {
  /// The maximum time between the steps of a page that sets up a call by itself, ms.
  private static let atOnceMs = 1000.0

  /// The maximum time between the states that a page writes down as a log is opened, ms. No handshake is as quick.
  private static let openingMs = 5.0

  /// Whether the log was opened while the call went on, and begins with the states that it had then: ICE and DTLS are
  /// connected at once, and nothing before shows how.
  var isOpenedAmidCall: Bool {
    guard isPeerConnectionOnly, let up = first(of: [.iceConnected]),
      let keyed = first(of: [.dtlsConnected]), abs(keyed.timeMs - up.timeMs) <= Self.openingMs
    else { return false }
    let steps: [EventName] = [
      .callCreated, .sdpOfferRequested, .sdpOfferCreated, .sdpAnswerRequested, .sdpAnswerCreated,
      .sdpLocalSet,
      .sdpRemoteSet, .iceGatheringStarted, .iceCandidate, .iceRemoteCandidate, .iceChecking, .iceConnecting,
      .dtlsStarted,
    ]
    return !moments.contains { $0.timeMs <= keyed.timeMs && steps.contains($0.event) }
  }

  /// The first step of a setup whose PeerConnection had been idle, such as one that a page creates as it is loaded; nil
  /// if steps followed its creation at once. Until then it waited for a person.
  func stepAfterIdling(of created: Moment) -> Moment? {
    let offers: [EventName] = [
      .sdpOfferRequested, .sdpOfferCreated, .sdpOfferSent, .sdpOfferReceived, .sdpLocalSetting,
    ]
    guard events.first(where: { $0.event == created.event && $0.ownTimeMs == created.timeMs })?.sdk == "w3c",
      var step = first(of: offers, from: created.timeMs)
    else { return nil }
    let ofCamera: [EventName] = [.mediaLocalRequested, .mediaLocalAcquired, .mediaLocalFailed]
    let before = moments.filter { moment in
      moment.timeMs >= created.timeMs && moment.timeMs < step.timeMs && ofCamera.contains(moment.event)
    }
    // The camera, if the offer followed it at once, however long the permission took.
    if let last = before.last, step.timeMs - last.timeMs <= Self.atOnceMs,
      let asked = before.last(where: { $0.event == .mediaLocalRequested })
    {
      step = asked
    }
    return step.timeMs - created.timeMs > Self.atOnceMs ? step : nil
  }

  /// When the offer of a page that does without trickle ICE was sent: once its candidates had all been gathered
  /// (RFC 8829 section 5.2.1). Nil if it was not held back, or if nothing shows it.
  ///
  /// The log of a PeerConnection does not say what the page sends. An answer that has the far end's candidates, none
  /// of which came by itself, is one of an application without trickle ICE.
  var sentWhenGathered: Moment? {
    guard isPeerConnectionOnly, !has(.callRequestSent, .sdpOfferSent),
      let set = first(of: [.sdpLocalSet]), let answer = first(of: [.sdpAnswerReceived], from: set.timeMs),
      let gathered = preferred([.iceGatheringComplete, .iceCandidatesEnd], from: set.timeMs),
      gathered.timeMs <= answer.timeMs,
      !events.contains(where: { $0.event == .iceRemoteCandidate && $0[.candidateType] != nil }),
      let description = events.first(where: { $0.event == .sdpAnswerReceived }),
      CandidateText.isIn(description.args)
    else { return nil }
    return gathered
  }
}
