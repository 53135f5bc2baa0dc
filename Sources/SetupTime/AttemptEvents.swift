import CallModel

/// The events of one attempt in chronological order, with the queries that the phases need.
struct AttemptEvents {
  /// An event with a time.
  struct Moment {
    var timeMs: Double
    var event: EventName
    /// The resolution of its clock, ms; 0 if it is exact.
    var stepMs = 0.0
  }

  /// All events, including those without a time.
  let events: [EventRecord]
  /// Those with a time of their own, in order.
  let moments: [Moment]
  private let names: Set<EventName>

  init(_ events: [EventRecord]) {
    self.events = events
    self.moments = events.compactMap { record in
      record.ownTimeMs.map { Moment(timeMs: $0, event: record.event, stepMs: record.clockStepMs ?? 0) }
    }
    self.names = Set(events.map(\.event))
  }

  /// Whether any of the events happened, with or without a time.
  func has(_ wanted: EventName...) -> Bool { wanted.contains { names.contains($0) } }

  /// Whether any event of a group happened.
  func hasGroup(_ group: EventName.Group) -> Bool { names.contains { $0.group == group } }

  /// The first of the given events at or after a time.
  func first(of wanted: [EventName], from: Double = -.infinity) -> Moment? {
    moments.first { $0.timeMs >= from && wanted.contains($0.event) }
  }

  /// The first event with the first of these names that occurs. Names are in order of preference.
  func preferred(_ wanted: [EventName], from: Double = -.infinity) -> Moment? {
    for name in wanted {
      if let moment = first(of: [name], from: from) { return moment }
    }
    return nil
  }

  /// The event that ended the attempt, if any.
  var firstEnd: Moment? { first(of: [.callFailed, .callEnded]) }

  /// Whether media could flow: the call was established, here or on the device that handed it over, or its
  /// transport was connected.
  var isEstablished: Bool {
    has(.callEstablished, .callHandedOver, .dtlsConnected) || isEstablishedByICE
  }

  /// For logs from before connection states existed, which have only ICE states.
  var isEstablishedByICE: Bool { has(.iceConnected) && !has(.iceConnecting) && !hasGroup(.dtls) }

  /// Whether somebody answered, or the far end's description arrived.
  var isAnswered: Bool {
    isEstablished
      || has(
        .callAnswered, .callMediaPending, .sdpAnswerReceived, .sdpOfferReceived, .sdpRemoteSet,
        .callEarlyMedia, .sdpProvisionalAnswerReceived)
      || has(.iceChecking, .iceConnecting, .iceConnected)
  }

  /// Whether it failed or ended before it was established.
  var endedEarly: Bool {
    guard has(.callFailed, .callEnded), isEstablished else { return has(.callFailed, .callEnded) }
    guard let firstEnd,
      let up = first(of: [.callEstablished, .callHandedOver, .dtlsConnected])
        ?? first(of: [.iceConnected])
    else { return false }
    return firstEnd.timeMs < up.timeMs
  }

  /// Whether the events say more about the setup of the call than that a server was asked for admission.
  var isFollowed: Bool {
    has(
      .callCreated, .callDialing, .callRequestSent, .callRinging, .callIncoming, .callAlerting)
      || isAnswered || hasGroup(.sdp) || hasGroup(.ice) || hasGroup(.dtls)
  }

  /// Whether the log reports ICE and it failed before it was ever connected, so that no media could flow,
  /// regardless of signalling.
  var isNeverConnected: Bool {
    has(.iceChecking, .iceConnecting) && has(.iceFailed) && !has(.iceConnected, .dtlsConnected)
  }

  /// Whether no answer to this end's offer ever arrived, although its own log would show one.
  var isOfferUnanswered: Bool { !isEstablished && events.isOfferUnanswered }

  /// Whether this end found no candidate at all.
  var isWithoutCandidates: Bool { !isEstablished && events.isWithoutCandidates }

  /// Whether its candidates and the far end's formed no pair, so that there was nothing to check.
  var isWithoutPair: Bool { !isEstablished && events.connectivity.noPair != nil }

  /// Whether everything known about the call comes from a PeerConnection, which does not know about ringing.
  var isPeerConnectionOnly: Bool { events.allSatisfy { $0.sdk == nil || $0.sdk == "w3c" } }

  /// Where the setup begins: in real time, and by this end's own action (for an incoming call, when it is
  /// accepted).
  func start(_ direction: CallDirection) -> (wall: Moment?, own: Moment?) {
    guard direction == .incoming, let incoming = first(of: [.callIncoming, .callAlerting]) else {
      return (dialled ?? mediaRequestedInRoom ?? firstStep, nil)
    }
    return (incoming, first(of: Self.accepted, from: incoming.timeMs))
  }

  /// Whether a capture shows the INVITE with which the call came.
  var isOfInvite: Bool {
    events.first { $0.event == .callIncoming }?[.cseq]?.hasSuffix("INVITE") == true
  }

  /// Events that end the ringing of an incoming call.
  static let accepted: [EventName] = [
    .callCreated, .callAnswered, .callMediaPending, .sdpAnswerCreated, .sdpAnswerSent,
  ]

  /// Events that end the ringing of an outgoing call.
  var answers: [EventName] {
    [.callAnswered, .callMediaPending, .sdpAnswerReceived]
      + (isEstablishedByAnswer ? [.callEstablished] : [])
  }

