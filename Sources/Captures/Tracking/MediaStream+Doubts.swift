import CallModel
import Packets
import Playout

/// Packets that arrived but are of no use to the receiver.
extension MediaStream {
  /// How long before and after a change of keys a restart may be explained by it, ns.
  private static let rekeyNs = Threshold.rekeyed.ns

  /// Examines a packet that arrived. `delta` is the distance of its number from the previous highest one.
  @inline(__always)
  func examine(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, _ delta: Int, isSound: Bool) {
    if verdict == .restarted { beginsAnew(packet, delta) }
    if delta > 1, case .advanced(let gap) = verdict {
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
    // A small step ahead, including one across the wrap, counts as loss.
    if delta > 0, delta < SequenceState.maxDropout { return }
    let highest = packet.sequence &- UInt16(truncatingIfNeeded: delta)
    doubts.restarts(with: packet, after: highest, hasWrapped: sequence.roundsBefore > 0)
  }
}

extension CaptureRecords {
  /// A stream that stops this shortly before or after a truncated description may have been removed by it, ns.
  private static let stopsBeforeNs: Int64 = 1_000_000_000
  private static let stopsAfterNs: Int64 = 2_000_000_000

  /// Reports that a stream which ended at a truncated description may have been removed by it, and so is not missing.
  func reportRemovedByCut(_ stream: MediaStream) {
    guard let kind = stream.kind,
      stream.path.cutDescriptionsNs.contains(where: {
        stream.lastNs >= $0 &- Self.stopsBeforeNs && stream.lastNs <= $0 &+ Self.stopsAfterNs
      })
    else { return }
    var w = ArgumentWriter()
    w.add(.kind, kind.rawValue)
    w.add(raw: "cut", "true")
    stream.path.add(
      .mediaTakenAway, "SIP description that was cut", at: stream.lastNs, end: 1 - stream.sender,
      args: w.text)
  }

  /// Reports the packets of a stream that are of no use to any receiver.
  func reportDoubts(_ stream: MediaStream) {
    let (doubts, path) = (stream.doubts, stream.path)
    for span in doubts.ofForeignType {
      var w = ArgumentWriter()
      w.add(.payloadType, Int(span.number))
      w.add(.agreed, path.agreed.named(by: 1 - stream.sender).map(String.init).joined(separator: ", "))
      report(.payloadType, of: stream, span, &w)
    }
    for span in doubts.lost where stream.kind == .audio {
      var w = ArgumentWriter()
      w.add(.sentPackets, span.packets)
      report(.lostBetween, of: stream, span, &w)
    }
    for span in doubts.ofRefusedNumbers {
      var w = ArgumentWriter()
      w.add(.fromNumber, Int(span.number))
      w.add(.toNumber, Int(span.first))
      report(.srtpReset, of: stream, span, &w)
    }
    for span in (stream.audio?.sparse.spans ?? []) + stream.stoodStill {
      var w = ArgumentWriter()
      w.add(.heardMs, span.audioMs, decimals: 0)
      report(
        .sparse, of: stream,
        .init(fromNs: span.fromNs, toNs: span.toNs, packets: span.packets, number: 0), &w)
    }
    reportClock(of: stream)
    if let (sent, expected, isProven) = packings(of: stream) {
      var w = ArgumentWriter()
      w.add(.sentAs, sent)
      w.add(.expectedAs, expected)
      if isProven { w.add(.proven, true) }
      report(
        .packing, of: stream,
        .init(fromNs: stream.firstNs, toNs: stream.lastNs, packets: stream.sequence.expected, number: 0), &w)
    }
    if let span = packetTime(of: stream) {
      var w = ArgumentWriter()
      w.add(.packetMs, span.sentMs, decimals: 0)
      if let usual = span.agreed.usualMs { w.add(.agreedMs, usual) }
      if let longest = span.agreed.longestMs { w.add(.longestMs, longest) }
      report(.packetTime, of: stream, span.span, &w)
    }
    if path.agreed.isProtected, path.dtls.serverHelloNs == nil, let span = doubts.inTheClear {
      var w = ArgumentWriter()
      report(.inTheClear, of: stream, span, &w)
    }
    // A sender that continues with another SSRC only sent DTMF.
    let goesOn = path.media.contains {
      $0 !== stream && $0.sender == stream.sender && $0.kind == .audio && $0.role == .media
        && $0.lastNs > stream.lastNs &+ 1_000_000_000
    }
    if let silence = doubts.silence.toTheEnd, !goesOn {
      var w = ArgumentWriter()
      w.add(.share, doubts.silence.share)
      report(
        .digitalSilence, of: stream,
        .init(fromNs: silence.fromNs, toNs: silence.toNs, packets: silence.packets, number: 0), &w)
    }
    if let span = stream.besideOther {
      var w = ArgumentWriter()
      w.add(.from, stream.source.text)
      report(.secondSound, of: stream, span, &w)
    }
    if let closed = stream.returned.closedPort {
      var w = ArgumentWriter()
      report(
        .portClosed, of: stream,
        .init(fromNs: closed.fromNs, toNs: closed.toNs, packets: closed.count, number: 0), &w)
    }
    if stream.steppedForwardMs > 0 {
      var w = ArgumentWriter()
      w.add(.jumpMs, stream.steppedForwardMs, decimals: 0)
      report(
        .clockJump, of: stream,
        .init(fromNs: stream.steppedForwardNs, toNs: stream.steppedForwardNs, packets: 1, number: 0), &w)
    }
  }

