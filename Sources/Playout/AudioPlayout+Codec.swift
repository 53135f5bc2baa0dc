import Packets

/// Codec changes in the middle of a stream: buffered audio is played, and nothing is reset.
extension AudioPlayout {
  /// After a gap of this many packets without any missing, the sender paused.
  private static let pauseOfFrames = 1.5

  /// Switches to another codec with the same clock rate.
  public mutating func change(to format: PayloadFormat?) {
    silence = PauseDetector(format, clockRate: Int(rate))
    lengths = PacketDuration(format, clockRate: Int(rate))
  }

  /// Continues from the playout of another codec with another clock rate: its buffered audio is played, and what was
  /// learnt of the sender and the path is kept. The time from its newest packet to the first one here, ns.
  public mutating func goOn(from former: AudioPlayout, with first: RTPPacket, afterNs elapsed: Int64) {
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
    (minTransitMs, newestLatenessMs) = (former.minTransitMs, former.newestLatenessMs)
    (decodedDelayMs, power) = (former.decodedDelayMs, former.power)
    sparse = former.sparse
    (fec, redundant, restored) = (former.fec, former.redundant, former.restored)
  }

  /// The distance of a packet from the newest in the sender's time, by sequence numbers; by arrival if that is longer.
  private func stepMs(to packet: RTPPacket, elapsedMs: Double) -> Double {
    // The sender restarted with that packet.
    if packet.timestamp == lastTimestamp { return 0 }
    let frameMs = ms(lengths.last)
    let byNumber = Double(max(1, numbers.ahead(packet.sequence))) * frameMs
    return elapsedMs > byNumber + Self.pauseOfFrames * frameMs ? elapsedMs : byNumber
  }
}

/// What is played while the buffer is empty.
extension AudioPlayout {
  /// Concealment has faded to silence after this long, ms: browsers count silence from 240 to 520 ms on.
  private static let silentMs = 380.0
  /// Opus sends at least every 400 ms during silence; longer gaps are concealed.
  private static let longestPauseMs = 450.0

  /// Buffer empty: comfort noise if the sender pauses, as long as its codec allows, otherwise concealment.
  mutating func makeUp(_ lacking: Int64) {
    if expanded == 0 { ownPauses.mayBegin(concealed: concealed) }
    expanded += lacking
    // The next packet is here, and shows that it was a pause.
    if isPausing && !frames.isEmpty { return }
    if isPausing && !silence.isRepeated
      || (isPausing || ownPauses.seen && !sparse.isOn) && ms(pending) < Self.longestPauseMs
    {
      pending += lacking
      return
    }
    if expanded == lacking { concealments += 1 }
    concealed += lacking + pending
    if isPausing || ownPauses.seen && !sparse.isOn {
      silentConcealed += lacking + pending
    } else if ms(expanded) > Self.silentMs && !sparse.isOn {
      silentConcealed += lacking
    }
    pending = 0
  }

  /// A packet arrived: what was played meanwhile was silence if its number is the next one, otherwise it replaced lost
  /// packets; in a pause, as many as are missing. A sender reduced to occasional packets does not pause.
  mutating func settlePending(_ silentFor: Int64?, _ missed: Int64, _ rested: Bool) {
    let silentFor = sparse.isOn ? nil : silentFor
    if let silentFor, expanded > 0 { ownPauses.end(expanded, silentFor, concealed: concealed, rate: rate) }
    if pausing == .likely && frames.isEmpty && !rested { pausing = .none }
    if silentFor == nil { concealed += isPausing ? min(pending, missed * lengths.usual) : pending }
    pending = 0
  }
}
