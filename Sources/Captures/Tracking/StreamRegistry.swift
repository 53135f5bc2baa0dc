import CallModel
import Packets
import Playout

/// All RTP streams of the capture, and the evidence by which a datagram is recognised as RTP.
final class StreamRegistry {
  private let options: ReaderOptions
  var relayed = RelayedSound()
  /// Streams in the order in which they were recognised.
  private(set) var all: [MediaStream] = []
  /// Streams with recent packets. The others need not be processed at a tick.
  private var awake = ActiveStreams()
  private(set) var bySSRC: [UInt32: [MediaStream]] = [:]
  /// The time of the capture's first packet, which is zero on TShark's clock, ns.
  var startNs: Int64 = 0
  /// SDP by transport address.
  let described = DescribedPorts()
  /// The number of datagrams on flows without any sign of a call. If there are none, the whole capture is
  /// RTP.
  var unknownDatagrams = 0
  private let rtcp = RTCPTracker()
  private let waiting: PacketBatcher
  /// Changes whenever anything other than a packet of a known stream is captured.
  @exclusivity(unchecked) private(set) var generation = 0
  /// Detects from the numbers of streams that the capture's clock was set back.
  @exclusivity(unchecked) var clock = CaptureClock()
  /// Reporters not followed because of a limit.
  var reportersLeftOut: Int { rtcp.leftOut }
  /// Streams rejected because of a limit.
  private(set) var refused = 0
  /// Calls separated from the previous one on the same addresses by a silence and new SSRCs alone.
  var splitCalls = 0

  let paths: MediaTransports

  @exclusivity(unchecked) private var nextTickNs: Int64 = 0
  /// The tick that was due before a jump in time, forward or back, too large to be caught up on.
  private var formerTickNs: Int64 = 0
  /// The current time of the capture, ns.
  @exclusivity(unchecked) private(set) var latestNs: Int64 = 0
  private static let tickNs: Int64 = 1_000_000_000
  /// How long after its last packet a stream is still sampled, ns.
  private static let idleNs: Int64 = 30_000_000_000
  /// The maximum number of streams with one SSRC that are examined, newest first.
  static let maxAsked = 16

  init(options: ReaderOptions, paths: MediaTransports, maxWaiting: Int) {
    self.options = options
    waiting = PacketBatcher(most: maxWaiting)
    self.paths = paths
  }

  /// Advances the clock of the capture. Samples of every active stream are due once a second.
  @inline(__always)
  func advance(to timeNs: Int64, _ due: (Sample, MediaStream) throws -> Void) rethrows {
    latestNs = timeNs
    if timeNs >= nextTickNs || nextTickNs &- timeNs > Self.idleNs { try tick(timeNs, due) }
  }

  private func tick(_ timeNs: Int64, _ due: (Sample, MediaStream) throws -> Void) rethrows {
    interrupt()
    // After a silence of the whole capture there is nothing to catch up on.
    if nextTickNs == 0 || (timeNs &- nextTickNs).magnitude > Self.idleNs.magnitude {
      formerTickNs = nextTickNs
      // It is not yet known whether packets are out of order or the clock was set.
      nextTickNs = timeNs < nextTickNs ? timeNs &+ Self.tickNs : timeNs
    }
    while nextTickNs <= timeNs {
      let awake = self.awake.inOrder()
      for stream in awake {
        stream.path.heard(stream.lastNs, from: stream.sender)
        if stream.figures.count > 1 { stream.followRoute(at: nextTickNs) }
        stream.noteRepair()
      }
      for stream in awake where isLive(stream, at: nextTickNs) {
        guard stream.isPlayed(at: nextTickNs) else {
          stream.leaveOpen(nextTickNs)
          continue
        }
        stream.everySecond(at: nextTickNs)
        try stream.sample(at: nextTickNs) { try due($0, stream) }
      }
      self.awake.letSleep { isIdle($0, at: nextTickNs) }
      nextTickNs += Self.tickNs
    }
  }

  private func isLive(_ stream: MediaStream, at timeNs: Int64) -> Bool {
    stream.role == .media && !stream.clock.isOpen && !isIdle(stream, at: timeNs)
  }