  /// Reports that the timestamps of a stream count another clock than its codec has, or that its sender makes less or more
  /// sound than time passes.
  private func reportClock(of stream: MediaStream) {
    guard stream.kind == .audio else { return }
    var w = ArgumentWriter()
    if let named = stream.namedClock {
      w.add(.namedHz, named)
      w.add(.countedHz, stream.clockRate)
      w.add(.codec, stream.format?.name ?? "the codec")
    } else if let share = stream.madeShare {
      w.add(.share, share)
    } else {
      return
    }
    report(
      .mediaClock, of: stream,
      .init(fromNs: stream.firstNs, toNs: stream.lastNs, packets: stream.sequence.unique, number: 0), &w)
  }

  /// How the bits of a stream are packed, and how its receiver expects them, if SDP shows that they do not agree; and whether
  /// the size of its packets proves it.
  private func packings(of stream: MediaStream) -> (sent: String, expected: String, isProven: Bool)? {
    guard let type = stream.mainType, stream.path.call != nil,
      stream.sequence.expected >= Threshold.packetTimePackets.count, stream.path.dtls.serverHelloNs == nil,
      let (sent, expected) = stream.path.agreed.packings(of: type, from: stream.sender)
    else { return nil }
    let isClear = !stream.path.agreed.isProtected
    guard isClear, let aligned = sent.isOctetAligned(size: stream.largestSize) else {
      return (sent.words(besides: expected), expected.words(besides: sent), false)
    }
    // A sender that does as its receiver asked is understood.
    guard aligned != expected.isOctetAligned else { return nil }
    func words(_ isAligned: Bool) -> String { "octet-align=\(isAligned ? 1 : 0)" }
    return (words(aligned), words(!aligned), true)
  }

  /// The packet length in ms of a stream, if its receiver asked for a different one (RFC 8866 section 6.4).
  private func packetTime(of stream: MediaStream) -> (
    span: ReceiverRejection.Span, sentMs: Double, agreed: (usualMs: Int?, longestMs: Int?)
  )? {
    guard stream.kind == .audio, stream.path.call != nil,
      stream.sequence.expected >= Threshold.packetTimePackets.count,
      let sentMs = stream.audio?.packetLengthMs
    else { return nil }
    let agreed = stream.path.agreed.packetTime(askedBy: 1 - stream.sender)
    let isOther = agreed.usualMs.map { abs(sentMs - Double($0)) >= Threshold.packetTime.value } ?? false
    let isLonger = agreed.longestMs.map { sentMs >= Double($0) + Threshold.packetTime.value } ?? false
    guard isOther || isLonger else { return nil }
    return (
      .init(fromNs: stream.firstNs, toNs: stream.lastNs, packets: stream.sequence.expected, number: 0),
      sentMs, agreed
    )
  }

