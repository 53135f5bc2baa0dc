/// A stream in TCP of which the capture misses segments: their receiver acknowledged them, so nothing of it was lost.
extension MediaStream {
  /// Packets of which the times are made up at most, and how far apart they may be, s.
  private static let mostMadeUp = 500
  private static let longestStep = 0.13

  /// Takes the packets that are missing before one for received at even distances.
  func passHole(before packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    isPastHole = false
    guard case .advanced(let gap) = verdict, gap > 0 else { return }
    sequence.excuse(gap)
    uncaptured += gap
    video?.passHole(at: packet.timeNs)
    guard audio != nil, gap <= Self.mostMadeUp else { return }
    let step = Int64(Int32(bitPattern: packet.timestamp &- newestTimestamp)) / Int64(gap + 1)
    guard step > 0, Double(step) <= Self.longestStep * Double(clockRate) else { return }
    let apartNs = (packet.timeNs &- newestNs) / Int64(gap + 1)
    for n in 1...gap {
      var missing = packet
      missing.sequence = packet.sequence &- UInt16(truncatingIfNeeded: gap + 1 - n)
      missing.timestamp = newestTimestamp &+ UInt32(truncatingIfNeeded: step * Int64(n))
      missing.timeNs = newestNs &+ apartNs * Int64(n)
      audio?.take(missing, level: nil)
    }
  }
}
