import CallModel

extension MediaStream {
  /// Takes a packet of another payload type than the main one: where that goes on for several packets the stream changes
  /// over to it, clock and all (RFC 7160); one that nobody describes has its clock looked for. Answers whether the packet is dealt
  /// with: it may wait until then.
  func changes(with packet: RTPPacket, _ described: DescribedType) -> Bool {
    let rate = described.isKnown ? described.clockRate : PayloadFormat.assignedClock(packet.payloadType)
    guard role == .media, !described.isKnown || described.isMedium else { return false }
    let isKnown = rate > 0
    guard isKnown || !described.isKnown && kind == .audio && clockRate > 0 else { return false }
    if clock.isOpen { decideClock(final: true) }
    let isOtherClock = rate != clockRate
    // Pictures have one clock (RFC 3551 and all that followed).
    if isOtherClock && kind == .video { return false }
    // Hardly anything in it: it may be noise in a pause.
    let isPlain = kind == .video || SilenceMark.isSmall(packet.payloadLength)
    let waits =
      isKnown && isOtherClock ? CodecChange.Waiting.forChange : isPlain ? .no : .provisionally
    if codecChange.isProvisional, codecChange.isOutdated(by: packet) { playProvisional() }
    guard codecChange.take(packet, number: sequence.unique, waits: waits, isKnown: isKnown) else {
      return waits != .no
    }
    if !isKnown {
      searchClock(of: packet, isHeld: waits != .no)
      return true
    }
    let named = described.isKnown ? describedFormat : PayloadFormat.assigned(packet.payloadType)
    guard let named, named.kind == kind || kind == nil else {
      if waits == .provisionally { playProvisional() }
      return waits != .no
    }
    mainType = packet.payloadType
    changeOver(to: named, at: named.clockRate, codecChange.close())
    return waits != .no
  }

  /// Plays what waited for a change of codec that is none.
  func playProvisional() {
    for packet in codecChange.release() { measure(packet, .advanced(gap: 0)) }
  }

  /// Begins to look for the clock of what goes on under a type that nobody describes.
  private func searchClock(of packet: RTPPacket, isHeld: Bool) {
    mainType = packet.payloadType
    clock = ClockSearch()
    for waiting in codecChange.close() + (isHeld ? [] : [packet]) {
      _ = clock.take(waiting, .advanced(gap: 0), isWebRTC: path.isWebRTC)
    }
  }

  /// Takes the clock that was found, or not, for that of the codec that the stream changed over to. Sound remains sound.
  func endSearch(_ found: Int?) {
    let rate = found.flatMap { $0 == 90_000 ? nil : $0 } ?? clockRate
    changeOver(to: nil, at: rate, clock.close())
    clockGuessed = true
  }

  /// Takes the codec of the sound in redundant blocks (RFC 2198) for its own; the clock is the same.
  func unwrap(_ wrapper: UInt8, as type: UInt8) {
    guard mainType == wrapper else { return }
    mainType = type
    if let named = describedFormat ?? PayloadFormat.assigned(type),
      clock.isOpen || named.clockRate == clockRate
    {
      format = named
    }
  }

  private func changeOver(to other: PayloadFormat?, at rate: Int, _ waiting: [RTPPacket]) {
    format = other
    kind = other.map(\.kind) ?? kind
    if rate == clockRate {
      audio?.change(to: other)
    } else if let first = waiting.first {
      jitter.rebase()
      audio?.advance(to: first.timeNs)
      let former = audio
      playedBefore = played ?? PlayedSound()
      clockRate = rate
      clockGuessed = false
      audio = nil
      if let former {
        beginSound(first)
        audio?.goOn(from: former, with: first, afterNs: first.timeNs &- newestNs)
      }
    }
    for packet in waiting { measure(packet, .advanced(gap: 0)) }
  }

  /// What was played so far, whatever the codec: counted at the clock of the first.
  var played: PlayedSound? {
    let scale = soundRate > 0 && clockRate > 0 ? Double(soundRate) / Double(clockRate) : 1
    return audio?.played(scale: scale, after: playedBefore)
  }
}
