/// The canonical name of an event: one vocabulary for all SDKs (docs: setup time). The raw name is stored beside it.
///
/// A name is its group, a dot, and what happened: `call.handed-over` is `.callHandedOver`.
// swift-format-ignore: OneCasePerLine
public enum EventName: String, Sendable, CaseIterable {
  /// The name of an event that no dialect knows, or that a later version wrote.
  case unknown
  case callCreated = "call.created", callIncoming = "call.incoming", callRequestSent = "call.request-sent",
    callDialing = "call.dialing", callAlerting = "call.alerting", callRinging = "call.ringing",
    callEarlyMedia = "call.early-media", callAnswered = "call.answered",
    callMediaPending = "call.media-pending", callEstablished = "call.established", callHeld = "call.held",
    callResumed = "call.resumed", callRemotelyHeld = "call.remotely-held",
    callDoubleHeld = "call.double-held", callUpdated = "call.updated", callTransferred = "call.transferred",
    callJoined = "call.joined", callMuted = "call.muted", callUnmuted = "call.unmuted",
    callDtmf = "call.dtmf", callFailed = "call.failed", callEnded = "call.ended",
    callHandedOver = "call.handed-over", callConnectionState = "call.connection-state", callIdle = "call.idle"
  case mediaLocalRequested = "media.local-requested", mediaLocalAcquired = "media.local-acquired",
    mediaLocalFailed = "media.local-failed", mediaRemoteStream = "media.remote-stream",
    mediaFirstPacket = "media.first-packet", mediaFirstFrame = "media.first-frame",
    mediaFirstAudio = "media.first-audio", mediaQualityLimited = "media.quality-limited",
    mediaResolutionChanged = "media.resolution-changed", mediaCodecChanged = "media.codec-changed",
    mediaImplementationChanged = "media.implementation-changed", mediaDropout = "media.dropout",
    mediaRecovered = "media.recovered", mediaQualityReported = "media.quality-reported",
    mediaSpoke = "media.spoke", mediaSilent = "media.silent", mediaRemoteMuted = "media.remote-muted",
    mediaPlayoutHidden = "media.playout-hidden", mediaPlayoutShown = "media.playout-shown",
    mediaRemoteEnded = "media.remote-ended", mediaDisplayRequested = "media.display-requested",
    mediaDisplayAcquired = "media.display-acquired", mediaDisplayFailed = "media.display-failed",
    mediaTrackAdded = "media.track-added", mediaTrackRemoved = "media.track-removed",
    mediaTransceiverChanged = "media.transceiver-changed", mediaSenderChanged = "media.sender-changed",
    mediaDeviceChanged = "media.device-changed", mediaDeviceRequested = "media.device-requested",
    mediaTakenAway = "media.taken-away", mediaGivenBack = "media.given-back",
    mediaInterrupted = "media.interrupted", mediaStatistics = "media.statistics",
    mediaPathChecks = "media.path-checks", mediaPathPairs = "media.path-pairs"
  case sdpOfferRequested = "sdp.offer-requested", sdpOfferCreated = "sdp.offer-created",
    sdpOfferSent = "sdp.offer-sent", sdpOfferReceived = "sdp.offer-received",
    sdpAnswerRequested = "sdp.answer-requested", sdpAnswerCreated = "sdp.answer-created",
    sdpAnswerSent = "sdp.answer-sent", sdpAnswerReceived = "sdp.answer-received",
    sdpProvisionalAnswerReceived = "sdp.provisional-answer-received", sdpLocalSetting = "sdp.local-setting",
    sdpLocalSet = "sdp.local-set", sdpRemoteSetting = "sdp.remote-setting", sdpRemoteSet = "sdp.remote-set",
    sdpSignalingState = "sdp.signaling-state", sdpNegotiationNeeded = "sdp.negotiation-needed",
    sdpRollback = "sdp.rollback", sdpFailed = "sdp.failed"
  case iceGatheringNew = "ice.gathering-new", iceGatheringStarted = "ice.gathering-started",
    iceGatheringComplete = "ice.gathering-complete", iceGatheringState = "ice.gathering-state",
    iceCandidate = "ice.candidate", iceCandidatesEnd = "ice.candidates-end",
    iceCandidateError = "ice.candidate-error", iceRemoteCandidate = "ice.remote-candidate",
    iceRemoteCandidateAdded = "ice.remote-candidate-added",
    iceRemoteCandidateFailed = "ice.remote-candidate-failed", icePairChanged = "ice.pair-changed",
    iceNew = "ice.new", iceChecking = "ice.checking", iceConnecting = "ice.connecting",
    iceConnected = "ice.connected", iceDisconnected = "ice.disconnected", iceFailed = "ice.failed",
    iceRestarted = "ice.restarted", iceClosed = "ice.closed", iceState = "ice.state",
    iceLegacyState = "ice.legacy-state"
  case dtlsNew = "dtls.new", dtlsStarted = "dtls.started", dtlsRetransmitted = "dtls.retransmitted",
    dtlsConnected = "dtls.connected", dtlsFailed = "dtls.failed", dtlsClosed = "dtls.closed",
    dtlsState = "dtls.state"
  case networkRetry = "network.retry", networkLost = "network.lost",
    networkReestablished = "network.reestablished", networkUnavailable = "network.unavailable",
    networkAvailable = "network.available", networkChanged = "network.changed",
    networkTypeChanged = "network.type-changed"
  case sessionRegistering = "session.registering", sessionRegistered = "session.registered",
    sessionRegistrationFailed = "session.registration-failed", sessionUnregistered = "session.unregistered",
    sessionConnecting = "session.connecting", sessionConnected = "session.connected",
    sessionReconnecting = "session.reconnecting", sessionFailed = "session.failed",
    sessionClosed = "session.closed", sessionHibernating = "session.hibernating",
    sessionHibernated = "session.hibernated", sessionSuspended = "session.suspended",
    sessionResumed = "session.resumed", sessionConfigured = "session.configured",
    sessionKeepalive = "session.keepalive", sessionDataChannelCreated = "session.data-channel-created",
    sessionDataChannelOpened = "session.data-channel-opened",
    sessionDataChannelClosed = "session.data-channel-closed",
    sessionDataChannelFailed = "session.data-channel-failed", sessionInternalError = "session.internal-error",
    sessionFrame = "session.frame", sessionRequest = "session.request"
  case pushSent = "push.sent", pushReceived = "push.received", pushSubscribed = "push.subscribed",
    pushUnsubscribed = "push.unsubscribed", pushExpired = "push.expired", pushRelayed = "push.relayed",
    pushInvalid = "push.invalid"
  case appMessage = "app.message", appMessageSent = "app.message-sent",
    appMessageDelivered = "app.message-delivered", appMessageFailed = "app.message-failed",
    appTopicConnected = "app.topic-connected", appTopicUpdated = "app.topic-updated",
    appTopicDeleted = "app.topic-deleted", appTopicFailed = "app.topic-failed",
    appBackground = "app.background", appForeground = "app.foreground"
  case tokenRequested = "token.requested", tokenGranted = "token.granted", tokenRefreshed = "token.refreshed",
    tokenReleased = "token.released", tokenExpired = "token.expired", tokenFailed = "token.failed"
  case conferenceParticipantJoined = "conference.participant-joined",
    conferenceParticipantPresent = "conference.participant-present",
    conferenceParticipantChanged = "conference.participant-changed",
    conferenceParticipantLeft = "conference.participant-left",
    conferenceRosterSyncing = "conference.roster-syncing",
    conferenceRosterSynced = "conference.roster-synced", conferenceStage = "conference.stage",
    conferencePresentationStarted = "conference.presentation-started",
    conferencePresentationStopped = "conference.presentation-stopped",
    conferencePresentationFrame = "conference.presentation-frame", conferenceMessage = "conference.message",
    conferenceLayout = "conference.layout", conferenceUpdated = "conference.updated",
    conferenceWaiting = "conference.waiting", conferenceAdmitted = "conference.admitted",
    conferenceCaptions = "conference.captions", conferenceSplashScreen = "conference.splash-screen",
    conferenceBreakout = "conference.breakout", conferenceError = "conference.error",
    conferenceControl = "conference.control"

