import Packets

/// Emulates the playout of a video stream: assembles frames, decides when each is displayed, and records the result.
public struct VideoPlayout {
  private let rate: Double
  private var assembly = VideoAssembly()
  private let startNs: Int64
  /// Round-trip time to the sender, as last measured; 0 if unknown.
  public var roundTripMs: Double
  private var newest: Int64 = 0
  private var lastTimestamp: UInt32
  private var timing = FrameTiming()
  /// Minimum transit so far (arrival minus media time), ms.
  private var minTransitMs = Double.infinity
  /// Delay of the newest packet relative to the fastest, ms, and its arrival; retransmissions count, as in libwebrtc.
  public private(set) var newestLatenessMs = 0.0
  public private(set) var lastPacketNs: Int64 = 0
  private var isRested = false
  /// What was displayed, as far as it is final.
  public private(set) var screen = FreezeDetector()

  public var received: Int { assembly.received }

  public init(rate: Int, first packet: RTPPacket, roundTripMs: Double) {
    self.roundTripMs = roundTripMs
    self.rate = Double(rate)
    startNs = packet.timeNs
    lastTimestamp = packet.timestamp
  }

  /// Adds a packet of the stream with its extended sequence number.
  public mutating func take(_ packet: RTPPacket, number: Int64) {
    let at = unwrap(packet.timestamp, moves: true)
    noteArrival(at, packet.timeNs)
    var out: [VideoAssembly.Decoded] = []
    assembly.take(
      number: number, at: at, marker: packet.marker, bytes: packet.payloadLength, timeNs: packet.timeNs
    ) { out.append($0) }
    for frame in out { show(frame) }
  }

  /// Adds a retransmission.
  public mutating func takeRepeat(_ packet: RTPPacket) {
    let at = unwrap(packet.timestamp, moves: false)
    noteArrival(at, packet.timeNs)
    var out: [VideoAssembly.Decoded] = []
    assembly.takeRepeat(number: packet.sequence, at: at, marker: packet.marker, timeNs: packet.timeNs) {
      out.append($0)
    }
    for frame in out { show(frame) }
  }

  private mutating func noteArrival(_ at: Int64, _ timeNs: Int64) {
    let transit = ms(timeNs) - Double(at) / rate * 1000
    minTransitMs = min(minTransitMs, transit)
    newestLatenessMs = transit - minTransitMs
    lastPacketNs = timeNs
  }

  /// Records a key frame request of the receiver.
  public mutating func asked(at timeNs: Int64) {
    assembly.asked(at: timeNs, roundTripMs: roundTripMs)
    screen.keyFrameAsked(atMs: ms(timeNs))
  }

  /// Records a request for retransmission by the receiver.
  public mutating func nacked(at timeNs: Int64) {
    assembly.nacked(at: timeNs, roundTripMs: roundTripMs)
  }

  /// Target delay of video, ms.
  public var wantedMs: Double { timing.wantedMs }

  /// Minimum delay for lip-sync, ms.
  public var minDelayMs: Double {
    get { timing.minMs }
    set { timing.minMs = newValue }
  }

  public mutating func restart(_ packet: RTPPacket) {
    assembly.restart()
    lastTimestamp = packet.timestamp
    minTransitMs = .infinity
    timing = FrameTiming()
  }

  /// The receiver had packets that were not captured: frames continue after them, and none was delayed by them.
  public mutating func passHole(at timeNs: Int64) {
    guard !assembly.isStuck(at: timeNs) else { return }
    assembly.restart()
    isRested = true
  }

  /// Nothing was meant to be sent up to now: displaying nothing is no freeze.
  public mutating func rest() { isRested = true }

  private mutating func unwrap(_ timestamp: UInt32, moves: Bool) -> Int64 {
    let jump = Int64(Int32(bitPattern: timestamp &- lastTimestamp))
    let at = newest + jump
    if moves && jump > 0 {
      newest = at
      lastTimestamp = timestamp
    }
    return at
  }

  /// Finally counts what was displayed up to a time.
  public mutating func settle(upTo timeNs: Int64) { screen.settle(upTo: ms(timeNs)) }

  private func ms(_ timeNs: Int64) -> Double { Double(timeNs &- startNs) / 1e6 }

  /// Displays a frame that became decodable.
  private mutating func show(_ frame: VideoAssembly.Decoded) {
    let arrival = FrameTiming.Arrival(
      mediaMs: Double(frame.at) / rate * 1000, arrivedMs: ms(frame.lastNs), bytes: Double(frame.bytes),
      isRepaired: frame.isRepaired)
    let shown = timing.show(arrival, readyMs: ms(frame.readyNs), roundTripMs: roundTripMs)
    screen.show(
      .init(
        shownMs: shown, delayMs: max(0, shown - ms(frame.firstNs)), wantedMs: timing.wantedMs,
        isGuessed: frame.isGuessed, isRested: isRested))
    isRested = false
  }
}

