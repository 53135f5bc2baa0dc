/// Everything between two transport addresses.
final class Flow {
  let key: FlowKey
  /// What each of the two sent: [0] by the lesser address, [1] by the greater.
  let low = FlowSide()
  let high = FlowSide()
  /// Signs of what the flow is.
  var hasICE = false
  var hasDTLS = false
  var hasSIP = false
  /// The path this flow belongs to, once something is known of it, and which of its ends the lesser address is.
  var path: Path?
  var lowEnd = 0
  var tcp: TCPConversation?

  init(_ key: FlowKey) { self.key = key }

  /// Whether any sign of a call was seen.
  var showsCall: Bool {
    hasICE || hasDTLS || hasSIP || !low.streams.isEmpty || !high.streams.isEmpty
  }

  /// Whether RTP is known to travel here.
  var carriesRTP: Bool { !low.streams.isEmpty || !high.streams.isEmpty }
}

/// One direction of a flow.
final class FlowSide {
  /// Streams recognised, the last used first to be asked.
  @exclusivity(unchecked) var streams: [StreamOnFlow] = []
  @exclusivity(unchecked) var lastUsed = 0
  /// SSRCs that may yet prove to be streams.
  var candidates: [RTPCandidate] = []
  /// Datagrams that are none of STUN, DTLS, RTP, RTCP, and when the last came.
  var unknown = 0
  @exclusivity(unchecked) var unknownSinceRTP = 0
}

/// A stream on one flow: the stream itself may move on to another.
struct StreamOnFlow {
  let ssrc: UInt32
  let stream: MediaStream
  /// Index of its figures in `stream.figures`.
  let tuple: Int
}
