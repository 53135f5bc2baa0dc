/// A sender that goes over to another codec in the middle of a stream: what waits is played, and nothing begins anew.
extension AudioPlayout {
  /// Who is longer without a packet than so many of them, where none is missing, paused.
  private static let pauseOfFrames = 1.5

  /// Takes another codec at the same clock.
  mutating func change(to format: PayloadFormat?) {
    silence = SilenceSigns(format, clockRate: Int(rate))
    lengths = SoundLength(format, clockRate: Int(rate))
  }

  /// Goes on where the playout of another codec stands, at another clock: what waits there is played, and what was learnt of the
  /// sender and the way to here holds. From the newest packet there to the first here it was so long, ns.
  mutating func goOn(from former: AudioPlayout, with first: RTPPacket, afterNs elapsed: Int64) {
    let scale = rate / former.rate
    func scaled(_ samples: Int64) -> Int64 { Int64((Double(samples) * scale).rounded()) }
    let jump = scaled(former.samples(former.stepMs(to: first, elapsedMs: Double(elapsed) / 1e6)))
    lastTimestamp = first.timestamp &- UInt32(truncatingIfNeeded: jump)
    (startNs, clockNs, newest, next) = (
      former.startNs, former.clockNs, scaled(former.newest), scaled(former.next)
    )
    (remaining, expanded, pending) = (
      scaled(former.remaining), scaled(former.expanded), scaled(former.pending)
    )
    frames = former.frames.scaled(by: scale)
    ownPauses = former.ownPauses.scaled(by: scale)
    (pausing, numbers, history, wanted) = (former.pausing, former.numbers, former.history, former.wanted)
    (filteredMs, sinceStretch) = (former.filteredMs, former.sinceStretch)
    (leastTransitMs, newestLatenessMs) = (former.leastTransitMs, former.newestLatenessMs)
    (decodedDelayMs, power) = (former.decodedDelayMs, former.power)
    sparse = former.sparse
    (fec, redundant, restored) = (former.fec, former.redundant, former.restored)
  }

  /// How far a packet is from the newest in the time of its sender, by their numbers; where more time passed, by that.
  private func stepMs(to packet: RTPPacket, elapsedMs: Double) -> Double {
    // It began anew with that packet.
    if packet.timestamp == lastTimestamp { return 0 }
    let frameMs = ms(lengths.last)
    let byNumber = Double(max(1, numbers.ahead(packet.sequence))) * frameMs
    return elapsedMs > byNumber + Self.pauseOfFrames * frameMs ? elapsedMs : byNumber
  }
}
