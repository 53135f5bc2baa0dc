import Packets

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
  var path: MediaTransport?
  var lowEnd = 0
  /// Whether it is one of a transport beside its path's first, with keys of its own.
  var isBeside = false
  var tcp: TCPConversation?

  private(set) lazy var place = FlowPlace(self)

  init(_ key: FlowKey) { self.key = key }

  /// Begins anew, for another call between the same addresses.
  func begin() {
    path = nil
    isBeside = false
    low.forget()
    high.forget()
  }

  /// Whether any sign of a call was seen.
  var showsCall: Bool {
    hasICE || hasDTLS || hasSIP || !low.streams.isEmpty || !high.streams.isEmpty
  }

  /// Whether RTP is known to travel here.
  var carriesRTP: Bool { !low.streams.isEmpty || !high.streams.isEmpty }
}

/// Stands for a flow, and goes when it goes.
///
/// Who refers to a flow weakly refers to this: a weak reference gives its object a side table, which every retain and release
/// then goes through, and a flow has some of those for every packet.
final class FlowPlace {
  unowned let flow: Flow

  init(_ flow: Flow) { self.flow = flow }
}

/// One direction of a flow.
final class FlowSide {
  /// The stream that packets came of last, which is asked first, and whose figures; the book of streams keeps both to the end.
  struct TimelineLane {
    let ssrc: UInt32
    let stream: Unmanaged<MediaStream>
    let figures: Unmanaged<TupleFigures>
  }

  /// Streams recognised, and where they stand.
  private(set) var streams: [StreamOnFlow] = []
  private var places: [UInt32: Int] = [:]
  @exclusivity(unchecked) private(set) var lane: TimelineLane?
  /// SSRCs that may yet prove to be streams.
  var candidates: [RTPCandidate] = []
  /// Datagrams that are none of STUN, DTLS, RTP, RTCP, and when the last came.
  var unknown = 0
  @exclusivity(unchecked) var unknownSinceRTP = 0

  /// Adds a stream that was recognised.
  func add(_ stream: StreamOnFlow) {
    places[stream.ssrc] = streams.count
    streams.append(stream)
    use(stream)
  }

  /// The stream of an SSRC, if it was recognised, which the next packets are likely to be of as well.
  func lane(of ssrc: UInt32) -> TimelineLane? {
    guard let index = places[ssrc] else { return nil }
    use(streams[index])
    return lane
  }

  /// The stream of a side that has but one, of which the packet before was.
  var onlyLane: TimelineLane? { streams.count == 1 && unknownSinceRTP == 0 ? lane : nil }

  private func use(_ entry: StreamOnFlow) {
    lane = TimelineLane(
      ssrc: entry.ssrc, stream: .passUnretained(entry.stream), figures: .passUnretained(entry.figures))
  }

  /// Notes that the capture misses something of what was sent here.
  func passHole() {
    for entry in streams { entry.stream.isPastHole = true }
  }

  /// Notes that what was sent here of late did not arrive.
  func returned(_ error: ICMPError, at timeNs: Int64) {
    lane?.stream._withUnsafeGuaranteedRef { $0.returned.take(error.name, at: timeNs) }
  }

  /// Forgets its streams, which stay with their path.
  func forget() {
    streams = []
    places = [:]
    lane = nil
    candidates = []
  }

  /// Takes a packet of an SSRC that was not met, or was forgotten; answers where its candidate stands.
  ///
  /// Where all places are taken the newer half push each other out, so that a sender is found amid what only looks like
  /// RTP. The older half stay while they send: of many senders that begin together some are believed, then the next.
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

/// A stream on one flow: the stream itself may move on to another.
struct StreamOnFlow {
  let ssrc: UInt32
  let stream: MediaStream
  /// What passed of it here.
  let figures: TupleFigures
}