  /// Whether both ends offered at once and this one rolled back its offer to answer the other's (RFC 8829
  /// section 4.1.10.2).
  var hasYielded: Bool {
    // A page may set its description without creating one first, so that its log shows only that one was
    // requested.
    guard let own = first(of: [.sdpOfferRequested, .sdpOfferCreated, .sdpOfferSent]),
      let other = first(of: [.sdpOfferReceived], from: own.timeMs),
      let answer = first(
        of: [.sdpAnswerRequested, .sdpAnswerCreated, .sdpAnswerSent], from: other.timeMs)
    else { return false }
    return first(of: [.sdpAnswerReceived]).map { $0.timeMs > answer.timeMs } ?? true
  }

  // In some SDKs, established is a signalling event, according to their dialects: the far end has accepted.
  // No earlier event reports that.
  private var isEstablishedByAnswer: Bool {
    events.contains { $0.event == .callEstablished && $0[.isAnswer] == true }
  }

  /// When this end dialled, if its log distinguishes that from creating the call object, after which users
  /// may still be at a dial pad.
  var dialled: Moment? {
    let far = first(of: [.callRinging, .callEarlyMedia, .callAnswered, .callMediaPending])?.timeMs
    let dial = events.first {
      [.callDialing, .callCreated].contains($0.event) && $0.ownTimeMs != nil
        && $0[.dials] != nil
    }
    guard let dial, let time = dial.ownTimeMs, time <= far ?? .infinity else { return nil }
    return Moment(timeMs: time, event: dial.event, stepMs: dial.clockStepMs ?? 0)
  }
}

extension AttemptEvents {
  /// Whether media of a kind were negotiated when the connection was first set up; nil if no remote stream is
  /// named.
  ///
  /// Media added by a later offer have a beginning of their own.
  func negotiatedAtFirst(_ kind: MediaKind?, connected: Moment) -> Bool? {
    let later = first(
      of: [.sdpOfferCreated, .sdpOfferSent, .sdpOfferReceived], from: connected.timeMs)
    let streams = events.filter { $0.event == .mediaRemoteStream }
    guard !streams.isEmpty else { return nil }
    return streams.contains { stream in
      if let later, let timeMs = stream.timeMs, timeMs >= later.timeMs { return false }
      guard let kind, let streamKind = stream[.kind] else { return true }
      return streamKind == kind.rawValue
    }
  }
}

extension AttemptEvents {
  /// The first event of a call. Asking for admission to a room comes first, regardless of the steps towards
  /// media that follow; if these came only later, see `mediaRequestedInRoom`.
  var firstStep: Moment? {
    let opening: [EventName] = [
      .tokenRequested, .callRequestSent, .callDialing, .sdpOfferRequested, .sdpOfferCreated,
      .sdpOfferReceived,
    ]
    let from = inputGivenMs ?? -.infinity
    guard let object = first(of: [.callCreated], from: from) else { return first(of: opening, from: from) }
    let created = stepAfterIdling(of: object) ?? object
    guard let token = first(of: [.tokenRequested], from: from) else { return created }
    return token.timeMs < created.timeMs ? token : created
  }

  /// When media were requested by a participant who had already been in the room for a while without any; nil
  /// if they were requested on joining. The time in between is the person's, and joining is no part of what
  /// followed.
  var mediaRequestedInRoom: Moment? {
    let steps: [EventName] = [
      .callCreated, .mediaLocalRequested, .sdpOfferRequested, .sdpOfferCreated, .sdpLocalSet,
      .iceGatheringStarted, .sdpOfferSent,
    ]
    guard let inside, let asked = first(of: steps, from: inside.timeMs),
      asked.timeMs - inside.timeMs > Self.joiningMs,
      !moments.contains(where: { $0.timeMs < inside.timeMs && steps.dropFirst().contains($0.event) })
    else { return nil }
    return asked
  }

  /// The maximum time that a client takes by itself from joining the room to its offer, ms: PexRTC gathers
  /// candidates for at most 10 s.
  private static let joiningMs = 15_000.0

  // When this end was in a room, with or without media.
  private var inside: Moment? {
    first(of: [.conferenceRosterSynced])
      ?? first(of: [.tokenRequested], from: inputGivenMs ?? -.infinity)
  }

  /// Whether the server asked the user for something and the log does not show when it was given, or a record has no
  /// time of ringing. It is then unknown how much of the time until the call was a person's.
  var isInputTimeUnknown: Bool {
    if events.contains(where: { $0.event == .callEstablished && $0[.includes] == "ringing" }) { return true }
    let asking = joining.filter { $0.event == .tokenRequested || $0.event == .tokenFailed }
    return asking.last.map { $0.event == .tokenFailed && $0[.wants] != nil } ?? false
  }

  private var joining: ArraySlice<EventRecord> { events.prefix { $0.event != .callEstablished } }

  // When a token was requested with what the server had asked the user for, such as a PIN; nil if it asked
  // for nothing. Until then the user was typing, perhaps several times.
  private var inputGivenMs: Double? {
    let joining = joining
    guard
      let wanted = joining.firstIndex(where: { $0.event == .tokenFailed && $0[.wants] != nil }),
      let asked = joining.lastIndex(where: { $0.event == .tokenRequested }), asked > wanted,
      let refused = joining[wanted..<asked].lastIndex(where: { $0.event == .tokenFailed })
    else { return nil }
    return joining[refused...].first { $0.event == .tokenRequested }?.ownTimeMs
  }
}
