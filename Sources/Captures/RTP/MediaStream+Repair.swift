/// A stream that is no medium of its own: it repeats or protects another.
extension MediaStream {
  /// Whether a packet repeats one of a sibling stream; passes it on if so.
  func isRepair(_ packet: RTPPacket) -> Bool {
    if format != nil { return false }
    guard let original = repairGuess.take(packet, of: self) else { return false }
    beRepair(of: original)
    return true
  }

  /// Finds out that what came so far repeats another stream.
  func noteRepair() {
    guard role == .media, format == nil, kind != .audio, let original = repairGuess.repaired(by: self) else {
      return
    }
    beRepair(of: original)
  }

  private func beRepair(of original: MediaStream) {
    role = .repair
    kind = original.kind
    clockRate = 0
    video = nil
    repairs = original
    original.repairedBy = self
    unsettled = []
    openTicks = []
    for held in repairGuess.close() { original.takeRepeat(held) }
    _ = clock.close()
  }

  /// Takes a retransmission of one of this stream's packets.
  func takeRepeat(_ packet: RTPPacket) {
    repeats &+= 1
    repeatBytes &+= packet.payloadLength
    if video != nil {
      video?.takeRepeat(packet)
    } else if clock.isOpen && earlyRepeats.count < 64 {
      earlyRepeats.append(packet)
    }
  }

  /// Finds out that a stream without description is redundancy of a picture (FlexFEC): it has frames without an end, beside a
  /// picture of the same sender that marks the ends of its frames and is the greater.
  func noteRedundancy() {
    guard role == .media, format == nil, kind == .video, repairGuess.isUnmarked else { return }
    let isBesidesPicture = path.media.contains {
      $0 !== self && $0.sender == sender && $0.role == .media && $0.kind == .video
        && $0.repairGuess.isMarked && $0.sequence.unique > 2 * sequence.unique
    }
    guard isBesidesPicture else { return }
    role = .redundancy
    kind = nil
    clockRate = 0
    video = nil
    unsettled = []
    openTicks = []
  }
}
