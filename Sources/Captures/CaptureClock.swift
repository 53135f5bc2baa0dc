import Packets

/// Corrects for a capturing host whose clock is set back during a capture, by NTP or by hand.
///
/// The times in the file then go back while traffic goes on: the next packet of a stream has an earlier time
/// than the one before. In captures that were concatenated, the sequence numbers do not continue. After such
/// a step, times are read as if the clock had not been set.
struct CaptureClock {
  /// Smaller steps are absorbed by the jitter buffer, ns.
  static let minNs: Int64 = 300_000_000
  /// The number of packets after a step in which the former time must not occur again, as it does if two
  /// clocks alternate; and the maximum number of steps.
  private static let watched = 200
  private static let maxSteps = 16
  /// The maximum media time between two packets, ns.
  private static let longestPacketNs: Int64 = 200_000_000
  /// The maximum offset, 18 years, ns: times of files are at most 2^33 s, so that corrected ones and their differences
  /// do not overflow.
  private static let maxOffsetNs: Int64 = 570_000_000_000_000_000

  /// The offset added to the times of the file.
  private(set) var offsetNs: Int64 = 0
  private var lastStepNs: Int64 = 0
  private var latestNs: Int64 = .min
  private var toWatch = 0
  private var isTrusted = true
  private(set) var steps = 0
  private(set) var farthestNs: Int64 = 0

  /// The time of a packet as if the clock had not been set.
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
    // The clock was not set: packets of two clocks alternate.
    offsetNs &-= lastStepNs
    steps -= 1
    (isTrusted, toWatch) = (false, 0)
    return fileNs &+ offsetNs
  }

  /// Checks a packet that has an earlier time than its stream but may still be the next one. Returns by how
  /// much the clock was set back, in ns; 0 if it was not.
  mutating func step(_ packet: RTPPacket, after stream: MediaStream) -> Int64 {
    guard isTrusted, toWatch == 0, steps < Self.maxSteps, stream.sequence.expected > 0,
      packet.sequence == UInt16(truncatingIfNeeded: stream.sequence.highest &+ 1)
    else { return 0 }
    let ticks = Int64(Int32(bitPattern: packet.timestamp &- stream.newestTimestamp))
    guard ticks >= 0, ticks < 1 << 17 else { return 0 }
    let mediaNs = stream.clockRate > 0 ? ticks &* 1_000_000_000 / Int64(stream.clockRate) : 20_000_000
    let stepNs = stream.lastNs &- packet.timeNs &+ min(mediaNs, Self.longestPacketNs)
    let (offset, overflows) = offsetNs.addingReportingOverflow(stepNs)
    guard !overflows, (0...Self.maxOffsetNs).contains(offset) else { return 0 }
    offsetNs = offset
    lastStepNs = stepNs
    latestNs = packet.timeNs &+ stepNs
    toWatch = Self.watched
    steps += 1
    farthestNs = max(farthestNs, stepNs)
    return stepNs
  }

  /// A note for the user; nil if the clock was not set back.
  var note: String? {
    guard steps > 0 else { return nil }
    let times = steps == 1 ? "once, by" : "\(steps) times, by up to"
    return
      "the capturing host's clock was set back \(times) \(PacketOrder.text(farthestNs)): what follows is read as if it had not been, for its packets go on where they had stopped"
  }
}

/// Whether the packets of a capture are in chronological order. Concatenated captures are not.
struct PacketOrder {
  private var newestNs = Int64.min
  private var isBack = false
  private(set) var stepsBack = 0
  private var farthestNs: Int64 = 0
  private var farthestBeforeNs: Int64 = 0

  /// Several queues of a network card, or several interfaces, reorder packets by less than this, ns.
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

  /// Cancels the current step, because the clock was set back and times are now read as if it had not been.
  mutating func wasClock() {
    guard isBack else { return }
    isBack = false
    stepsBack -= 1
    farthestNs = farthestBeforeNs
  }

  /// The largest step, for display.
  var farthestText: String { Self.text(farthestNs) }

  static func text(_ ns: Int64) -> String {
    ns < 1_000_000_000 ? "\(ns / 1_000_000) ms" : "\(ns / 1_000_000_000) s"
  }
}
