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
