import CallModel
import Packets

/// Streams that continue between other addresses.
extension StreamRegistry {
  /// The stream of the same path to which packets on another of its flows belong. ICE moves streams and may
  /// send single packets elsewhere, with any number of packets missing in between.
  func hopped(_ packets: [RTPPacket], _ side: FlowSide, _ flow: Flow) -> MediaStream? {
    guard flow.hasICE, let path = flow.path, path.overNs == nil, let ssrc = packets.first?.ssrc,
      let known = bySSRC[ssrc]
    else { return nil }
    let sender = end(side, flow)
    let stream = known.suffix(Self.maxAsked).last { $0.path === path && $0.sender == sender }
    return stream.flatMap { packets.allSatisfy($0.lacks) ? $0 : nil }
  }

  /// Whether single packets belong to a stream that continued elsewhere on the same path, although they are
  /// too few and too old to be distinguished from the next cycle of numbers. They are the first packets
  /// before ICE settled on another pair.
  func isAstray(_ candidate: RTPCandidate, _ side: FlowSide, _ flow: Flow) -> Bool {
    guard flow.hasICE, let path = flow.path, hopped(candidate.packets, side, flow) == nil else {
      return false
    }
    let sender = end(side, flow)
    return bySSRC[candidate.ssrc]?.suffix(Self.maxAsked).contains {
      $0.path === path && $0.sender == sender
    } ?? false
  }

  /// The stream that continues on a new pair of addresses: the same SSRC, one end unchanged, silent since,
  /// and the numbers continue.
  ///
  /// It does not move to an address that SDP gives to another medium: some devices have one SSRC for both.
  /// If the two overlap in time, the new one is another leg of the call, not a move. If ICE runs and no keys
  /// were exchanged, they are those of an earlier pair, and many numbers may have passed.
  func continuation(
    of first: RTPPacket, _ flow: Flow, _ source: Endpoint, _ destination: Endpoint
  ) -> MediaStream? {
    let isKeyless = flow.path.map { $0.isWebRTC && $0.isBare } ?? false
    let hasOthersKeys = isKeyless && SSRC.isRandom(first.ssrc)
    return bySSRC[first.ssrc]?.last {
      let step = Int(Int16(bitPattern: first.sequence &- UInt16(truncatingIfNeeded: $0.sequence.highest)))
      return ($0.source.address == source.address || $0.destination.address == destination.address)
        && $0.source != destination && $0.path.overNs == nil && $0.lastNs < first.timeNs && step >= 1
        && (step <= 100 || hasOthersKeys && $0.path.isWebRTC)
        && !described.isOfOther($0.kind, than: destination)
    }
  }

  /// If a stream continues between other addresses, other streams that begin there belong to the same call,
  /// even without ICE or SIP, for example after a move from a relay to a direct route.
  func takeAlong(_ flow: Flow, _ side: FlowSide, to stream: MediaStream) {
    let path = stream.path
    guard path.call == nil else { return }
    let lowEnd = side === flow.low ? stream.sender : 1 - stream.sender
    guard let part = flow.path else {
      paths.attach(flow, to: path, lowEnd: lowEnd)
      return
    }
    // Streams that began shortly before it.
    guard part !== path, part.call == nil, !part.isWebRTC, !path.isWebRTC, part.whole == nil,
      path.whole == nil,
      part.ends.0.connection == nil, part.ends.1.connection == nil
    else { return }
    path.takeIn(part, isTurned: flow.lowEnd != lowEnd)
  }

  /// Whether the continuation belongs to another call, according to what the ends of that call negotiated.
  func isAnothers(
    _ earlier: MediaStream, _ flow: Flow, _ source: Endpoint, _ destination: Endpoint
  ) -> Bool {
    guard !flow.hasICE, let named = paths.named(source, destination)?.path else { return false }
    return (flow.path ?? named) !== earlier.path
  }
}

/// Assigns a new stream to one of several calls between the same addresses, without the help of ICE.
extension StreamRegistry {
  /// The path that a new stream belongs to: that of its flow, unless the call that had the flow released it.
  ///
  /// A SIP call that began after all earlier media of the flow, and whose SDP has both addresses, takes over the flow.
  /// After the end of a call, and without SIP, a silence ends the use of the flow by a call.
  func path(of flow: Flow, at timeNs: Int64) -> MediaTransport? {
    if !flow.hasICE, !flow.hasDTLS, flow.carriesRTP,
      let next = paths.newest(naming: flow.key.low, flow.key.high), next.path !== flow.path,
      let calledNs = next.path.calledNs, calledNs > flow.lastMediaNs
    {
      flow.begin()
      paths.attach(flow, to: next.path, lowEnd: next.end)
    }
    guard let path = paths.path(of: flow) else { return nil }
    guard !flow.hasICE, isReleased(path, flow, at: timeNs), let fresh = paths.make() else {
      path.lastNs = timeNs
      return path
    }
    fresh.lastNs = timeNs
    return paths.attach(flow, to: fresh, lowEnd: 0)
  }