  /// Reports to the receiving end, or at the capturing host, to the sender.
  private func report(
    _ note: CaptureNote, of stream: MediaStream, _ span: ReceiverRejection.Span, _ w: inout ArgumentWriter
  ) {
    let isSent = stream.path.local == stream.sender
    w.add(.ssrc, Int(stream.ssrc))
    w.add(.packets, span.packets)
    w.add(.kind, (stream.kind ?? .audio).rawValue)
    w.add(.untilMs, span.toNs.unixMs)
    if isSent { w.add(.sent, true) }
    stream.path.add(
      note: note, at: span.fromNs, end: isSent ? stream.sender : 1 - stream.sender, args: w.text)
  }
}

/// A stream whose sender stood still.
extension MediaStream {
  /// The times in which its sender stood still. Where no other stream shows that the capture's clock went on, that clock
  /// was set.
  fileprivate var stoodStill: [SparseSound.Span] {
    (audio?.sparse.still ?? []).filter { span in
      path.media.contains { other in
        other !== self && other.firstNs < span.fromNs && other.lastNs > span.toNs
          && !(other.audio?.sparse.still ?? []).contains { $0.fromNs < span.toNs && $0.toNs > span.fromNs }
      }
    }
  }
}

/// A stream whose sender was told by SDP to send nothing, or announced that it leaves. Packets that do not
/// arrive then are not missed.
extension MediaStream {
  /// Up to this length, silence is a normal gap between packets, ns.
  private static let betweenPacketsNs: Int64 = 100_000_000

  /// A sender that may send again begins within this time, as at the start of a call, ns.
  private static let beginningNs: Int64 = 500_000_000

  /// The time from which nothing of the stream can be missed, because the sender was told to stop and has
  /// sent its last packet.
  var restsSinceNs: Int64? {
    guard let silentSinceNs, !isAwaited else { return nil }
    return max(silentSinceNs, lastNs)
  }

  /// The time from which the stream is expected, while it may not have begun again yet.
  func beginsSince(_ timeNs: Int64) -> Int64? {
    guard let silentSinceNs, isAwaited, timeNs &- silentSinceNs <= Self.beginningNs else { return nil }
    return silentSinceNs
  }

  /// Records whether its sender may send from now on.
  func setSilent(_ isSilent: Bool, at timeNs: Int64) {
    if isSilent {
      if silentSinceNs == nil || isAwaited { silentSinceNs = timeNs }
      isAwaited = false
      hasLeft = false
    } else if hasLeft, !isHolding {
      // A new description does not bring back a sender that has left.
    } else if let since = restsSinceNs {
      hasLeft = false
      isAwaited = timeNs &- since > Self.betweenPacketsNs
      if isAwaited {
        audio?.rest(from: since, until: timeNs)
        silentSinceNs = timeNs
      } else {
        silentSinceNs = nil
      }
    }
  }

  /// Records that its sender left (RFC 3550 section 6.6) or sends from another address, until it sends again.
  func leave(at timeNs: Int64) {
    guard silentSinceNs == nil || isAwaited else { return }
    (silentSinceNs, isAwaited, hasLeft, isHolding) = (timeNs, false, true, false)
  }

  /// Records that its sender holds the call and may send: either music, or nothing, which is not missed until
  /// something arrives.
  func hold(at timeNs: Int64) {
    if hasLeft { return }
    setSilent(false, at: timeNs)
    leave(at: timeNs)
    isHolding = true
  }