  private func isIdle(_ stream: MediaStream, at timeNs: Int64) -> Bool {
    timeNs &- stream.lastNs > Self.idleNs
  }

  /// Takes a datagram whose first byte is that of RTP.
  @inline(__always)
  func take(_ datagram: borrowing Datagram, _ flow: Flow, _ fromLow: Bool) {
    guard
      var packet = RTPPacket(datagram.payload, wireLength: datagram.wireLength, timeNs: datagram.timeNs)
    else {
      note(unknown: flow, fromLow)
      return
    }
    if options.turns { packet.listen(to: datagram.payload) }
    if (fromLow ? flow.low : flow.high).compared < RelayedSound.compared {
      compare(packet, datagram.payload, flow, fromLow)
    }
    packet.ipID = datagram.ipID
    packet.ttl = datagram.ttl
    packet.direction = datagram.direction
    // Selecting the side here would retain and release it for every packet.
    if fromLow {
      deliver(&packet, flow.low, flow, datagram)
    } else {
      deliver(&packet, flow.high, flow, datagram)
    }
  }

  /// Takes a datagram whose second byte is that of RTCP.
  func takeRTCP(_ datagram: Datagram, _ flow: Flow, _ fromLow: Bool) {
    let b = datagram.payload
    interrupt()
    guard b.count >= 8 else { return note(unknown: flow, fromLow) }
    rtcp.take(
      b, wireLength: datagram.wireLength, of: flow, fromLow: fromLow, at: datagram.timeNs,
      on: flow.path.map { ($0, flow.lowEnd) } ?? paths.reporting(flow)
    ) { bySSRC[$0]?.last }
  }

  /// Reports what receivers said about the quality of streams. Call this when everything has been read.
  func addQualityReports() { rtcp.quality.addReports(on: paths) { bySSRC[$0]?.last } }

  /// Counts a datagram of unknown type.
  func note(unknown flow: Flow, _ fromLow: Bool) {
    interrupt()
    unknownDatagrams += 1
    let side = fromLow ? flow.low : flow.high
    side.unknown += 1
    side.unknownSinceRTP += 1
  }

  @inline(__always)
  private func deliver(
    _ packet: inout RTPPacket, _ side: FlowSide, _ flow: Flow, _ datagram: borrowing Datagram
  ) {
    if let lane = side.lane, lane.ssrc == packet.ssrc {
      let interrupted = side.unknownSinceRTP >= 10
      side.unknownSinceRTP = 0
      pass(&packet, to: lane, interrupted: interrupted, mayWait: datagram.transport == .udp)
    } else if let lane = side.lane(of: packet.ssrc) {
      pass(&packet, to: lane, interrupted: false, mayWait: datagram.transport == .udp)
    } else {
      interrupt()
      consider(packet, side, flow, copy datagram)
    }
  }

  @inline(__always)
  private func pass(
    _ packet: inout RTPPacket, to lane: FlowSide.TimelineLane, interrupted: Bool, mayWait: Bool
  ) {
    lane.stream._withUnsafeGuaranteedRef { stream in
      if mayWait && !interrupted && stream.mayWait {
        if waiting.take(packet, of: stream, lane) { return }
        takeWaiting()
        if stream.mayWait, waiting.take(packet, of: stream, lane) { return }
      } else {
        takeWaiting()
      }
      lane.figures._withUnsafeGuaranteedRef { pass(&packet, to: stream, $0, interrupted: interrupted) }
      stream.mayWait = stream.isSteady
    }
  }

  /// Takes a packet of a known stream, if nothing else was captured since the last one.
  @inline(__always)
  func take(_ packet: RTPPacket, of lane: FlowSide.TimelineLane) {
    let waits = lane.stream._withUnsafeGuaranteedRef { $0.mayWait && waiting.take(packet, of: $0, lane) }
    if !waits { takeNow(packet, of: lane) }
  }

  @inline(never)
  private func takeNow(_ packet: RTPPacket, of lane: FlowSide.TimelineLane) {
    var packet = packet
    pass(&packet, to: lane, interrupted: false, mayWait: true)
  }

  /// Processes the waiting packets. Call this before anything that depends on the packets so far or changes
  /// the state of their streams.
  func interrupt() {
    generation &+= 1
    takeWaiting()
  }

