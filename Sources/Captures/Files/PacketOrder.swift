/// Whether the packets of a capture are in the order of time: captures put one behind the other are not.
struct PacketOrder {
  private var newestNs = Int64.min
  private var isBack = false
  private(set) var stepsBack = 0
  private var farthestNs: Int64 = 0
  private var farthestBeforeNs: Int64 = 0

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
    if !isBack {
      stepsBack += 1
      farthestBeforeNs = farthestNs
    }
    isBack = true
    farthestNs = max(farthestNs, newestNs &- timeNs)
  }

  /// Takes back the step that goes on: the clock was set back, and times are read from now on as if it had not been.
  mutating func wasClock() {
    guard isBack else { return }
    isBack = false
    stepsBack -= 1
    farthestNs = farthestBeforeNs
  }

  /// The farthest step, as people say it.
  var farthestText: String { Self.text(farthestNs) }

  static func text(_ ns: Int64) -> String {
    ns < 1_000_000_000 ? "\(ns / 1_000_000) ms" : "\(ns / 1_000_000_000) s"
  }
}
