import CallModel

/// The states of ICE and DTLS as statistics show them: where no event tells how the connection fared, they tell that it failed,
/// or that one of them was still tried when the recording ended.
///
/// `failed` is final in both (W3C webrtc-pc, RTCIceTransportState and RTCDtlsTransportState) until ICE is restarted. Of a
/// connection that came up and goes on nothing is told here: a poll sees late when it did.
struct ConnectionStates {
  private var checkingMs: Double?
  /// When a way was first seen to be found, and the keys to be agreed.
  private var foundMs: Double?
  private var keyedMs: Double?
  /// When the way was last seen to work, and then no more.
  private var lastFoundMs: Double?
  private var goneMs: Double?
  private var failure: (event: String, timeMs: Double)?
  /// When checks were last seen to go on, of an end that never found a way.
  private(set) var stillCheckingMs: Double?
  /// When a way was first seen to work, and when the handshake over one was last seen to go on, of an end that never had keys.
  private var firstFoundMs: Double?
  private(set) var stillKeyingMs: Double?

  /// Takes the next instant of the path. An end may have several connections, which report by turns: one that works is enough.
  mutating func see(_ sample: TransportSample) {
    let isFound = sample.iceState == "connected" || sample.iceState == "completed"
    if sample.iceState == "checking" { checkingMs = checkingMs ?? sample.timeMs }
    if isFound || sample.pair != nil || sample.bytesReceived ?? 0 > 0 { foundMs = foundMs ?? sample.timeMs }
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
    case ("failed", _): failure = failure ?? ("ice.failed", sample.timeMs)
    case (_, "failed"): failure = failure ?? ("dtls.failed", sample.timeMs)
    default: if isFound { failure = nil }
    }
  }

  /// What happened, with what only the states tell of it: in the words that a PeerConnection's events would have had.
  ///
  /// - Parameters:
  ///   - events: what happened at this end, in order of time.
  ///   - mediaMs: when media was first known to come in.
  ///   - lastMediaMs: when it last did.
  func completing(_ events: [EventRecord], mediaMs: Double?, lastMediaMs: Double?) -> [EventRecord] {
    guard !events.contains(where: { Self.tells($0.event) }) else { return events }
    var told: [EventRecord] = []
    func add(_ event: String, _ timeMs: Double?) {
      told.append(EventRecord(timeMs: timeMs, event: event, raw: "transport", sdk: "w3c"))
    }
    guard let failure, lastMediaMs ?? failure.timeMs <= failure.timeMs else {
      if stillCheckingMs != nil, mediaMs == nil { add("ice.checking", checkingMs) }
      if stillKeyingMs != nil, mediaMs == nil {
        add("ice.connected", firstFoundMs)
        add("dtls.started", firstFoundMs)
      }
      return (events + told).inOrder(by: \.timeMs)
    }
    if let found = foundMs ?? mediaMs {
      add("ice.connected", found)
      let keyed = keyedMs ?? mediaMs
      if let keyed { add("dtls.connected", keyed) }
      // A handshake that fails breaks nothing that had stood.
      if keyed != nil, let gone = goneMs ?? lastFoundMs ?? lastMediaMs { add("ice.disconnected", gone) }
      add(failure.event, failure.timeMs)
    } else {
      // Firefox has no word for failed ICE but that DTLS over it failed.
      add("ice.checking", checkingMs)
      add("ice.failed", failure.timeMs)
    }
    // A PeerConnection has failed where one of its transports has. An end of its own stands in the log.
    if !events.contains(where: { $0.event == "call.ended" }) { add("call.failed", failure.timeMs) }
    return (events + told).inOrder(by: \.timeMs)
  }

  private static func tells(_ event: String) -> Bool {
    let words = [
      "ice.checking", "ice.connecting", "ice.connected", "ice.disconnected", "ice.failed", "ice.closed",
    ]
    return event.hasPrefix("dtls.") || words.contains(event)
      || ["call.established", "call.failed", "network.lost"].contains(event)
  }
}
