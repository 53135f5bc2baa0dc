import Packets

/// The clock of the capturing host, which may be set back amid a capture (by NTP, or by hand).
///
/// Its times go back then while what passes goes on: the next number of a stream is older than the one before. Captures put
/// one behind the other go back to other numbers. From the step on, times are read as if the clock had not been set.
struct CaptureClock {
  /// Smaller steps are within what playout bears, ns.
  static let leastNs: Int64 = 300_000_000
  /// Packets after a step in which the former time must not come again, as it does where two clocks alternate; and steps at most.
  private static let watched = 200
  private static let maxSteps = 16
  /// Media from a packet to the next takes so long at most, ns.
  private static let longestPacketNs: Int64 = 200_000_000

  /// What is added to times of the file.
  private(set) var offsetNs: Int64 = 0
  private var lastStepNs: Int64 = 0
  private var latestNs: Int64 = .min
  private var toWatch = 0
  private var isTrusted = true
  private(set) var steps = 0
  private(set) var farthestNs: Int64 = 0

  /// The time of a packet as it would be had the clock not been set.
  @inline(__always)
  mutating func time(of fileNs: Int64) -> Int64 { steps == 0 ? fileNs : corrected(fileNs) }

  private mutating func corrected(_ fileNs: Int64) -> Int64 {
    let timeNs = fileNs &+ offsetNs
    guard toWatch > 0 else { return timeNs }
    toWatch -= 1
    guard timeNs &- latestNs >= lastStepNs / 2 else {
      latestNs = max(latestNs, timeNs)
      return timeNs
    }
    // It was not set: packets of two clocks alternate.
    offsetNs &-= lastStepNs
    steps -= 1
    (isTrusted, toWatch) = (false, 0)
    return fileNs &+ offsetNs
  }

  /// Takes a packet of a stream that is older than what came of it, and may be the next one all the same; answers by how much the
  /// clock was set back, ns, 0 where it was not.
  mutating func step(_ packet: RTPPacket, after stream: MediaStream) -> Int64 {
    guard isTrusted, toWatch == 0, steps < Self.maxSteps, stream.sequence.expected > 0,
      packet.sequence == UInt16(truncatingIfNeeded: stream.sequence.highest &+ 1)
    else { return 0 }
    let ticks = Int64(Int32(bitPattern: packet.timestamp &- stream.newestTimestamp))
    guard ticks >= 0, ticks < 1 << 17 else { return 0 }
    let mediaNs = stream.clockRate > 0 ? ticks &* 1_000_000_000 / Int64(stream.clockRate) : 20_000_000
    let stepNs = stream.lastNs &- packet.timeNs &+ min(mediaNs, Self.longestPacketNs)
    offsetNs &+= stepNs
    lastStepNs = stepNs
    latestNs = packet.timeNs &+ stepNs
    toWatch = Self.watched
    steps += 1
    farthestNs = max(farthestNs, stepNs)
    return stepNs
  }

  /// What happened, for a person; nil where nothing did.
  var note: String? {
    guard steps > 0 else { return nil }
    let times = steps == 1 ? "once, by" : "\(steps) times, by up to"
    return
      "the capturing host's clock was set back \(times) \(PacketOrder.text(farthestNs)): what follows is read as if it had not been, for its packets go on where they had stopped"
  }
}

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
