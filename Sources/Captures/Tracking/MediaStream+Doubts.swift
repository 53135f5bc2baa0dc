import CallModel
import Packets

/// Packets that came, and of which a receiver makes nothing.
extension MediaStream {
  /// Keys count for so long before and after what they explain, ns.
  private static let rekeyNs: Int64 = 10_000_000_000

  /// Takes note of a packet that came. `delta` is how far its number is ahead of the highest before, of which `base` was the first.
  @inline(__always)
  func examine(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, _ delta: Int, isSound: Bool) {
    if verdict == .restarted { beginsAnew(packet, delta) }
    if delta > ReceiverRejection.leastLost, case .advanced(let gap) = verdict {
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
  /// What stops so shortly before or after a description that was cut may have been stopped by it, ns.
  private static let stopsBeforeNs: Int64 = 1_000_000_000
  private static let stopsAfterNs: Int64 = 2_000_000_000

  /// Says that a stream which stopped for good with a description that was cut may have been taken away by it: it is not missed.
  func tellStoppedInDoubt(_ stream: MediaStream) {
    guard let kind = stream.kind,
      stream.path.doubtfulNs.contains(where: {
        stream.lastNs >= $0 &- Self.stopsBeforeNs && stream.lastNs <= $0 &+ Self.stopsAfterNs
      })
    else { return }
    var w = ArgumentWriter()
    w.add("kind", kind.rawValue)
    w.add(raw: "cut", "true")
    stream.path.add(
      "media.taken-away", "SIP description that was cut", at: stream.lastNs, end: 1 - stream.sender,
      args: w.text)
  }

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
    span: ReceiverRejection.Span, sentMs: Double, agreed: (usualMs: Int?, longestMs: Int?)
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
    _ what: String, of stream: MediaStream, _ span: ReceiverRejection.Span, _ w: inout ArgumentWriter
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

/// A stream whose sender is told to send nothing (SDP), or says that it leaves: what does not come then is not missed.
extension MediaStream {
  /// Silence up to here is between packets, ns.
  private static let betweenPacketsNs: Int64 = 100_000_000

  /// Who was told to go on begins to send within so long, as at the beginning of a call, ns.
  private static let beginningNs: Int64 = 500_000_000

  /// From when on nothing of it can be missed: the sender was told to be silent, and has sent its last.
  var restsSinceNs: Int64? {
    guard let hushedNs, !isAwaited else { return nil }
    return max(hushedNs, lastNs)
  }

  /// From when on it is waited for, while it may not have begun again yet.
  func beginsSince(_ timeNs: Int64) -> Int64? {
    guard let hushedNs, isAwaited, timeNs &- hushedNs <= Self.beginningNs else { return nil }
    return hushedNs
  }

  /// Notes that its sender may send from now on, or may not.
  func hush(_ isSilent: Bool, at timeNs: Int64) {
    if isSilent {
      if hushedNs == nil || isAwaited { hushedNs = timeNs }
      isAwaited = false
      hasLeft = false
    } else if hasLeft, !isHolding {
      // What is agreed does not bring back who left.
    } else if let since = restsSinceNs {
      hasLeft = false
      isAwaited = timeNs &- since > Self.betweenPacketsNs
      if isAwaited {
        audio?.rest(from: since, until: timeNs)
        hushedNs = timeNs
      } else {
        hushedNs = nil
      }
    }
  }

  /// Notes that its sender left (RFC 3550 section 6.6), or sends from elsewhere: until something of it comes again.
  func leave(at timeNs: Int64) {
    guard hushedNs == nil || isAwaited else { return }
    (hushedNs, isAwaited, hasLeft, isHolding) = (timeNs, false, true, false)
  }

  /// Notes that its sender holds the call and may send: music, or nothing at all, which is not missed until something comes.
  func hold(at timeNs: Int64) {
    if hasLeft { return }
    hush(false, at: timeNs)
    leave(at: timeNs)
    isHolding = true
  }

  /// Takes the first packet after a rest: what plays the stream begins anew. One that comes in spite of everything is played
  /// as well.
  func wake(with packet: RTPPacket) {
    if hasLeft, let hushedNs, packet.timeNs &- hushedNs > Self.betweenPacketsNs {
      hasLeft = false
      defer { self.hushedNs = nil }
      if packet.timeNs &- max(hushedNs, lastNs) <= Self.betweenPacketsNs { return }
      audio?.rest(from: max(hushedNs, lastNs), until: packet.timeNs)
    } else if let since = restsSinceNs {
      guard packet.timeNs &- since > Self.betweenPacketsNs else { return }
      audio?.rest(from: since, until: packet.timeNs)
    } else {
      if let since = beginsSince(packet.timeNs) { audio?.rest(from: since, until: packet.timeNs) }
      hushedNs = nil
      isAwaited = false
    }
    if !openTicks.isEmpty { catchUp() }
    beginAnew(with: packet)
    video?.rest()
  }

  /// Notes that somebody answered: what was silent before then did not have to come, and may begin now.
  func answered(at timeNs: Int64) {
    guard timeNs &- lastNs > Self.betweenPacketsNs else { return }
    openTicks = []
    audio?.rest(from: lastNs, until: timeNs)
    if hushedNs == nil { (hushedNs, isAwaited) = (timeNs, true) }
  }

  /// Whether a pause of over two seconds ends with a new description: hold or fax, not loss.
  func wasRenegotiated(_ packet: RTPPacket) -> Bool {
    guard let described = path.describedNs else { return false }
    return packet.timeNs &- lastNs > 2_000_000_000 && described > lastNs
      && packet.timeNs &- described < 1_500_000_000
  }

  /// Whether a step of sequence numbers comes in far less time than so many packets of sound last, and its timestamp does not speak
  /// for them either: its sender counts from another number on. Packets of one picture come at once, of which this says nothing.
  func outrunsTime(_ packet: RTPPacket, _ delta: Int) -> Bool {
    guard kind == .audio, clockRate > 0, newestNs > firstNs, let lengthMs = audio?.packetLengthMs,
      lengthMs > 0
    else { return false }
    let lostMs = Double(delta) * lengthMs
    let mediaMs = Double(packet.timestamp &- newestTimestamp) / Double(clockRate) * 1000
    return Double(packet.timeNs &- newestNs) / 1e6 < lostMs / 4
      && !(lostMs / 4...2 * lostMs).contains(mediaMs)
  }

  /// A jitter buffer throws away what is up to so much older than what it played last (libwebrtc `packet_buffer.cc`), s; what is
  /// older still counts its time anew.
  private static let oldestSound = 5.0

  /// Whether its sender counts time anew from a packet on, though the numbers go on: a browser that took back an offer (rollback)
  /// begins where the stream began.
  func stepsBack(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) -> Bool {
    guard kind == .audio, clockRate > 0, case .advanced = verdict else { return false }
    let back = Double(newestTimestamp &- packet.timestamp) / Double(clockRate)
    guard back > Self.oldestSound else { return false }
    steppedBackMs = max(steppedBackMs, back * 1000)
    return true
  }

  /// Notes that its sender's time went on by far more than ours from one number to the next.
  @inline(__always)
  func noteStepForward(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    let ahead = packet.timestamp &- newestTimestamp
    // Most packets are a fraction of a second ahead, and asked no more.
    guard ahead > UInt32(clamping: 5 * clockRate), clockRate > 0, case .advanced(let gap) = verdict else {
      return
    }
    let beyond = Double(ahead) / Double(clockRate) - Double(packet.timeNs &- newestNs) / 1e9
    guard gap < SequenceState.maxMisorder, newestNs > firstNs, beyond > Self.oldestSound,
      beyond * 1000 > steppedForwardMs
    else { return }
    (steppedForwardMs, steppedForwardNs) = (beyond * 1000, packet.timeNs)
  }

  /// Forgets how media and time belonged together.
  func beginAnew(with packet: RTPPacket) {
    jitter.rebase()
    frameJitter.rebase()
    audio?.restart(packet)
    video?.restart(packet)
  }
}