  /// The name of a text; nil if there is none. By a table: the compiler would compare one name after the other.
  public init?(rawValue: String) {
    guard let name = Self.byText[rawValue] else { return nil }
    self = name
  }

  private static let byText = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// By ordinal: a raw value would be hashed as text.
  public func hash(into hasher: inout Hasher) { hasher.combine(ordinal) }

  /// The part of its name before the dot; nil for `unknown`.
  public var group: Group? { Self.groups[Int(ordinal)] }

  /// What an event is about.
  public enum Group: String, Sendable {
    case call, media, sdp, ice, dtls, network, session, push, app, token, conference
  }

  // The ordinals of cases without values are stored in one byte.
  private var ordinal: UInt8 { withUnsafeBytes(of: self) { $0[0] } }

  private static let groups = allCases.map { name in
    Group(rawValue: String(name.rawValue.prefix { $0 != "." }))
  }
}

extension EventName: CustomStringConvertible {
  public var description: String { rawValue }
}

extension EventName {
  /// Events that begin another call, or another attempt, once the one before is over.
  public static let openings: Set<EventName> = [
    .callCreated, .callIncoming, .callAlerting, .callRequestSent, .callDialing, .callRinging,
    .mediaLocalRequested, .pushReceived, .pushExpired, .tokenRequested, .sdpOfferRequested,
    .sdpOfferCreated, .sdpOfferSent, .sdpOfferReceived,
  ]

