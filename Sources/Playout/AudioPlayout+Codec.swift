import Packets

/// A sender that goes over to another codec in the middle of a stream: what waits is played, and nothing begins anew.
extension AudioPlayout {
  /// Who is longer without a packet than so many of them, where none is missing, paused.
  private static let pauseOfFrames = 1.5

  /// Takes another codec at the same clock.
  public mutating func change(to format: PayloadFormat?) {
    silence = PauseDetector(format, clockRate: Int(rate))
    lengths = PacketDuration(format, clockRate: Int(rate))
  }

  /// Goes on where the playout of another codec stands, at another clock: what waits there is played, and what was learnt of the
  /// sender and the way to here holds. From the newest packet there to the first here it was so long, ns.
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

  /// How far a packet is from the newest in the time of its sender, by their numbers; where more time passed, by that.
  private func stepMs(to packet: RTPPacket, elapsedMs: Double) -> Double {
    // It began anew with that packet.
    if packet.timestamp == lastTimestamp { return 0 }
    let frameMs = ms(lengths.last)
    let byNumber = Double(max(1, numbers.ahead(packet.sequence))) * frameMs
    return elapsedMs > byNumber + Self.pauseOfFrames * frameMs ? elapsedMs : byNumber
  }
}

/// What is played while there is nothing to play.
extension AudioPlayout {
  /// Made-up sound has faded to nothing after so long, ms: browsers were seen to count silence from 240 to 520 ms on.
  private static let silentMs = 380.0
  /// Opus sends at least every 400 ms during silence; what lasts longer without a packet is concealed.
  private static let longestPauseMs = 450.0

  /// Nothing to play: comfort noise where the sender pauses, as long as its codec may, else made-up sound.
  mutating func makeUp(_ lacking: Int64) {
    if expanded == 0 { ownPauses.mayBegin(concealed: concealed) }
    expanded += lacking
    // What follows is here, and shows that it was a pause.
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

  /// A packet came: what was played meanwhile was silence if its number follows on, else it stood for something lost; in a
  /// pause for as many packets as are missing. A sender that has fallen to a packet now and then does not pause.
  mutating func settlePending(_ silentFor: Int64?, _ missed: Int64, _ rested: Bool) {
    let silentFor = sparse.isOn ? nil : silentFor
    if let silentFor, expanded > 0 { ownPauses.end(expanded, silentFor, concealed: concealed, rate: rate) }
    if pausing == .likely && frames.isEmpty && !rested { pausing = .none }
    if silentFor == nil { concealed += isPausing ? min(pending, missed * lengths.usual) : pending }
    pending = 0
  }
}
