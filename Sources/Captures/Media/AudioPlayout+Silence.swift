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
