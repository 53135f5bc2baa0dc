import CallModel

/// Tells a time between two reports that counters cover, however long it is, from one in which nobody counted: a machine
/// that slept, a stream that was not reported, a clock that was set.
struct CounterContinuity {
  /// Longest time between two reports that is filled in whatever they count, ms.
  static let longestMs = 30_000.0
  /// Longest that is filled in where counters went on: twice the longest usual period of telemetry, a minute, and some more.
  static let longestCountedMs = 150_000.0

  /// A time is longer than usual from this on, and by this factor, after the one before.
  private static let unusualMs = 5000.0
  private static let unusualFactor = 5.0
  /// Of what usually comes in such a time at least this share must have come.
  private static let share = 0.5
  /// Frames a second of a picture that is not at rest, where nothing usual is known.
  private static let frameRate = 2.0

  /// Length of the time before, ms, and packets in a millisecond of it.
  private var usual: (lengthMs: Double, packetsPerMs: Double)?

  /// Takes the next segment; says whether it was observed.
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

  /// Whether what came is enough for the time by itself.
  private func fills(_ segment: Segment, packets: Double, kind: MediaKind?) -> Bool {
    let length = segment.to - segment.from
    switch kind {
    case .video: return (segment.growth[.frames] ?? 0) * 1000 >= Self.frameRate * length
    default: return packets * segment.packetMs >= Self.share * length
    }
  }
}
