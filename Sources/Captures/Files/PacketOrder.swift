/// Whether the packets of a capture are in the order of time: captures put one behind the other are not.
struct PacketOrder {
  private var newestNs = Int64.min
  private var isBack = false
  private(set) var stepsBack = 0
  private var farthestNs: Int64 = 0

  /// Several queues of a network card, or interfaces, change places of packets by less.
  private static let toleranceNs: Int64 = 100_000_000

  /// Takes the time of the next packet.
  @inline(__always)
  mutating func take(_ timeNs: Int64) {
    if timeNs >= newestNs {
      newestNs = timeNs
      isBack = false
    } else if newestNs &- timeNs > Self.toleranceNs {
      goBack(timeNs)
    }
  }

  private mutating func goBack(_ timeNs: Int64) {
    if !isBack { stepsBack += 1 }
    isBack = true
    farthestNs = max(farthestNs, newestNs &- timeNs)
  }

  /// The farthest step, as people say it.
  var farthestText: String {
    farthestNs < 1_000_000_000 ? "\(farthestNs / 1_000_000) ms" : "\(farthestNs / 1_000_000_000) s"
  }
}
