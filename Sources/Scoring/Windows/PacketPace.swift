/// How much sound a packet holds, learnt from how many come while they come steadily: 20 ms, or more.
struct PacketPace {
  /// Packet times in use (RFC 7587, RFC 3551), ms.
  private static let usual = [10.0, 20, 30, 40, 60, 80, 100, 120]
  /// How far from one of them a steady flow can be, as a share.
  private static let tolerance = 0.06
  /// Time that is looked at together, ms, and how often in a row it must tell the same: silence that is not sent thins a flow
  /// out, but not evenly.
  private static let lookMs = 2000.0
  private static let looks = 3

  /// Milliseconds of sound.
  private(set) var packetMs = FirstMedia.packetMs

  private var time = 0.0
  private var packets = 0.0
  private var told: (ms: Double, times: Int)?

  /// Takes the next segment.
  mutating func learn(_ segment: Segment) {
    guard segment.hadPackets == true, let came = segment.growth[.packets] ?? segment.growth[.expected] else {
      (time, packets, told) = (0, 0, nil)
      return
    }
    let lost = segment.growth[.packets] == nil ? 0 : max(0, segment.growth[.lost] ?? 0)
    time += segment.to - segment.from
    packets += came + lost
    guard time >= Self.lookMs else { return }
    look(time / packets)
    (time, packets) = (0, 0)
  }

  private mutating func look(_ spacing: Double) {
    guard let ms = Self.usual.first(where: { abs(spacing - $0) <= Self.tolerance * $0 }) else {
      told = nil
      return
    }
    let times = told?.ms == ms ? (told?.times ?? 0) + 1 : 1
    told = (ms, times)
    // More packets than at 20 ms are as often repeated ones.
    if times >= Self.looks { packetMs = max(FirstMedia.packetMs, ms) }
  }
}
