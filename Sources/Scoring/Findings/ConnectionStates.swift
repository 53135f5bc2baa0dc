import CallModel

/// ICE and DTLS states from statistics. If no event shows how the connection fared, they show that it failed, or that
/// ICE or DTLS was still in progress when the recording ended.
///
/// `failed` is final in both (W3C webrtc-pc, RTCIceTransportState and RTCDtlsTransportState) until ICE is restarted.
/// For a connection that came up and stays up no events are added, because polling sees the change late.
struct ConnectionStates {
  private var checkingMs: Double?
  /// When a working pair, and completed DTLS, were first seen.
  private var foundMs: Double?
  private var keyedMs: Double?
  /// When the pair was last seen to work, and when it was first seen disconnected afterwards.
  private var lastFoundMs: Double?
  private var goneMs: Double?
  private var failure: (event: EventName, timeMs: Double)?
  /// When an end that never had a working pair was last seen checking.
  private(set) var stillCheckingMs: Double?
  /// When such an end was last seen at all.
  private(set) var lastApartMs: Double?
  /// When a pair first worked, and when the handshake was last seen in progress at an end that never completed it.
  private var firstFoundMs: Double?
  private(set) var stillKeyingMs: Double?

  /// Takes the next sample of the transport. An end may have several connections that report alternately: one that
  /// works is enough.
  mutating func see(_ sample: TransportSample) {
    let isFound = sample.iceState == "connected" || sample.iceState == "completed"
    if sample.iceState == "checking" { checkingMs = checkingMs ?? sample.timeMs }
    if isFound || sample.pair != nil || sample.bytesReceived ?? 0 > 0 { foundMs = foundMs ?? sample.timeMs }
    lastApartMs = foundMs == nil ? sample.timeMs : nil
    if let ice = sample.iceState, ice != "closed" {
      stillCheckingMs = ice == "checking" && foundMs == nil && failure == nil ? sample.timeMs : nil
    }
    if isFound {
      firstFoundMs = firstFoundMs ?? sample.timeMs
      (lastFoundMs, goneMs) = (sample.timeMs, nil)
    }
    if sample.iceState == "disconnected" { goneMs = goneMs ?? sample.timeMs }
    if sample.dtlsState == "connected" { keyedMs = keyedMs ?? sample.timeMs }
    if let dtls = sample.dtlsState, dtls != "closed" {
      let isTried = (dtls == "new" || dtls == "connecting") && keyedMs == nil && firstFoundMs != nil
      stillKeyingMs = isTried ? sample.timeMs : nil
    }
    switch (sample.iceState, sample.dtlsState) {
    case ("failed", _): failure = failure ?? (.iceFailed, sample.timeMs)
    case (_, "failed"): failure = failure ?? (.dtlsFailed, sample.timeMs)
    default: if isFound { failure = nil }
    }
  }

  /// The events, completed with those that only the states show, named as a PeerConnection's events would be.
  ///
  /// - Parameters:
  ///   - events: events at this end, in time order.
  ///   - mediaMs: when media was first known to arrive.
  ///   - lastMediaMs: when media last arrived.
  func completing(_ events: [EventRecord], mediaMs: Double?, lastMediaMs: Double?) -> [EventRecord] {
    guard !events.contains(where: { Self.isConnectionState($0.event) }) else { return events }
    var added: [EventRecord] = []
    func add(_ event: EventName, _ timeMs: Double?) {
      added.append(EventRecord(timeMs: timeMs, event: event, raw: "transport", sdk: "w3c"))
    }
    guard let failure, lastMediaMs ?? failure.timeMs <= failure.timeMs else {
      if stillCheckingMs != nil, mediaMs == nil { add(.iceChecking, checkingMs) }
      if stillKeyingMs != nil, mediaMs == nil {
        add(.iceConnected, firstFoundMs)
        add(.dtlsStarted, firstFoundMs)
      }
      return (events + added).inOrder(by: \.timeMs)
    }
    if let found = foundMs ?? mediaMs {
      add(.iceConnected, found)
      let keyed = keyedMs ?? mediaMs
      if let keyed { add(.dtlsConnected, keyed) }
      // A handshake that fails before any media breaks no working connection.
      if keyed != nil, let gone = goneMs ?? lastFoundMs ?? lastMediaMs { add(.iceDisconnected, gone) }
      add(failure.event, failure.timeMs)
    } else {
      // Firefox reports failed ICE only as failed DTLS.
      add(.iceChecking, checkingMs)
      add(.iceFailed, failure.timeMs)
    }
    // A PeerConnection has failed as soon as one of its transports has. A logged end of the call takes precedence.
    if !events.contains(where: { $0.event == .callEnded }) { add(.callFailed, failure.timeMs) }
    return (events + added).inOrder(by: \.timeMs)
  }

  private static func isConnectionState(_ event: EventName) -> Bool {
    let words: [EventName] = [
      .iceChecking, .iceConnecting, .iceConnected, .iceDisconnected, .iceFailed, .iceClosed,
      .callEstablished, .callFailed, .networkLost,
    ]
    return event.group == .dtls || words.contains(event)
  }
}

/// Finds connections that always used a relay, and changes of network during a call.
struct RouteChangeDetector {
  private var relayed = 0
  private var direct = 0
  private var relayProtocol: String?
  private var firstMs: Double?
  private var lastMs: Double?

  mutating func see(_ sample: TransportSample) {
    guard sample.local != nil || sample.localType != nil || sample.networkType != nil else { return }
    firstMs = firstMs ?? sample.timeMs
    lastMs = sample.timeMs
    if sample.localType == "relay" || sample.remoteType == "relay" {
      relayed += 1
      relayProtocol = sample.relayProtocol ?? relayProtocol
    } else if sample.localType != nil {
      direct += 1
    }
  }

  /// - Parameter paths: all network paths that packets took, in time order.
  func findings(_ context: FindingContext, _ paths: [PathHistory.Step]) -> [Finding] {
    var findings: [Finding] = []
    if relayed > 0, direct == 0, let first = firstMs, let end = lastMs {
      findings.append(
        Finding(
          .relayOnly, .info, from: first, to: end,
          Evidence().with("reports", Double(relayed)).with("relay_protocol", relayProtocol),
          "All media went through a relay" + (relayProtocol.map { " over \($0)." } ?? ".")))
    }
    var changes = Self.changes(paths)
    // The address that a NAT shows for this end stays the same when the end behind it moves.
    let knowsOwnAddress = paths.contains { $0.sample.localType == "host" && $0.sample.local != nil }
    if changes.isEmpty, !knowsOwnAddress { changes = Self.changes(context.pathsSeenElsewhere) }
    // Some SDKs report the start and the end of a change: these are one change.
    var hasBegun = false
    for event in context.events where event.event == .networkChanged {
      let state = event[.state]
      if let time = event.timeMs, state != "ended" || !hasBegun { changes.append((time, nil, nil)) }
      hasBegun = state == "started"
    }
    var lastChangeMs = -Double.infinity
    for change in changes.sorted(by: { $0.time < $1.time })
    where change.time - lastChangeMs > Threshold.sameChange.value {
      lastChangeMs = change.time
      findings.append(
        Finding(
          .networkChanged, .warning, from: change.time, to: change.time,
          Evidence().with("from", change.from).with("to", change.to),
          "This end changed its network in the call."))
    }
    return findings
  }

  private static func changes(_ paths: [PathHistory.Step]) -> [(time: Double, from: String?, to: String?)] {
    paths.compactMap { path in
      path.before?.networkChange(to: path.sample).map { (path.sample.timeMs, $0.from, $0.to) }
    }
  }
}