  /// Openings that do not always lead to a call: a request for the camera, or a push sent for another reason.
  public static let preludes: Set<EventName> = [.mediaLocalRequested, .pushReceived]

  /// Whether an event is evidence of a call; false for events of a session, the network, the application or
  /// its devices, which also occur without a call; nil if unknown.
  public var isEvidenceOfCall: Bool? {
    switch self {
    case .unknown, .mediaPathPairs: nil
    case .pushSubscribed, .pushUnsubscribed, .mediaDeviceChanged, .mediaDeviceRequested: false
    // A page asks for the camera in its lobby, too.
    case .mediaLocalRequested, .mediaLocalAcquired, .mediaDisplayRequested, .mediaDisplayAcquired: false
    default: group != .session && group != .network && group != .app
    }
  }

  /// Whether it is about an offer.
  public var isOffer: Bool {
    [.sdpOfferRequested, .sdpOfferCreated, .sdpOfferSent, .sdpOfferReceived].contains(self)
  }

  /// Whether its description is one of the far end.
  public var describesFarEnd: Bool {
    switch self {
    case .callIncoming, .sdpOfferReceived, .sdpAnswerReceived, .sdpProvisionalAnswerReceived,
      .sdpRemoteSetting, .sdpRemoteSet:
      true
    default: false
    }
  }

  /// Whether it says that the call is on hold.
  public var isHold: Bool { [.callHeld, .callRemotelyHeld, .callDoubleHeld].contains(self) }

  /// Whether the call is over with it.
  public var isEnd: Bool { self == .callEnded || self == .callFailed }
}

/// How long before a call a push, a camera prompt or a device query still counts as part of it, ms: about as
/// long as a telephone rings or a permission prompt stays open.
private let leadMs = 60_000.0

/// The time range of a call, from its own events and its media.
///
/// Events of the application and its session are left out, as an application may have logged in hours ago.
/// Events that lead up to a call count if they come shortly before it. If no event belongs to the call
/// itself, all events count.
public func spanOfCall(_ events: [EventRecord], media: [Double]) -> ClosedRange<Double>? {
  var own = Moments()
  var leading: [Double] = []
  var all = Moments()
  var overMs: Double?
  for time in media { own.add(time) }
  for event in events {
    guard let time = event.timeMs else { continue }
    all.add(time)
    switch event.event.relation {
    case .own:
      own.add(time)
      if event.event.isEnd { overMs = max(overMs ?? time, time) }
    case .leading: leading.append(time)
    case .session: break
    }
  }
  guard let span = own.span else { return all.span }
  for time in leading where time >= span.lowerBound - leadMs && time <= overMs ?? .infinity { own.add(time) }
  // Without an event that ends it, the call lasts until the last event.
  if overMs == nil, let last = all.span?.upperBound { own.add(max(last, span.lowerBound)) }
  return own.span
}

private struct Moments {
  private(set) var span: ClosedRange<Double>?

  mutating func add(_ ms: Double) {
    span = min(span?.lowerBound ?? ms, ms)...max(span?.upperBound ?? ms, ms)
  }
}

extension EventName {
  /// How an event in the log of a call relates to that call.
  fileprivate enum Relation { case own, leading, session }

  fileprivate var relation: Relation {
    switch self {
    case .callIdle: return .session
    // Requesting a token, or failing to get one, is part of joining a call; refreshing one belongs to the
    // session. With an expired push the call came too late.
    case .tokenRequested, .pushExpired: return .own
    case .tokenFailed, .pushSent, .pushReceived, .pushRelayed: return .leading
    default: break
    }
    return switch group {
    case .call, .sdp, .ice, .dtls, .conference: .own
    case .media: .leading
    case .network, .session, .push, .app, .token, nil: .session
    }
  }
}