  /// Whether the silence before was long enough for the media that begin now to belong to another call.
  private func isReleased(_ path: MediaTransport, _ flow: Flow, at timeNs: Int64) -> Bool {
    if path.call == nil { return path.lastNs > 0 && timeNs &- path.lastNs > MediaTransports.idleNs }
    guard !path.isWebRTC, flow.carriesRTP, let overNs = path.overNs else { return false }
    return timeNs &- max(overNs, flow.lastMediaNs) > MediaTransports.quietNs
  }

  /// Maximum time between the starts of the two ends, ns.
  private static let togetherNs: Int64 = 2_000_000_000

  /// Gives streams a call of their own if both ends of a flow without ICE and SIP were silent and then both started again
  /// with another SSRC: the next call uses the same ports.
  func splitFromFormer(on flow: Flow) {
    guard !flow.hasICE, !flow.hasDTLS, let path = flow.path, path.call == nil, !path.isWebRTC,
      let one = flow.low.newest, let other = flow.high.newest, one.path === path, other.path === path,
      (one.firstNs &- other.firstNs).magnitude <= Self.togetherNs.magnitude
    else { return }
    let former = (flow.low.former.filter { $0.path === path }, flow.high.former.filter { $0.path === path })
    guard !former.0.isEmpty, !former.1.isEmpty else { return }
    let lastNs = (former.0 + former.1).reduce(Int64.min) { max($0, $1.lastNs) }
    guard min(one.firstNs, other.firstNs) &- lastNs > MediaTransports.quietNs, let fresh = paths.make() else {
      return
    }
    (path.lastNs, fresh.lastNs) = (lastNs, max(one.lastNs, other.lastNs))
    paths.attach(flow, to: fresh, lowEnd: 0)
    for (end, stream) in [one, other].enumerated() {
      path.media.removeAll { $0 === stream }
      path.forget(stream.ssrc, of: stream.sender)
      fresh.media.append(stream)
      fresh.append(stream.ssrc, to: end)
      (stream.path, stream.sender) = (fresh, end)
    }
    splitCalls += 1
  }
}

extension Flow {
  /// Time of the last media packet in either direction.
  var lastMediaNs: Int64 { max(low.lastMediaNs, high.lastMediaNs) }
}

extension FlowSide {
  fileprivate var lastMediaNs: Int64 {
    streams.suffix(StreamRegistry.maxAsked).reduce(Int64.min) { max($0, $1.stream.lastNs) }
  }

  /// The stream that started last.
  fileprivate var newest: MediaStream? { streams.last?.stream }

  /// The most recent streams before it.
  fileprivate var former: [MediaStream] {
    streams.dropLast().suffix(StreamRegistry.maxAsked).map(\.stream)
  }
}

/// Packets whose payload consists of blocks (RFC 2198); their content counts.
extension StreamRegistry {
  /// Handles video in a block, which has the type of the block: its codec, or redundancy for it.
  func takeBlock(
    _ packet: RTPPacket, _ stream: MediaStream, _ type: DescribedType, _ interrupted: Bool
  ) {
    let head = UInt8(truncatingIfNeeded: packet.payloadStart >> 8)
    guard head < 0x80, packet.payloadLength > 0 else {
      return stream.take(packet, described: type, interrupted: interrupted)
    }
    let inner = stream.type(head, in: described)
    if inner.isMedium {
      var picture = packet
      picture.payloadType = head
      return stream.take(picture, described: inner, interrupted: interrupted)
    }
    if stream.describedFormat?.isRedundancy == true { stream.redundant &+= 1 }
    stream.take(packet, described: type, interrupted: interrupted)
  }

  /// Handles redundant audio: the last block is the audio itself, the others repeat earlier audio.
  func takeApart(
    _ packet: RTPPacket, _ stream: MediaStream, _ type: DescribedType, _ interrupted: Bool
  ) {
    let wasOn = stream.redundancy.isOn
    guard stream.redundancy.take(packet.blocks) else {
      return stream.take(packet, described: type, interrupted: interrupted)
    }
    var sound = packet
    sound.payloadType = packet.blocks.type
    let type = described.isEmpty ? .unknown : stream.type(sound.payloadType, in: described)
    if !wasOn { stream.unwrap(packet.payloadType, as: sound.payloadType) }
    stream.take(sound, described: type, interrupted: interrupted)
  }
}
