import Packets

/// Plays a video stream as a receiver would: puts frames together, decides when each is shown, and keeps what was seen.
public struct VideoPlayout {
  private let rate: Double
  private var assembly = VideoAssembly()
  private let startNs: Int64
  /// From here to the sender and back, as last measured; 0 where nothing was.
  public var roundTripMs: Double
  private var newest: Int64 = 0
  private var lastTimestamp: UInt32
  private var timing = FrameTiming()
  /// Least transit so far (arrival less media time), ms.
  private var minTransitMs = Double.infinity
  /// How late the newest packet was against the fastest, ms, and when it came; repeated ones count, as they do in libwebrtc.
  public private(set) var newestLatenessMs = 0.0
  public private(set) var lastPacketNs: Int64 = 0
  private var isRested = false
  /// What was seen, as far as it is settled.
  public private(set) var screen = FreezeDetector()

  public var received: Int { assembly.received }

  public init(rate: Int, first packet: RTPPacket, roundTripMs: Double) {
    self.roundTripMs = roundTripMs
    self.rate = Double(rate)
    startNs = packet.timeNs
    lastTimestamp = packet.timestamp
  }

  /// Takes a packet of the stream with its extended number.
  public mutating func take(_ packet: RTPPacket, number: Int64) {
    let at = unwrap(packet.timestamp, moves: true)
    noteArrival(at, packet.timeNs)
    var out: [VideoAssembly.Decoded] = []
    assembly.take(
      number: number, at: at, marker: packet.marker, bytes: packet.payloadLength, timeNs: packet.timeNs
    ) { out.append($0) }
    for frame in out { show(frame) }
  }

  /// Takes a retransmission.
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

  /// Notes a request for a key frame by the receiver.
  public mutating func asked(at timeNs: Int64) {
    assembly.asked(at: timeNs, roundTripMs: roundTripMs)
    screen.keyFrameAsked(atMs: ms(timeNs))
  }

  /// Notes a request for lost packets by the receiver.
  public mutating func nacked(at timeNs: Int64) {
    assembly.nacked(at: timeNs, roundTripMs: roundTripMs)
  }

  /// How late pictures are wanted, ms.
  public var wantedMs: Double { timing.wantedMs }

  /// Least delay, so that the picture does not run ahead of sound, ms.
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

  /// The receiver had packets that were not captured: frames go on after them, and none was late for want of them.
  public mutating func passHole(at timeNs: Int64) {
    guard !assembly.isStuck(at: timeNs) else { return }
    assembly.restart()
    isRested = true
  }

  /// Nothing was to be sent up to now: that nothing was shown is no freeze.
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

  /// Counts for good what was shown up to a moment.
  public mutating func settle(upTo timeNs: Int64) { screen.settle(upTo: ms(timeNs)) }

  private func ms(_ timeNs: Int64) -> Double { Double(timeNs &- startNs) / 1e6 }

  /// Shows a frame that became decodable.
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

/// When a receiver shows a frame that it could decode (libwebrtc `timing.cc`, `video_stream_buffer_controller.cc`).
struct FrameTiming {
  /// A frame that came whole.
  struct Arrival {
    var mediaMs: Double
    /// When its last packet came.
    var arrivedMs: Double
    var bytes: Double
    /// Whether some of it had to be sent again.
    var isRepaired: Bool
  }

  private var clock = MediaClock()
  private var jitter = FrameJitter()
  private var jitterMs = 0.0
  private var currentMs = 0.0
  private var previous: Arrival?
  private var lastShownMs = -Double.infinity
  /// Least delay, so that the picture does not run ahead of sound, ms.
  var minMs = 0.0

  // What decoding takes is not known from packets.
  private static let maxMs = 10_000.0

  /// How late pictures are wanted, ms.
  var wantedMs: Double { min(Self.maxMs, max(minMs, jitterMs)) }

  /// When a frame is handed to the screen, ms: it came at one time and could be decoded at another.
  mutating func show(_ frame: Arrival, readyMs: Double, roundTripMs: Double) -> Double {
    if !frame.isRepaired { clock.take(mediaMs: frame.mediaMs, arrivalMs: frame.arrivedMs) }
    let expected = clock.arrivalMs(of: frame.mediaMs) ?? frame.arrivedMs
    let due = expected + min(Self.maxMs, max(minMs, currentMs))
    let soonest = max(readyMs, lastShownMs)
    // A clock that went wrong holds no picture back.
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
    // What was late makes those after it wait longer, as long as that is wanted.
    if shownMs >= due { currentMs = min(wantedMs, currentMs + shownMs - due) }
  }
}

/// When a moment of media usually arrives: a line through arrivals over media time (libwebrtc `timestamp_extrapolator.cc`).
///
/// Recursive least squares, and a sum of deviations that notices when the way has become longer or shorter.
struct MediaClock {
  private var rate = 1.0
  private var offset = 0.0
  private var covariance = (aa: 1.0, ab: 0.0, bb: 1e10)
  private var newest = -Double.infinity
  private var first: (mediaMs: Double, arrivalMs: Double)?
  private var count = 0
  private var later = 0.0
  private var earlier = 0.0

  /// Deviations count up to so much each, and only beyond the drift, ms; their sum raises the alarm.
  private static let maxMs = 7000.0 / 90
  private static let driftMs = 6600.0 / 90
  private static let alarmMs = 60_000.0 / 90

  /// Takes an arrival; media that was overtaken is left out.
  mutating func take(mediaMs: Double, arrivalMs: Double) {
    let first = self.first ?? (mediaMs, arrivalMs)
    self.first = first
    let media = mediaMs - first.mediaMs
    let arrival = arrivalMs - first.arrivalMs
    // Media time is predicted from arrival time, as libwebrtc does.
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

  /// When a moment of media is to be expected, nil before anything is known.
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
