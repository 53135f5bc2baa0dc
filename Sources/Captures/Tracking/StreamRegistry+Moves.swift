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
    let stream = known.suffix(Self.mostAsked).last { $0.path === path && $0.sender == sender }
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
    return bySSRC[candidate.ssrc]?.suffix(Self.mostAsked).contains {
      $0.path === path && $0.sender == sender
    } ?? false
  }

  /// The stream that continues on a new pair of addresses: the same SSRC, one end unchanged, silent since,
  /// and the numbers continue.
  ///
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

  /// The path that a new stream belongs to. After a long silence on a flow without ICE or SIP, it is that of
  /// another call.
  func path(of flow: Flow, at timeNs: Int64) -> MediaTransport? {
    guard let path = paths.path(of: flow) else { return nil }
    guard !flow.hasICE, path.call == nil, path.lastNs > 0, timeNs &- path.lastNs > MediaTransports.idleNs
    else {
      path.lastNs = timeNs
      return path
    }
    guard let fresh = paths.make() else { return path }
    fresh.lastNs = timeNs
    return paths.attach(flow, to: fresh, lowEnd: 0)
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