/// When a receiver displays a decodable frame (libwebrtc `timing.cc`, `video_stream_buffer_controller.cc`).
struct FrameTiming {
  /// A completely received frame.
  struct Arrival {
    var mediaMs: Double
    /// When its last packet arrived.
    var arrivedMs: Double
    var bytes: Double
    /// Whether some of it was retransmitted.
    var isRepaired: Bool
  }

  private var clock = MediaClock()
  private var jitter = FrameJitter()
  private var jitterMs = 0.0
  private var currentMs = 0.0
  private var previous: Arrival?
  private var lastShownMs = -Double.infinity
  /// Minimum delay for lip-sync, ms.
  var minMs = 0.0

  // Decoding time is unknown from packets.
  private static let maxMs = 10_000.0

  /// Target delay of video, ms.
  var wantedMs: Double { min(Self.maxMs, max(minMs, jitterMs)) }

  /// When a frame is rendered, ms, given its arrival and when it could be decoded.
  mutating func show(_ frame: Arrival, readyMs: Double, roundTripMs: Double) -> Double {
    if !frame.isRepaired { clock.take(mediaMs: frame.mediaMs, arrivalMs: frame.arrivedMs) }
    let expected = clock.arrivalMs(of: frame.mediaMs) ?? frame.arrivedMs
    let due = expected + min(Self.maxMs, max(minMs, currentMs))
    let soonest = max(readyMs, lastShownMs)
    // An erroneous clock does not delay video.
    let shown = due - soonest > Self.maxMs ? soonest : max(soonest, due)
    lastShownMs = shown
    if frame.isRepaired {
      jitter.takeRepaired(atMs: shown)
    } else {
      learn(frame, roundTripMs, due: due, shownMs: shown)
    }
    return shown
  }

  private mutating func learn(_ frame: Arrival, _ roundTripMs: Double, due: Double, shownMs: Double) {
    if let last = previous, frame.mediaMs > last.mediaMs {
      jitter.take(
        delayMs: frame.arrivedMs - last.arrivedMs - (frame.mediaMs - last.mediaMs), bytes: frame.bytes,
        atMs: shownMs)
    }
    if previous.map({ frame.mediaMs > $0.mediaMs }) ?? true { previous = frame }
    jitterMs = jitter.ms(atMs: shownMs, roundTripMs: roundTripMs)
    if currentMs == 0 { currentMs = jitterMs }
    // A late frame increases the delay of those after it, as long as that is within the target.
    if shownMs >= due { currentMs = min(wantedMs, currentMs + shownMs - due) }
  }
}

/// The expected arrival of a media time: a line through arrivals over media time (libwebrtc
/// `timestamp_extrapolator.cc`).
///
/// Recursive least squares, and a cumulative sum of deviations that detects changes of the path's delay.
struct MediaClock {
  private var rate = 1.0
  private var offset = 0.0
  private var covariance = (aa: 1.0, ab: 0.0, bb: 1e10)
  private var newest = -Double.infinity
  private var first: (mediaMs: Double, arrivalMs: Double)?
  private var count = 0
  private var later = 0.0
  private var earlier = 0.0

  /// The most that a deviation counts, and the drift subtracted from it, ms; the sum raises the alarm.
  private static let maxMs = 7000.0 / 90
  private static let driftMs = 6600.0 / 90
  private static let alarmMs = 60_000.0 / 90

  /// Adds an arrival; reordered media is left out.
  mutating func take(mediaMs: Double, arrivalMs: Double) {
    let first = self.first ?? (mediaMs, arrivalMs)
    self.first = first
    let media = mediaMs - first.mediaMs
    let arrival = arrivalMs - first.arrivalMs
    // Media time is predicted from arrival time, as in libwebrtc.
    let error = media - (rate * arrival + offset)
    if noticesChange(error), count >= 2 { covariance.bb = 1e10 }
    guard mediaMs >= newest else { return }
    newest = mediaMs
    let a = covariance.aa * arrival + covariance.ab
    let b = covariance.ab * arrival + covariance.bb
    let total = 1 + arrival * a + b
    rate += a / total * error
    offset += b / total * error
    covariance.aa -= a * a / total
    covariance.ab -= a * b / total
    covariance.bb -= b * b / total
    count += 1
  }

  /// When a media time is expected to arrive; nil before anything is known.
  func arrivalMs(of mediaMs: Double) -> Double? {
    guard let first, count > 0 else { return nil }
    guard count > 1, rate > 0.1 else { return first.arrivalMs + mediaMs - first.mediaMs }
    return first.arrivalMs + (mediaMs - first.mediaMs - offset) / rate
  }

  private mutating func noticesChange(_ error: Double) -> Bool {
    let error = max(-Self.maxMs, min(Self.maxMs, error))
    later = max(0, later + error - Self.driftMs)
    earlier = min(0, earlier + error + Self.driftMs)
    guard later > Self.alarmMs || earlier < -Self.alarmMs else { return false }
    (later, earlier) = (0, 0)
    return true
  }
}
