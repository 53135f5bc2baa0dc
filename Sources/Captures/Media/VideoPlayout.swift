/// Shows frames as a receiver would, and counts freezes by the rule of W3C webrtc-stats.
struct VideoPlayout {
  private let rate: Double
  private var assembly = VideoAssembly()
  private let startNs: Int64
  private var newest: Int64 = 0
  private var lastTimestamp: UInt32
  /// Least transit so far (arrival less media time), ms.
  private var leastMs = Double.infinity
  private var leastAgedMs = 0.0
  /// The delay that hides jitter, ms.
  private var delayMs = 0.0
  private var lastShownMs: Double?
  private var intervals = InlineArray<30, Double>(repeating: 0)
  private var intervalCount = 0
  private var intervalSum = 0.0
  /// How late the last frame was against the fastest, ms.
  private var lastLatenessMs = 0.0

  private(set) var frames = 0
  private(set) var freezeCount = 0
  private(set) var freezeMs = 0.0
  private(set) var pauseCount = 0
  private(set) var pauseMs = 0.0
  private(set) var intervalMs = 0.0
  private(set) var squaredIntervalS2 = 0.0

  /// A longer interval is a pause (webrtc-stats).
  private static let pauseFromMs = 5000.0
  private static let mostDelayMs = 500.0
  /// Time without a picture from which it stalls.
  private static let stallMs = 1000.0
  /// Intervals needed before a freeze can be told (libwebrtc).
  private static let fewest = 5

  var received: Int { assembly.received }
  var keyFrames: Int { assembly.keyFrames }

  init(rate: Int, first packet: RTPPacket) {
    self.rate = Double(rate)
    startNs = packet.timeNs
    lastTimestamp = packet.timestamp
  }

  /// Takes a packet of the stream with its extended number.
  mutating func take(_ packet: RTPPacket, number: Int64) {
    let at = unwrap(packet.timestamp, moves: true)
    var out: [VideoAssembly.Decoded] = []
    assembly.take(
      number: number, at: at, marker: packet.marker, bytes: packet.payloadLength, timeNs: packet.timeNs
    ) { out.append($0) }
    for frame in out { show(frame, packet.timeNs) }
  }

  /// Takes a retransmission.
  mutating func takeRepeat(_ packet: RTPPacket) {
    let at = unwrap(packet.timestamp, moves: false)
    var out: [VideoAssembly.Decoded] = []
    assembly.takeRepeat(at: at, marker: packet.marker, timeNs: packet.timeNs) { out.append($0) }
    for frame in out { show(frame, packet.timeNs) }
  }

  /// Notes a request for a key frame by the receiver.
  mutating func asked(at timeNs: Int64, roundTripMs: Double) {
    assembly.asked(at: timeNs, roundTripMs: roundTripMs)
  }

  /// Notes a request for lost packets by the receiver.
  mutating func nacked(at timeNs: Int64, roundTripMs: Double) {
    assembly.nacked(at: timeNs, roundTripMs: roundTripMs)
  }

  /// How late pictures are shown, ms, which sound is held back to; to be asked once a second.
  mutating func delayOfSecond(at timeNs: Int64) -> Double {
    // While pictures flow their delay follows the sound's; only a stalling picture drags the sound with it.
    let stalled = lastShownMs.map { max(0, Double(timeNs &- startNs) / 1e6 - $0) } ?? 0
    return max(stalled, lastLatenessMs) >= Self.stallMs ? lastLatenessMs + stalled : 0
  }

  mutating func restart(_ packet: RTPPacket) {
    assembly.restart()
    lastTimestamp = packet.timestamp
    leastMs = .infinity
  }

  private mutating func unwrap(_ timestamp: UInt32, moves: Bool) -> Int64 {
    let jump = Int64(Int32(bitPattern: timestamp &- lastTimestamp))
    let at = newest + jump
    if moves && jump > 0 {
      newest = at
      lastTimestamp = timestamp
    }
    return at
  }

  /// Shows a frame that became decodable, at once or at the time that hides jitter.
  private mutating func show(_ frame: VideoAssembly.Decoded, _ timeNs: Int64) {
    frames += 1
    let now = Double(timeNs &- startNs) / 1e6
    let media = Double(frame.at) / rate * 1000
    let transit = now - media
    // The least transit may rise slowly, as clocks drift.
    leastMs = min(leastMs + 0.005, transit)
    let lateness = transit - leastMs
    // The buffer learns from late frames and slowly forgets, as libwebrtc's jitter estimate does.
    if lateness > delayMs {
      delayMs = min(Self.mostDelayMs, delayMs + (lateness - delayMs) / 10)
    } else {
      delayMs -= delayMs / 400
    }
    lastLatenessMs = lateness
    let shown = max(now, leastMs + media + delayMs, lastShownMs ?? -.infinity)
    if let last = lastShownMs { took(shown - last) }
    lastShownMs = shown
  }

  private mutating func took(_ ms: Double) {
    intervalMs += ms
    squaredIntervalS2 += ms * ms / 1e6
    let mean = intervalCount > 0 ? intervalSum / Double(min(intervalCount, 30)) : 0
    if ms > Self.pauseFromMs {
      pauseCount += 1
      pauseMs += ms
    } else if intervalCount >= Self.fewest && ms >= max(3 * mean, mean + 150) {
      freezeCount += 1
      freezeMs += ms
    }
    let slot = intervalCount % 30
    if intervalCount >= 30 { intervalSum -= intervals[slot] }
    intervals[slot] = ms
    intervalSum += ms
    intervalCount += 1
  }
}