  @inline(__always)
  private func takeWaiting() {
    if !waiting.isEmpty { takeAllWaiting() }
  }

  private func takeAllWaiting() {
    waiting.release { packet, lane in
      lane.stream._withUnsafeGuaranteedRef { stream in
        lane.figures._withUnsafeGuaranteedRef { pass(&packet, to: stream, $0, interrupted: false) }
      }
    } _: {
      $0.mayWait = $0.isSteady
    }
  }

  private func pass(
    _ packet: inout RTPPacket, to stream: MediaStream, _ figures: TupleFigures, interrupted: Bool
  ) {
    if packet.timeNs &+ CaptureClock.minNs < stream.lastNs {
      let stepNs = clock.step(packet, after: stream)
      packet.timeNs &+= stepNs
      if stepNs > 0, (formerTickNs &- packet.timeNs).magnitude <= Self.idleNs.magnitude {
        nextTickNs = max(nextTickNs, formerTickNs)
      }
    }
    if !stream.isAwake { awake.wake(stream) }
    let type = described.isEmpty ? .unknown : stream.type(packet.payloadType, in: described)
    if WiresharkFigures.counts(packet, isDescribed: type.isKnown)
      && !described.isFax(stream.destination)
    {
      figures.wireshark.take(
        packet, ms: Double(packet.timeNs &- startNs) / 1e6,
        clockRate: WiresharkFigures.clockRate(packet.payloadType, type))
    }
    if packet.blocks.isLikely, stream.redundancy.isPossible, !type.isMedium, stream.kind != .video {
      takeApart(packet, stream, type, interrupted)
    } else if type.isPictureInBlocks {
      takeBlock(packet, stream, type, interrupted)
    } else {
      stream.take(packet, described: type, interrupted: interrupted)
    }
  }

  private func consider(
    _ packet: RTPPacket, _ side: FlowSide, _ flow: Flow, _ datagram: Datagram
  ) {
    let (source, destination) = (datagram.source, datagram.destination)
    let index: Int
    if let known = side.candidates.firstIndex(where: { $0.ssrc == packet.ssrc }) {
      side.candidates[known].take(packet)
      index = known
    } else {
      if let stream = hopped([packet], side, flow) {
        return follow(stream, with: [packet], side, source, destination)
      }
      index = side.consider(packet)
    }
    side.candidates[index].names.take(datagram.payload)
    let needed = self.needed(flow, source, destination)
    if side.candidates[index].isConfirmed(needed: needed) {
      addStream(side.candidates.remove(at: index), side, flow, source, destination)
    }
  }

  /// The number of packets required to recognise a stream there.
  private func needed(_ flow: Flow, _ source: Endpoint, _ destination: Endpoint) -> Int {
    if options.assumeRTP || described.knows(destination) || described.knows(source) { return 1 }
    return flow.hasICE || flow.hasDTLS || flow.carriesRTP ? 2 : RTPCandidate.needed
  }

  private func addStream(
    _ candidate: RTPCandidate, _ side: FlowSide, _ flow: Flow, _ source: Endpoint, _ destination: Endpoint
  ) {
    guard let first = candidate.packets.first else { return }
    guard all.count < options.streamsPerSource else {
      refused += 1
      return
    }
    let stream: MediaStream
    let earlier = continuation(of: first, flow, source, destination)
    let goesOver = earlier.map { isAnothers($0, flow, source, destination) } ?? false
    if let hopped = hopped(candidate.packets, side, flow) {
      stream = hopped
    } else if let earlier, !goesOver {
      stream = earlier
      // Checks with new fragments come before the media that show which path they belong to.
      if let part = flow.path, part !== earlier.path, part.isBare, part.isWebRTC, earlier.path.isWebRTC {
        earlier.path.takeIn(part, named: true, isTurned: earlier.sender != end(side, flow))
      }
      takeAlong(flow, side, to: earlier)
      stream.source = source
      stream.destination = destination
    } else {
      earlier?.replacedNs = first.timeNs
      // Without ICE, a port receives one voice at a time, so the earlier one is replaced.
      if !(flow.path?.isWebRTC ?? false) { side.streams.last?.stream.replacedNs = first.timeNs }
      guard let own = path(of: flow, at: first.timeNs) else { return }
      let sender = end(side, flow)
      let path = own.whole(bySSRC[first.ssrc]?.suffix(Self.maxAsked), first, source, destination, by: sender)
      stream = MediaStream(
        ssrc: candidate.ssrc, number: all.count, source: source, destination: destination, path: path,
        sender: sender)
      if options.turns { stream.speech = SpeechSpans() }
      stream.names = candidate.names
      if path[sender].soundAt == source { path.leaveFormerSound(of: sender, at: first.timeNs) }
      path.append(candidate.ssrc, to: sender)
      all.append(stream)
      if path.media.count < 1000 { path.media.append(stream) }
      bySSRC[candidate.ssrc, default: []].append(stream)
    }
    follow(stream, with: candidate.packets, side, source, destination)
    splitFromFormer(on: flow)
  }

