import CallModel
import Packets
import Signalling

/// Reads one capture: packets in, records out.
final class CaptureReading {
  private let sink: any RecordSink
  private let options: ReaderOptions
  private let network: NetworkLayer
  @exclusivity(unchecked) private var flows = FlowTable()
  private let express = StreamLookupCache()
  private let paths: MediaTransports
  private let streams: StreamRegistry
  private let ice: ICETracker
  private let sip: SIPTracker
  private let tcp = TCPConversations()
  private let records: CaptureRecords
  private let frames = FrameNumbers()
  @exclusivity(unchecked) private var packets = 0
  @exclusivity(unchecked) private var order = PacketOrder()
  @exclusivity(unchecked) private var recent = RecentDatagrams()
  private var unknownLinks: Set<Int32> = []
  /// Packets without IP, and packets whose IP payload is neither UDP nor TCP.
  private var withoutIP = 0
  /// Packets of other interfaces, which only keep the numbers of frames.
  private var packetsElsewhere = 0
  private var withoutPorts = 0
  /// Frames without readable IP because they are encrypted on the air.
  private var protected = 0

  /// Up to `maxWaiting` audio packets are processed stream by stream, which affects only the speed.
  init(sink: any RecordSink, options: ReaderOptions, maxWaiting: Int = PacketBatcher.usual) {
    self.sink = sink
    self.options = options
    network = NetworkLayer(fragmentsPerDatagram: options.fragmentsPerDatagram)
    paths = MediaTransports(most: options.connectionsPerSource)
    records = CaptureRecords(sink: sink, options: options)
    streams = StreamRegistry(options: options, paths: paths, maxWaiting: maxWaiting)
    ice = ICETracker(paths: paths)
    sip = SIPTracker(paths: paths, ports: streams.described)
  }

  private var ownPackets: Int { packets - packetsElsewhere }

  /// Takes the next packet of the file.
  func take(_ packet: Packet) throws {
    if packets == 0 { streams.startNs = packet.timeNs }
    packets &+= 1
    var packet = packet
    let steps = streams.clock.steps
    packet.timeNs = streams.clock.time(of: packet.timeNs)
    order.take(packet.timeNs)
    try read(packet)
    if streams.clock.steps > steps { order.wasClock() }
  }

  @inline(__always)
  private func read(_ packet: Packet) throws {
    guard let found = LinkLayer.strip(packet) else { return try takeOther(packet) }
    try take(found, of: packet)
  }

  /// Takes a frame that holds several IP packets or none.
  private func takeOther(_ packet: Packet) throws {
    let several = Wireless.aggregated(packet)
    for found in several { try take(found, of: packet) }
    guard several.isEmpty else { return }
    if packet.isElsewhere {
      packetsElsewhere &+= 1
      return
    }
    withoutIP &+= 1
    if Wireless.isProtected(packet) { protected &+= 1 }
    if !LinkLayer.isKnown(packet.linkType) { try unknownLink(packet.linkType) }
  }

  @inline(__always)
  private func take(_ found: LinkLayer.Found, of packet: Packet) throws {
    if let plain = PlainUDP(found.payload) {
      try advance(to: packet.timeNs)
      if !takeKnown(plain, found.direction, packet.timeNs) {
        frames.add(packets, at: packet.timeNs)
        take(plain, found.direction, packet.timeNs)
      }
      return
    }
    frames.add(packets, at: packet.timeNs)
    try takeContent(network.content(found, of: packet))
  }

  /// Takes a packet of a stream that has just received packets; returns false if it belongs to no such
  /// stream.
  @inline(__always)
  private func takeKnown(_ plain: PlainUDP, _ direction: LinkDirection, _ timeNs: Int64) -> Bool {
    guard plain.mayBeRTP, let lane = express.lane(of: .init(plain), in: streams.generation),
      var packet = RTPPacket(plain.payload, wireLength: plain.wireLength, timeNs: timeNs)
    else { return false }
    if options.turns { packet.listen(to: plain.payload) }
    (packet.ipID, packet.ttl, packet.direction) = (plain.identification, plain.ttl, direction)
    streams.take(packet, of: lane)
    return true
  }

