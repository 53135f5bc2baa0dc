/// Finds the clock of a stream that nothing describes, and keeps its packets meanwhile.
struct ClockSearch {
  private var guess = ClockGuess()
  private var waiting: [RTPPacket] = []
  /// Whether the clock is still looked for.
  private(set) var isOpen = true

  /// Packets and time looked at.
  private static let most = 256
  private static let longestMs = 2000.0
  private static let shortMs = 350.0
  /// Clocks of the codecs that browsers and their kin use.
  private static let webRTC = [8000, 16_000, 48_000, 90_000]
  /// None of them but Opus has packets so long, ms.
  private static let veryLongMs = 120.0
  private var isWebRTC = false

  /// Takes a packet; answers whether it is time to decide.
  ///
  /// On a flow with ICE or DTLS few clocks come in question, and a fraction of a second tells them apart.
  mutating func take(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, isWebRTC: Bool) -> Bool {
    if case .advanced = verdict { guess.take(timeNs: packet.timeNs, timestamp: packet.timestamp) }
    waiting.append(packet)
    self.isWebRTC = isWebRTC
    if isWebRTC && guess.spanMs >= Self.shortMs && guess.packets >= 10 { return true }
    return guess.spanMs >= Self.longestMs && guess.packets >= 10 || waiting.count >= Self.most
  }

  /// The clock, `.some(nil)` where there is none to be found, nil where it takes more packets.
  func decide(final: Bool) -> Int?? {
    let patient = !final && waiting.count < Self.most
    // Several packets of one timestamp are a video frame, and video runs at 90 kHz (RFC 3551 and all that followed).
    if guess.packets >= 10 && guess.repeated * 4 > guess.packets { return .some(90_000) }
    if isWebRTC, let usual = guess.usualClock {
      if guess.allows(usual) { return .some(usual) }
      // What came so far may have stood still on its way; more of it tells.
      if patient, guess.spanMs < Self.longestMs || guess.isCatchingUp(at: usual) { return nil }
    }
    if isWebRTC {
      let likely = Self.webRTC.filter { guess.stepMs(at: $0) < Self.veryLongMs }
      if let clock = guess.clock(tolerance: 0.35, among: likely) { return .some(clock) }
      // What is still behind its usual clock is held up for seconds: nothing else has packets like that.
      if let usual = guess.usualClock, let slope = guess.slope, slope > 0, slope < Double(usual) {
        return .some(usual)
      }
    }
    if let clock = guess.clock(tolerance: patient ? 0.1 : 0.3) { return .some(clock) }
    return patient ? nil : .some(nil)
  }

  /// Ends the search; the packets kept so far.
  mutating func close() -> [RTPPacket] {
    isOpen = false
    let packets = waiting
    waiting = []
    return packets
  }
}