  /// The end of its path that a side of a flow is.
  func end(_ side: FlowSide, _ flow: Flow) -> Int {
    side === flow.low ? flow.lowEnd : 1 - flow.lowEnd
  }

  /// Follows a stream on a flow, starting with packets that were held.
  private func follow(
    _ stream: MediaStream, with packets: [RTPPacket], _ side: FlowSide, _ source: Endpoint,
    _ destination: Endpoint
  ) {
    let firstNs = packets.first?.timeNs ?? latestNs
    if stream.figures.count == 1 { stream.figures[0].packetsSeen = stream.figures[0].wireshark.packets }
    let figures = TupleFigures(source: source, destination: destination, firstNs: firstNs)
    stream.figures.append(figures)
    side.add(StreamOnFlow(ssrc: stream.ssrc, stream: stream, figures: figures))
    for var packet in packets { pass(&packet, to: stream, figures, interrupted: false) }
  }

  /// Recognises what can only be decided at the end of the capture, and closes every stream.
  func finish(_ flows: [Flow], _ due: (Sample, MediaStream) throws -> Void) rethrows {
    interrupt()
    let onlyRTP = unknownDatagrams == 0
    for flow in flows {
      let clean = flow.low.unknown + flow.high.unknown == 0
      let trusted = flow.carriesRTP || ((flow.hasICE || flow.hasDTLS) && clean) || onlyRTP
      guard trusted else { continue }
      settle(flow.low, flow, flow.key.low, flow.key.high)
      settle(flow.high, flow, flow.key.high, flow.key.low)
    }
    for stream in all {
      stream.path.heard(stream.lastNs, from: stream.sender)
      stream.noteRepair()
    }
    for stream in all {
      stream.finish()
      if isLive(stream, at: latestNs), stream.isPlayed(at: latestNs) {
        try stream.sample(at: latestNs) { try due($0, stream) }
      }
      try stream.settle(upTo: .max) { try due($0, stream) }
    }
  }

  private func settle(_ side: FlowSide, _ flow: Flow, _ source: Endpoint, _ destination: Endpoint) {
    let candidates = side.candidates
    side.candidates = []
    // Browsers probe with SSRC 0. Without a description, it is no stream at the end either.
    for candidate in candidates where candidate.ssrc != 0 && candidate.isConfirmed(needed: 1) {
      if isAstray(candidate, side, flow) { continue }
      addStream(candidate, side, flow, source, destination)
    }
  }
}

/// Streams with recent packets, which are processed at each tick.
struct ActiveStreams {
  private var streams: [MediaStream] = []
  private var isInOrder = true

  /// Marks a stream as active until it becomes idle.
  mutating func wake(_ stream: MediaStream) {
    stream.isAwake = true
    if let last = streams.last, last.number > stream.number { isInOrder = false }
    streams.append(stream)
  }

  /// All of them, in the order in which they were recognised.
  mutating func inOrder() -> [MediaStream] {
    if !isInOrder { streams.sort { $0.number < $1.number } }
    isInOrder = true
    return streams
  }

  /// Removes those that are idle.
  mutating func letSleep(_ isIdle: (MediaStream) -> Bool) {
    streams.removeAll { stream in
      stream.isAwake = !isIdle(stream)
      stream.mayWait = stream.mayWait && stream.isAwake
      return !stream.isAwake
    }
  }
}