  private func take(_ plain: PlainUDP, _ direction: LinkDirection, _ timeNs: Int64) {
    let datagram = plain.datagram(direction, at: timeNs)
    let (key, fromLow) = FlowKey.of(datagram)
    flows.place(of: key)._withUnsafeGuaranteedRef { flow in
      demultiplex(datagram, flow, fromLow, depth: 0)
      guard plain.mayBeRTP, let lane = (fromLow ? flow.low : flow.high).onlyLane,
        lane.ssrc == plain.payload.word(8)
      else { return }
      express.add(.init(plain), lane, in: streams.generation)
    }
  }

  /// Advances the clock of the capture.
  @inline(__always)
  private func advance(to timeNs: Int64) throws {
    if timeNs >= tcp.dueNs { releaseTCP(at: timeNs, isOver: false) }
    try streams.advance(to: min(timeNs, tcp.heldNs)) { try records.take($0, of: $1) }
  }

  private func releaseTCP(at timeNs: Int64, isOver: Bool) {
    streams.interrupt()
    tcp.release(at: timeNs, isOver: isOver, take)
  }

  private func takeContent(_ content: NetworkLayer.Content) throws {
    streams.interrupt()
    switch content {
    case .datagram(let datagram):
      try advance(to: datagram.timeNs)
      let (key, fromLow) = FlowKey.of(datagram)
      let flow = flows.flow(key)
      if datagram.transport == .udp {
        demultiplex(datagram, flow, fromLow, depth: 0)
      } else {
        tcp.take(datagram, flow, fromLow, take)
      }
    case .unreachable(let source, let destination, let error, let timeNs):
      unreachable(source, destination, error, timeNs)
    case .nothing: withoutPorts &+= 1
    }
  }

  /// The first byte shows the protocol of a datagram (RFC 7983, RFC 9443).
  @inline(__always)
  private func demultiplex(_ datagram: Datagram, _ flow: Flow, _ fromLow: Bool, depth: Int) {
    let first = datagram.payload.byte(0)
    if first & 0xC0 == 0x80 {
      if RTPPacket.isRTCP(datagram.payload) {
        if recent.isSeenTwice(datagram) { return }
        streams.takeRTCP(datagram, flow, fromLow)
      } else {
        streams.take(datagram, flow, fromLow)
      }
      return
    }
    other(datagram, flow, fromLow, depth)
  }

  private func other(_ datagram: Datagram, _ flow: Flow, _ fromLow: Bool, _ depth: Int) {
    streams.interrupt()
    let b = datagram.payload
    let channelData = Self.channelData(datagram)
    // RTP inside TURN is recognised as a duplicate at the RTP level.
    if channelData == nil, !STUNMessage.isIndication(b), recent.isSeenTwice(datagram) { return }
    if STUNMessage.isLikely(b), let message = STUNMessage(b, wireLength: datagram.wireLength) {
      if let inner = ice.take(message, datagram, flow, fromLow), depth < 3 {
        unwrap(datagram, inner, inner.count, flow, fromLow, depth)
      } else if message.method == 1, flow.hasICE {
        flow.path?.isAlive(fromLow ? flow.lowEnd : 1 - flow.lowEnd, at: datagram.timeNs)
      }
      return
    }
    if SIPStart.isLikely(b) {
      flow.hasSIP = true
      let isCut = b.count < datagram.wireLength
      if isCut { sip.cutMessages += 1 }
      let message = SIPMessage(b, isCut: isCut)
      if isCut, message == nil { sip.unusableMessages += 1 }
      if let message {
        sip.take(
          message, body: b.from(message.bodyAt), from: datagram.source, to: datagram.destination,
          at: datagram.timeNs)
      }
      return
    }
    if DTLSTracker.isLikely(b), flow.hasICE || flow.hasDTLS || b.byte(0) < 32 {
      flow.hasDTLS = true
      // If there are several transports, the keys are those of the first.
      if let path = paths.path(of: flow), !flow.isBeside {
        DTLSTracker.take(
          b, wireLength: datagram.wireLength, from: fromLow ? flow.lowEnd : 1 - flow.lowEnd, on: path,
          at: datagram.timeNs)
      }
      return
    }
    if let channelData, depth < 3 {
      unwrap(datagram, channelData, channelData.count, flow, fromLow, depth)
      return
    }
    if b.count == 0 || datagram.wireLength <= 4 { return }  // keep-alives
    if streams.described.isFax(datagram.destination), let path = paths.path(of: flow) {
      path.fax.take(from: fromLow ? flow.lowEnd : 1 - flow.lowEnd, at: datagram.timeNs)
      return
    }
    streams.note(unknown: flow, fromLow)
  }