  /// Takes the first packet after a rest, with which playout begins anew. Packets that arrive regardless are
  /// played as well.
  func wake(with packet: RTPPacket) {
    if hasLeft, let silentSinceNs, packet.timeNs &- silentSinceNs > Self.betweenPacketsNs {
      hasLeft = false
      defer { self.silentSinceNs = nil }
      if packet.timeNs &- max(silentSinceNs, lastNs) <= Self.betweenPacketsNs { return }
      audio?.rest(from: max(silentSinceNs, lastNs), until: packet.timeNs)
    } else if let since = restsSinceNs {
      guard packet.timeNs &- since > Self.betweenPacketsNs else { return }
      audio?.rest(from: since, until: packet.timeNs)
    } else {
      if let since = beginsSince(packet.timeNs) { audio?.rest(from: since, until: packet.timeNs) }
      silentSinceNs = nil
      isAwaited = false
    }
    if !openTicks.isEmpty { catchUp() }
    beginAnew(with: packet)
    video?.rest()
  }

  /// Records that somebody answered. Silence before then was not missed; the stream may begin now.
  func answered(at timeNs: Int64) {
    guard timeNs &- lastNs > Self.betweenPacketsNs else { return }
    openTicks = []
    audio?.rest(from: lastNs, until: timeNs)
    if silentSinceNs == nil { (silentSinceNs, isAwaited) = (timeNs, true) }
  }

  /// Whether a pause of over two seconds ends with a new description. It is then due to hold or fax, not
  /// loss.
  func wasRenegotiated(_ packet: RTPPacket) -> Bool {
    guard let described = path.describedNs else { return false }
    return packet.timeNs &- lastNs > 2_000_000_000 && described > lastNs
      && packet.timeNs &- described < 1_500_000_000
  }

  /// Whether a step in sequence numbers takes far less time than that number of audio packets would, and the
  /// timestamp does not account for them either, so that the sender continues from another number. Packets of
  /// one video frame arrive together, so this does not apply to video.
  func outrunsTime(_ packet: RTPPacket, _ delta: Int) -> Bool {
    guard kind == .audio, clockRate > 0, newestNs > firstNs, let lengthMs = audio?.packetLengthMs,
      lengthMs > 0
    else { return false }
    let lostMs = Double(delta) * lengthMs
    let mediaMs = Double(packet.timestamp &- newestTimestamp) / Double(clockRate) * 1000
    return Double(packet.timeNs &- newestNs) / 1e6 < lostMs / 4
      && !(lostMs / 4...2 * lostMs).contains(mediaMs)
  }

  private static let oldestSound = Threshold.timestampJump.value / 1000

  /// Whether the sender restarts its timestamps at a packet although its sequence numbers continue. A browser
  /// that rolled back an offer begins again at the first timestamp of the stream.
  func stepsBack(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) -> Bool {
    guard kind == .audio, clockRate > 0, case .advanced = verdict else { return false }
    let back = Double(newestTimestamp &- packet.timestamp) / Double(clockRate)
    guard back > Self.oldestSound else { return false }
    steppedBackMs = max(steppedBackMs, back * 1000)
    return true
  }

  /// Records that the sender's timestamps advanced by far more than real time from one number to the next.
  @inline(__always)
  func noteStepForward(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    let ahead = packet.timestamp &- newestTimestamp
    // Most packets are ahead by a fraction of a second and need no further check.
    guard ahead > UInt32(clamping: clockRate), clockRate > 0, case .advanced(let gap) = verdict else {
      return
    }
    let beyond = Double(ahead) / Double(clockRate) - Double(packet.timeNs &- newestNs) / 1e9
    guard gap < SequenceState.maxMisorder, newestNs > firstNs, beyond > Self.oldestSound,
      beyond * 1000 > steppedForwardMs
    else { return }
    (steppedForwardMs, steppedForwardNs) = (beyond * 1000, packet.timeNs)
  }

  /// Forgets how media time corresponds to real time.
  func beginAnew(with packet: RTPPacket) {
    jitter.rebase()
    frameJitter.rebase()
    audio?.restart(packet)
    video?.restart(packet)
  }
}
