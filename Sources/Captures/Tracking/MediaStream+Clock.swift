import Packets
import Playout

/// The clock of sound, and how its sender keeps time.
extension MediaStream {
  /// Checks the clock with the first packets; returns whether this one was played with them.
  func check(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) -> Bool {
    switch clockCheck?.take(packet, verdict) ?? .agrees {
    case .pending: return false
    case .agrees: clockCheck = nil
    case .other(let rate):
      let kept = clockCheck?.kept ?? []
      clockCheck = nil
      playAnew(kept, at: rate)
      return true
    }
    return false
  }

  /// Plays the first packets again with the clock that their timestamps have. Samples so far counted another one.
  private func playAnew(_ packets: [RTPPacket], at rate: Int) {
    guard let first = packets.first else { return }
    (namedClock, clockRate, clockGuessed) = (clockRate, rate, true)
    (audio, playedBefore, soundRate) = (nil, PlayedSound(), 0)
    (jitter, frameJitter) = (JitterMeter(), JitterMeter())
    (steppedBackMs, steppedForwardMs) = (0, 0)
    held = []
    begin(first)
    for packet in packets { measure(packet, .advanced(gap: 0)) }
  }

  /// How much sound its sender makes of what the time needs, if that is not all of it. With numbers missing, on the same
  /// clock as another stream of the sender, or next to no sound at all, it says nothing of the machine.
  var madeShare: Double? {
    guard let share = soundMade.wrongShare, sequence.lost * 100 <= sequence.expected, playedBefore.total == 0,
      steppedForwardMs == 0, steppedBackMs == 0, audio?.ownPauseMs == nil,
      (audio?.sparse.spans ?? []).isEmpty, (audio?.sparse.still ?? []).isEmpty
    else { return nil }
    return share
  }
}