  /// TURN ChannelData (RFC 8656 section 12): 0x4000…0x4FFF and a length that fits.
  private static func channelData(_ datagram: Datagram) -> Octets? {
    let b = datagram.payload
    guard b.byte(0) & 0xF0 == 0x40 else { return nil }
    let length = Int(b.short(2))
    guard length > 0, length <= datagram.wireLength - 4, datagram.wireLength - 4 - length < 4 else {
      return nil
    }
    return b.from(4).first(length)
  }

  private func unwrap(
    _ datagram: Datagram, _ inner: Octets, _ wireLength: Int, _ flow: Flow, _ fromLow: Bool, _ depth: Int
  ) {
    var copy = datagram
    copy.payload = inner
    copy.wireLength = wireLength
    demultiplex(copy, flow, fromLow, depth: depth + 1)
  }

  /// Takes a packet or message extracted from TCP.
  private func take(_ found: TCPReader.Found, _ segment: TCPSegment) {
    switch found {
    case .packet(let octets, let wireLength):
      demultiplex(
        segment.datagram(octets, wireLength: wireLength), segment.flow, segment.fromLow, depth: 1)
    case .sip(let message, let body):
      segment.flow.hasSIP = true
      if SIPBody.isCut(message, body) { sip.cutMessages += 1 }
      sip.take(message, body: body, from: segment.source, to: segment.destination, at: segment.timeNs)
    }
  }

  private func unreachable(
    _ source: Endpoint, _ destination: Endpoint, _ error: ICMPError, _ timeNs: Int64
  ) {
    sip.returned(error, from: destination, at: timeNs)
    let (key, fromLow) = FlowKey.between(source, destination, .udp)
    guard let flow = flows.existing(key), let path = flow.path else { return }
    // Where the host itself answers, the network works. After the end of a call, ports are closed.
    if error != .portUnreachable, path.overNs == nil, !path.isUnreachable {
      path.isUnreachable = true
      path.add(.networkUnavailable, "ICMP \(error.rawValue)", at: timeNs, args: "{}")
    }
    let sender = fromLow ? flow.lowEnd : 1 - flow.lowEnd
    if error == .portUnreachable { path.closed(1 - sender, at: timeNs) }
    // An end that has left or hung up no longer receives anything.
    guard path.overNs == nil, !path.media.contains(where: { $0.sender != sender && $0.hasLeft }) else {
      return
    }
    (fromLow ? flow.low : flow.high).returned(error, at: timeNs)
  }

  /// Reports what is only known at the end of the capture.
  func finish(_ source: PacketSource) throws {
    releaseTCP(at: streams.latestNs, isOver: true)
    try streams.finish(flows.flows) { try records.take($0, of: $1) }
    sip.finish(at: streams.latestNs)
    paths.settle()
    streams.addQualityReports()
    try records.finish(paths, streams, ice, frames)
    try records.add(sip.registrations, frames)
    if source.wasSplit {
      try sink.note("interfaces with different link types or snaplens: read one by one and merged by time")
    }
    try reportDrops(source.drops)
    if network.incompleteDatagrams > 0 {
      try sink.note(
        "\(Plural.of(network.incompleteDatagrams, "datagram")) in IP fragments could not be reassembled: what \(Plural.word(network.incompleteDatagrams, "it", "they")) said, SIP as well, is not known"
      )
    }
    if sip.cutMessages > 0 {
      let unusable =
        sip.unusableMessages > 0
        ? "; \(sip.unusableMessages) have too little left to show which call they belong to" : ""
      try sink.note(
        "\(sip.cutMessages) SIP messages were cut by the snaplen: what the rest of them said is not known\(unusable) (capture whole packets: tcpdump -s 0)"
      )
    }
    if sip.reported.impossible > 0 {
      try sink.note("figures of quality reports out of range, left out: \(sip.reported.impossible)")
    }
    if streams.splitCalls > 0 {
      try sink.note(
        "\(streams.splitCalls) calls without SIP follow others on the same ports: separated by a silence and new SSRCs at both ends"
      )
    }
    if let note = streams.clock.note { try sink.note(note) }
    if order.stepsBack > 0 {
      try sink.note(
        "packets are not in the order of time: it goes back \(Plural.times(order.stepsBack)), by up to \(order.farthestText); what follows such a step is judged as if it came late (put them in order: reordercap IN OUT)"
      )
    }
    if tcp.holes > 0 {
      try sink.note(
        "segments of TCP are missing from the capture in \(Plural.of(tcp.holes, "place")), \(Plural.of(tcp.missedBytes, "byte")) in all: what was in them is not known, and counts as no loss"
      )
    }
    if recent.repeats > 0 {
      try sink.note(
        "\(Plural.of(recent.repeats, "datagram beside RTP was", "datagrams beside RTP were")) captured twice: counted once"
      )
    }
    if flows.forgotten > 0 {
      try sink.note("\(flows.forgotten) flows without a sign of a call forgotten for want of room")
    }
    if ownPackets > 0 && records.areEmpty { try sink.note(nothingFound) }
    try reportWhatIsBeyond()
    try sink.packets(ownPackets)
  }

