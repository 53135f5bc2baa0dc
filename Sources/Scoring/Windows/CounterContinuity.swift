import CallModel

/// Decides whether counters cover the time between two reports, however long, or nothing counted during it: the machine
/// slept, the stream was not reported, or the clock was set.
struct CounterContinuity {
  /// Maximum time between two reports that counts as covered regardless of the counters, ms.
  static let longestMs = 30_000.0
  /// Maximum time that counts as covered if the counters continued, ms: twice the longest usual telemetry period of a
  /// minute, plus a margin.
  static let longestCountedMs = 150_000.0

  /// A time between reports is unusual if it is at least this long, and longer than its predecessor by this factor.
  private static let unusualMs = 5000.0
  private static let unusualFactor = 5.0
  /// Minimum share of the usual packets that must have arrived.
  private static let share = 0.5
  /// Minimum frame rate of moving video if nothing usual is known, frames per second.
  private static let frameRate = 2.0

  /// Length of the previous segment, ms, and its packets per millisecond.
  private var usual: (lengthMs: Double, packetsPerMs: Double)?

  /// Takes the next segment; returns whether it was covered.
  mutating func covers(_ segment: Segment, kind: MediaKind?) -> Bool {
    let length = segment.to - segment.from
    let packets = segment.growth[.packets] ?? segment.growth[.expected]
    let before = usual
    usual = (length, (packets ?? 0) / length)
    let isUnusual = before.map { length > max(Self.unusualMs, Self.unusualFactor * $0.lengthMs) } ?? false
    if length <= Self.longestMs, !isUnusual { return true }
    guard length <= Self.longestCountedMs else { return false }
    guard let packets else { return length <= Self.longestMs }
    let isGoingOn = before.map { packets >= Self.share * $0.packetsPerMs * length } ?? false
    return isGoingOn || fills(segment, packets: packets, kind: kind)
  }

  /// Whether enough arrived for the length of the segment, without comparing it with the previous one.
  private func fills(_ segment: Segment, packets: Double, kind: MediaKind?) -> Bool {
    let length = segment.to - segment.from
    switch kind {
    case .video: return (segment.growth[.frames] ?? 0) * 1000 >= Self.frameRate * length
    default: return packets * segment.packetMs >= Self.share * length
    }
  }
}
