import CallModel

/// Estimates when the first packet of a stream arrived, from the first report that counts any.
enum FirstMedia {
  /// Audio per packet if the source does not say, ms.
  static let packetMs = 20.0

  /// Milliseconds since the Unix epoch.
  ///
  /// Audio packets arrive at a steady pace, so the time of the last packet less the duration of those before it
  /// (including lost ones) is accurate to about a millisecond. `totalSamplesDuration` bounds it from below: playout
  /// never starts after the first packet. Video has no steady pace; its first frame is the best available estimate.
  ///
  /// - Parameters:
  ///   - sample: the first report with packets.
  ///   - previous: time of the report before it, which had none.
  static func time(_ sample: SampleView, kind: MediaKind, previous: Double?) -> Double {
    var bound = previous ?? -.infinity
    if let played = sample[.totalSamplesDurationMs], played >= 0 {
      bound = max(bound, sample.timeMs - played)
    }
    let last = LastPacket.first(sample, previous: previous) ?? sample.timeMs
    var guess: Double?
    switch kind {
    case .audio:
      if let packets = sample[.packets] ?? sample[.expected], packets >= 1 {
        guess = last - (packets + max(0, sample[.lost] ?? 0) - 1) * packetMs
      }
    case .video:
      if let span = sample[.interFrameDelayMs] { guess = last - span }
    }
    return min(sample.timeMs, max(bound, guess ?? (bound.isFinite ? bound : sample.timeMs)))
  }

  /// Whether a report counts any media.
  static func has(_ sample: SampleView) -> Bool {
    for metric: Metric in [.packets, .expected] {
      if let count = sample[metric] { return count > 0 }
    }
    for metric: Metric in [.totalSamples, .frames, .framesReceived, .bytes] {
      if let count = sample[metric], count > 0 { return true }
    }
    return false
  }
}

extension SampleView {
  /// By how many packets, or bytes if packets are not counted, it has grown; never negative.
  func grown(after earlier: SampleView) -> Double {
    let metric: Metric = self[.packets] == nil ? .bytes : .packets
    return max(0, (self[metric] ?? 0) - (earlier[metric] ?? 0))
  }
}

/// Follows when the last packet of a stream arrived, as far as reports show on their own clock.
struct LastPacket {
  /// Maximum time before a first report at which its last packet is accepted, ms, because no earlier report bounds it.
  private static let longestMs = 2000.0

  /// Milliseconds since the Unix epoch; nil if unknown.
  private(set) var timeMs: Double?

  /// Takes the first report that counts packets.
  mutating func begin(_ sample: SampleView, previous: Double?) {
    timeMs = Self.first(sample, previous: previous)
  }

  /// The time of the last packet according to the first report with packets.
  static func first(_ sample: SampleView, previous: Double?) -> Double? {
    sample.lastPacketTime(after: previous ?? sample.timeMs - longestMs)
  }

  /// Takes the next report. If nothing, or only repair packets, arrived, the time stays unchanged.
  mutating func add(_ sample: SampleView, after earlier: SampleView) {
    if let before = earlier[.packets], let now = sample[.packets], now <= before { return }
    if let time = sample.lastPacketTime(after: earlier.timeMs) {
      timeMs = time
    } else if sample[.lastPacketMs] != earlier[.lastPacketMs] {
      timeMs = nil
    }
  }

  /// Discards the time after a counter was reset.
  mutating func forget() { timeMs = nil }
}

/// Learns how much audio a packet contains from the packet rate while it is steady: 20 ms or more.
struct PacketPace {
  /// Packet times in use (RFC 7587, RFC 3551), ms.
  private static let usual = [10.0, 20, 30, 40, 60, 80, 100, 120]
  /// Maximum relative deviation of a steady rate from one of them.
  private static let tolerance = 0.06
  /// Length of an observation, ms, and the number of consecutive ones that must agree: DTX lowers the rate, but
  /// unevenly.
  private static let lookMs = 2000.0
  private static let looks = 3

  /// Audio per packet, ms.
  private(set) var packetMs = FirstMedia.packetMs

  private var time = 0.0
  private var packets = 0.0
  private var candidate: (ms: Double, times: Int)?

  /// Takes the next segment.
  mutating func learn(_ segment: Segment) {
    guard segment.hadPackets == true, let came = segment.growth[.packets] ?? segment.growth[.expected] else {
      (time, packets, candidate) = (0, 0, nil)
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
      candidate = nil
      return
    }
    let times = candidate?.ms == ms ? (candidate?.times ?? 0) + 1 : 1
    candidate = (ms, times)
    // A rate higher than that of 20 ms packets is as often due to duplicates.
    if times >= Self.looks { packetMs = max(FirstMedia.packetMs, ms) }
  }
}

/// Follows the time from a video stream's first packet to its first frame, if its first report had none.
struct PictureWait {
  /// Until when no frame had arrived; nil before the first packet and after the first frame.
  private var untilMs: Double?

  mutating func begin(at timeMs: Double) { untilMs = timeMs }

  /// Takes the next segment; returns the period up to its end, or to its first frame, in which no frame had arrived.
  mutating func add(_ segment: Segment) -> (from: Double, to: Double)? {
    guard let from = untilMs, let moved = segment.hadFrames else { return nil }
    let to = moved ? segment.from : segment.to
    untilMs = moved ? nil : to
    return to > from ? (from, to) : nil
  }
}