  /// What a capture without a call contains instead.
  private var nothingFound: String {
    let known = ownPackets - withoutIP - withoutPorts - streams.unknownDatagrams
    let kinds: [(Int, String)] = [
      (known, "TCP, STUN, DTLS, RTP, RTCP or SIP that make no call"),
      (streams.unknownDatagrams, "none of STUN, DTLS, RTP, RTCP and SIP"),
      (withoutPorts, "neither UDP nor TCP"),
      (withoutIP, "not IP"),
    ]
    let counted = kinds.filter { $0.0 > 0 }.map { "\($0.0) \(Plural.word($0.0, "is", "are")) \($0.1)" }
    var said = "no call in \(Plural.of(ownPackets, "packet")): \(counted.joined(separator: "; "))"
    if let beside = sip.beside { said += "; SIP without a call: \(beside)" }
    if protected > 0 {
      said +=
        "; \(Plural.of(protected, "frame is", "frames are")) encrypted on the air (802.11): decrypt them with the network's key, or capture behind the access point"
    }
    return said
  }

  /// Reports what exceeded a limit.
  private func reportWhatIsBeyond() throws {
    let beyond: [(Int, Int, String, String)] = [
      (
        network.fragmentsBeyond, options.fragmentsPerDatagram, "fragments in one IP datagram",
        "fragments"
      ),
      (streams.refused, options.streamsPerSource, "streams in one source", "streams"),
      (paths.refused, options.connectionsPerSource, "calls in one capture", "connections"),
    ]
    for (count, limit, what, name) in beyond where count > 0 {
      try sink.reject(.beyond(limit, what, count: count, raise: name))
    }
    if streams.reportersLeftOut > 0 {
      try sink.reject(
        .beyond(RTCPTracker.maxReporters, "senders of RTCP reports", count: streams.reportersLeftOut))
    }
  }

  /// Reports packets dropped by the capturing host, which are not network loss.
  private func reportDrops(_ drops: PacketSource.Drops) throws {
    let missed = (drops.droppedByInterface ?? 0) &+ (drops.droppedBySystem ?? 0)
    guard missed > 0 else { return }
    try sink.note(
      "the capturing host dropped \(Plural.of(missed, "packet")): loss counted here is not only the network's"
    )
    var w = ArgumentWriter()
    if let n = drops.received { w.add("received", Int(clamping: n)) }
    if let n = drops.droppedByInterface { w.add("dropped_by_interface", Int(clamping: n)) }
    if let n = drops.droppedBySystem { w.add("dropped_by_system", Int(clamping: n)) }
    try sink.event(
      EventRecord(timeMs: nil, event: .unknown, raw: CaptureNote.drops.rawValue, args: w.text), of: nil)
  }

  private func unknownLink(_ type: Int32) throws {
    guard unknownLinks.insert(type).inserted else { return }
    try sink.reject(Reject("link type \(type) is not one that carries calls", frame: packets))
  }
}
