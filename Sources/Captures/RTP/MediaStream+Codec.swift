import CallModel

extension MediaStream {
  /// Takes a packet of another payload type than the main one: where that goes on for several packets the stream changes
  /// over to it, clock and all (RFC 7160). Answers whether the packet is dealt with: at another clock it waits until then.
  func changes(with packet: RTPPacket, _ described: DescribedType) -> Bool {
    let rate = described.isKnown ? described.clockRate : PayloadFormat.assignedClock(packet.payloadType)
    guard rate > 0, role == .media, !described.isKnown || described.isMedium else { return false }
    let isOtherClock = rate != clockRate
    // Pictures have one clock (RFC 3551 and all that followed).
    if isOtherClock && kind == .video { return false }
    guard codecChange.take(packet, number: sequence.unique, waits: isOtherClock) else { return isOtherClock }
    let named = described.isKnown ? describedFormat : PayloadFormat.assigned(packet.payloadType)
    guard let named, named.kind == kind || kind == nil else { return isOtherClock }
    changeOver(to: named, packet.payloadType)
    return isOtherClock
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

  private func changeOver(to other: PayloadFormat, _ type: UInt8) {
    let waiting = codecChange.close()
    mainType = type
    format = other
    kind = other.kind
    guard other.clockRate != clockRate, let first = waiting.first else { return }
    jitter.rebase()
    audio?.advance(to: first.timeNs)
    let former = audio
    playedBefore = played ?? PlayedSound()
    clockRate = other.clockRate
    clockGuessed = false
    audio = nil
    if let former {
      beginSound(first)
      audio?.goOn(from: former)
    }
    for packet in waiting { measure(packet, .advanced(gap: 0)) }
  }

  /// What was played so far, whatever the codec: counted at the clock of the first.
  var played: PlayedSound? {
    audio.map {
      let scale = soundRate > 0 && clockRate > 0 ? Double(soundRate) / Double(clockRate) : 1
      return PlayedSound($0, scale: scale, after: playedBefore)
    }
  }
}
