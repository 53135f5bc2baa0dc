/// An SSRC met on a flow, before it is believed to be a stream: what is encrypted looks like RTP one time in four.
struct RTPCandidate {
  let ssrc: UInt32
  /// Packets so far, replayed when it is believed.
  var packets: [RTPPacket]
  /// What they call themselves.
  var names = StreamNames()

  /// Packets needed without any other evidence.
  static let needed = 4
  /// Candidates kept a direction, and how long one of the older half may be silent until it is given up.
  static let most = 16
  static let patienceNs: Int64 = 1_000_000_000
  /// Packets kept of one candidate.
  private static let mostPackets = 8
  /// Numbers a sender of a believable stream may skip.
  private static let longestStep = 50

  /// When its last packet came.
  var lastNs: Int64 { packets.last?.timeNs ?? 0 }

  init(_ packet: RTPPacket) {
    ssrc = packet.ssrc
    packets = [packet]
  }

  /// Takes another packet of the SSRC; a step that no sender makes begins the count anew.
  mutating func take(_ packet: RTPPacket) {
    guard let last = packets.last else { return packets.append(packet) }
    let step = Int(Int16(bitPattern: packet.sequence &- last.sequence))
    let later = Int32(bitPattern: packet.timestamp &- last.timestamp)
    // Reordering and repeats are fine, leaps are not; a probe before media has no time of its own.
    let runsBack = step > 0 && later < -(1 << 21) && !last.padded && !packet.padded
    if abs(step) > Self.longestStep || runsBack { packets = [] }
    if packets.count >= Self.mostPackets { packets.removeFirst() }
    packets.append(packet)
  }

  /// Whether there are enough different packets.
  func isBelievable(needed: Int) -> Bool {
    guard packets.count >= needed, ssrc != 0 || needed == 1 else { return false }
    if needed == 1 { return true }
    return Set(packets.map(\.sequence)).count >= min(needed, 4)
  }
}
