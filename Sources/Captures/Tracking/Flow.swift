import Packets

/// All traffic between two transport addresses.
final class Flow {
  let key: FlowKey
  /// What each side sent: [0] from the lower address, [1] from the higher.
  let low = FlowSide()
  let high = FlowSide()
  /// Protocols seen on the flow.
  var hasICE = false
  var hasDTLS = false
  var hasSIP = false
  /// The path that this flow belongs to, once known, and which of its ends the lower address is.
  var path: MediaTransport?
  var lowEnd = 0
  /// Whether the flow belongs to a second transport of the path, with keys of its own.
  var isBeside = false
  var tcp: TCPConversation?

  private(set) lazy var place = FlowPlace(self)

  init(_ key: FlowKey) { self.key = key }

  /// Resets the flow for another call between the same addresses.
  func begin() {
    path = nil
    isBeside = false
    low.forget()
    high.forget()
  }

  /// Whether anything that belongs to a call has been seen.
  var showsCall: Bool {
    hasICE || hasDTLS || hasSIP || !low.streams.isEmpty || !high.streams.isEmpty
  }

  /// Whether the flow is known to carry RTP.
  var carriesRTP: Bool { !low.streams.isEmpty || !high.streams.isEmpty }
}

/// Represents a flow, and is deallocated with it.
///
/// Weak references to a flow refer to this object instead. A weak reference gives its object a side table,
/// which slows down every retain and release, and a flow has several of those per packet.
final class FlowPlace {
  unowned let flow: Flow

  init(_ flow: Flow) { self.flow = flow }
}

/// One direction of a flow.
final class FlowSide {
  /// The stream of the last packets, which is tried first, and its figures. `StreamRegistry` keeps both alive
  /// to the end.
  struct TimelineLane {
    let ssrc: UInt32
    let stream: Unmanaged<MediaStream>
    let figures: Unmanaged<TupleFigures>
  }

  /// The recognised streams.
  private(set) var streams: [StreamOnFlow] = []
  private var places: [UInt32: Int] = [:]
  @exclusivity(unchecked) private(set) var lane: TimelineLane?
  /// SSRCs that may still turn out to be streams.
  var candidates: [RTPCandidate] = []
  /// The number of datagrams that are not STUN, DTLS, RTP or RTCP, and the time of the last.
  var unknown = 0
  @exclusivity(unchecked) var unknownSinceRTP = 0
  /// Packets that were compared with those of other calls.
  @exclusivity(unchecked) var compared = 0

  /// Adds a recognised stream.
  func add(_ stream: StreamOnFlow) {
    places[stream.ssrc] = streams.count
    streams.append(stream)
    use(stream)
  }

  /// The stream of an SSRC if it has been recognised. It becomes the one that is tried first.
  func lane(of ssrc: UInt32) -> TimelineLane? {
    guard let index = places[ssrc] else { return nil }
    use(streams[index])
    return lane
  }

  /// The stream of the previous packet, if it is the only one in this direction.
  var onlyLane: TimelineLane? { streams.count == 1 && unknownSinceRTP == 0 ? lane : nil }

  private func use(_ entry: StreamOnFlow) {
    lane = TimelineLane(
      ssrc: entry.ssrc, stream: .passUnretained(entry.stream), figures: .passUnretained(entry.figures))
  }

  /// Records that the capture missed some of what was sent in this direction.
  func passHole() {
    for entry in streams { entry.stream.isPastHole = true }
  }

  /// Records that recent packets in this direction did not arrive.
  func returned(_ error: ICMPError, at timeNs: Int64) {
    lane?.stream._withUnsafeGuaranteedRef { $0.returned.take(error, at: timeNs) }
  }

  /// Forgets its streams, which stay with their path.
  func forget() {
    streams = []
    places = [:]
    lane = nil
    candidates = []
  }

  /// Takes a packet of an SSRC that is new or was forgotten; returns the index of its candidate.
  ///
  /// If all slots are taken, candidates in the newer half displace each other, so that a sender is found
  /// among data that only look like RTP. Those in the older half stay while they send: if many senders begin
  /// at the same time, some are recognised first, then others.
  func consider(_ packet: RTPPacket) -> Int {
    if candidates.count >= RTPCandidate.most {
      let older = RTPCandidate.most / 2
      let silent = candidates[..<older].firstIndex {
        (packet.timeNs &- $0.lastNs).magnitude >= RTPCandidate.patienceNs
      }
      candidates.remove(at: silent ?? older)
    }
    candidates.append(RTPCandidate(packet))
    return candidates.count - 1
  }
}

/// A stream on one flow. The stream itself may move to another flow.
struct StreamOnFlow {
  let ssrc: UInt32
  let stream: MediaStream
  /// The figures of the stream on this flow.
  let figures: TupleFigures
}
