/// Shows frames as a receiver would, and counts freezes by the rule of W3C webrtc-stats.
struct VideoPlayout {
  private let rate: Double
  private var assembly = VideoAssembly()
  private let startNs: Int64
  /// From here to the sender and back, as last measured; 0 where nothing was.
  var roundTripMs: Double
  private var newest: Int64 = 0
  private var lastTimestamp: UInt32
  private var timing = PictureTiming()
  /// Least transit so far (arrival less media time), ms.
  private var leastTransitMs = Double.infinity
  /// How late the newest packet was against the fastest, ms, and when it came; repeated ones count, as they do in libwebrtc.
  private(set) var newestLatenessMs = 0.0
  private(set) var lastPacketNs: Int64 = 0
  private var lastShownMs: Double?
  private var intervals = InlineArray<30, Double>(repeating: 0)
  private var intervalCount = 0
  private var intervalSum = 0.0

  private(set) var frames = 0
  private(set) var freezeCount = 0
  private(set) var freezeMs = 0.0
  private(set) var pauseCount = 0
  private(set) var pauseMs = 0.0
  private(set) var delaySumMs = 0.0
  private(set) var wantedSumMs = 0.0
  private(set) var intervalMs = 0.0
  private(set) var squaredIntervalS2 = 0.0

  /// A longer interval is a pause (webrtc-stats).
  private static let pauseFromMs = 5000.0
  /// Intervals needed before a freeze can be told (libwebrtc).
  private static let fewest = 5

  var received: Int { assembly.received }
  var keyFrames: Int { assembly.keyFrames }

  init(rate: Int, first packet: RTPPacket, roundTripMs: Double) {
    self.roundTripMs = roundTripMs
    self.rate = Double(rate)
    startNs = packet.timeNs
    lastTimestamp = packet.timestamp
  }

  /// Takes a packet of the stream with its extended number.
  mutating func take(_ packet: RTPPacket, number: Int64) {
    let at = unwrap(packet.timestamp, moves: true)
    noteArrival(at, packet.timeNs)
    var out: [VideoAssembly.Decoded] = []
    assembly.take(
      number: number, at: at, marker: packet.marker, bytes: packet.payloadLength, timeNs: packet.timeNs
    ) { out.append($0) }
    for frame in out { show(frame, packet.timeNs) }
  }

  /// Takes a retransmission.
  mutating func takeRepeat(_ packet: RTPPacket) {
    let at = unwrap(packet.timestamp, moves: false)
    noteArrival(at, packet.timeNs)
    var out: [VideoAssembly.Decoded] = []
    assembly.takeRepeat(at: at, marker: packet.marker, timeNs: packet.timeNs) { out.append($0) }
    for frame in out { show(frame, packet.timeNs) }
  }

  private mutating func noteArrival(_ at: Int64, _ timeNs: Int64) {
    let transit = Double(timeNs &- startNs) / 1e6 - Double(at) / rate * 1000
    leastTransitMs = min(leastTransitMs, transit)
    newestLatenessMs = transit - leastTransitMs
    lastPacketNs = timeNs
  }

  /// Notes a request for a key frame by the receiver.
  mutating func asked(at timeNs: Int64) {
    assembly.asked(at: timeNs, roundTripMs: roundTripMs)
  }

  /// Notes a request for lost packets by the receiver.
  mutating func nacked(at timeNs: Int64) {
    assembly.nacked(at: timeNs, roundTripMs: roundTripMs)
  }

  /// How late pictures are wanted, ms.
  var wantedMs: Double { timing.wantedMs }

  /// Least delay, so that the picture does not run ahead of sound, ms.
  var leastDelayMs: Double {
    get { timing.leastMs }
    set { timing.leastMs = newValue }
  }

  mutating func restart(_ packet: RTPPacket) {
    assembly.restart()
    lastTimestamp = packet.timestamp
    leastTransitMs = .infinity
    timing = PictureTiming()
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

  /// Shows a frame that became decodable.
  private mutating func show(_ frame: VideoAssembly.Decoded, _ timeNs: Int64) {
    frames += 1
    let arrival = PictureTiming.Arrival(
      mediaMs: Double(frame.at) / rate * 1000, cameMs: Double(frame.lastNs &- startNs) / 1e6,
      bytes: Double(frame.bytes), isRepaired: frame.isRepaired)
    let shown = timing.show(
      arrival, readyMs: Double(timeNs &- startNs) / 1e6, roundTripMs: roundTripMs)
    delaySumMs += max(0, shown - Double(frame.firstNs &- startNs) / 1e6)
    wantedSumMs += timing.wantedMs
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
