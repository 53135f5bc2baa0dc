import CallModel

/// Packets that came, and of which a receiver makes nothing.
extension MediaStream {
  /// Keys count for so long before and after what they explain, ns.
  private static let rekeyNs: Int64 = 10_000_000_000

  /// Takes note of a packet that came. `delta` is how far its number is ahead of the highest before, of which `base` was the first.
  @inline(__always)
  func examine(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, _ delta: Int, isSound: Bool) {
    if verdict == .restarted { beginsAnew(packet, delta) }
    if delta > ReceiverDoubts.leastLost, case .advanced(let gap) = verdict {
      doubts.lose(gap, from: newestNs, to: packet.timeNs)
    }
    guard isSound, role == .media else { return }
    doubts.count(packet)
    if kind == .audio { doubts.hear(packet) }
    if path.call != nil { doubts.take(packet, under: path.agreed, from: sender) }
  }

  private func beginsAnew(_ packet: RTPPacket, _ delta: Int) {
    guard path.agreed.isProtected || path.dtls.serverHelloNs != nil else { return }
    if path.agreed.isRekeyed(sender, at: packet.timeNs, within: Self.rekeyNs)
      || path.dtls.lastHelloNs.map({ packet.timeNs &- $0 <= Self.rekeyNs }) == true
    {
      return doubts.rekeyed()
    }
    // A little ahead, also across the end of a round: taken as loss.
    if delta > 0, delta < SequenceState.maxDropout { return }
    let highest = packet.sequence &- UInt16(truncatingIfNeeded: delta)
    doubts.restarts(with: packet, after: highest, hasWrapped: sequence.roundsBefore > 0)
  }
}

extension CaptureRecords {
  /// Says which packets of a stream no receiver makes anything of.
  func tellDoubts(_ stream: MediaStream) {
    let (doubts, path) = (stream.doubts, stream.path)
    for span in doubts.ofForeignType {
      var w = ArgumentWriter()
      w.add("payload_type", Int(span.number))
      w.add("agreed", path.agreed.named(by: 1 - stream.sender).map(String.init).joined(separator: ", "))
      tell("capture.payload-type", of: stream, span, &w)
    }
    for span in doubts.lost where stream.kind == .audio {
      var w = ArgumentWriter()
      w.add("sent_packets", span.packets)
      tell("capture.lost-between", of: stream, span, &w)
    }
    for span in doubts.ofRefusedNumbers {
      var w = ArgumentWriter()
      w.add("from_number", Int(span.number))
      w.add("to_number", Int(span.first))
      tell("capture.srtp-reset", of: stream, span, &w)
    }
    for span in stream.audio?.sparse.spans ?? [] {
      var w = ArgumentWriter()
      w.add("heard_ms", span.heardMs, decimals: 0)
      tell(
        "capture.sparse", of: stream,
        .init(fromNs: span.fromNs, toNs: span.toNs, packets: span.packets, number: 0), &w)
    }
    if let span = packetTime(of: stream) {
      var w = ArgumentWriter()
      w.add("packet_ms", span.sentMs, decimals: 0)
      if let usual = span.agreed.usualMs { w.add("agreed_ms", usual) }
      if let longest = span.agreed.longestMs { w.add("longest_ms", longest) }
      tell("capture.packet-time", of: stream, span.span, &w)
    }
    if path.agreed.isProtected, path.dtls.serverHelloNs == nil, let span = doubts.inTheClear {
      var w = ArgumentWriter()
      tell("capture.in-the-clear", of: stream, span, &w)
    }
    // Who goes on under another SSRC only pressed a key.
    let goesOn = path.media.contains {
      $0 !== stream && $0.sender == stream.sender && $0.kind == .audio && $0.role == .media
        && $0.lastNs > stream.lastNs &+ 1_000_000_000
    }
    if let silence = doubts.silence.toTheEnd, !goesOn {
      var w = ArgumentWriter()
      w.add("share", doubts.silence.share)
      tell(
        "capture.digital-silence", of: stream,
        .init(fromNs: silence.fromNs, toNs: silence.toNs, packets: silence.packets, number: 0), &w)
    }
    if stream.steppedForwardMs > 0 {
      var w = ArgumentWriter()
      w.add("jump_ms", stream.steppedForwardMs, decimals: 0)
      tell(
        "capture.clock-jump", of: stream,
        .init(fromNs: stream.steppedForwardNs, toNs: stream.steppedForwardNs, packets: 1, number: 0), &w)
    }
  }

  /// Shorter differences are a codec's frame rounded, ms.
  private static let leastDifferenceMs = 5.0
  /// Fewer packets do not show what a sender does as a rule.
  private static let leastPackets = 100

  /// How much sound the packets of a stream hold, where its receiver asked for something else (RFC 8866 6.4).
  private func packetTime(of stream: MediaStream) -> (
    span: ReceiverDoubts.Span, sentMs: Double, agreed: (usualMs: Int?, longestMs: Int?)
  )? {
    guard stream.kind == .audio, stream.path.call != nil, stream.sequence.expected >= Self.leastPackets,
      let sentMs = stream.audio?.packetLengthMs
    else { return nil }
    let agreed = stream.path.agreed.packetTime(askedBy: 1 - stream.sender)
    let isOther = agreed.usualMs.map { abs(sentMs - Double($0)) >= Self.leastDifferenceMs } ?? false
    let isLonger = agreed.longestMs.map { sentMs >= Double($0) + Self.leastDifferenceMs } ?? false
    guard isOther || isLonger else { return nil }
    return (
      .init(fromNs: stream.firstNs, toNs: stream.lastNs, packets: stream.sequence.expected, number: 0),
      sentMs, agreed
    )
  }

  /// To whom it was sent is told, or at the capturing host, who sent it.
  private func tell(
    _ what: String, of stream: MediaStream, _ span: ReceiverDoubts.Span, _ w: inout ArgumentWriter
  ) {
    let isSent = stream.path.local == stream.sender
    w.add("ssrc", Int(stream.ssrc))
    w.add("packets", span.packets)
    w.add("kind", (stream.kind ?? .audio).rawValue)
    w.add("until_ms", span.toNs.unixMs)
    if isSent { w.add(raw: "sent", "true") }
    stream.path.add(
      "unknown", what, at: span.fromNs, end: isSent ? stream.sender : 1 - stream.sender, args: w.text)
  }
}
