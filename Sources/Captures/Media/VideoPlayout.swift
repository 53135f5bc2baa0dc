/// Plays a video stream as a receiver would: puts frames together, decides when each is shown, and keeps what was seen.
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
  private var isRested = false
  /// What was seen, as far as it is settled.
  private(set) var screen = Screen()

  var received: Int { assembly.received }

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
    for frame in out { show(frame) }
  }

  /// Takes a retransmission.
  mutating func takeRepeat(_ packet: RTPPacket) {
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
    leastTransitMs = min(leastTransitMs, transit)
    newestLatenessMs = transit - leastTransitMs
    lastPacketNs = timeNs
  }

  /// Notes a request for a key frame by the receiver.
  mutating func asked(at timeNs: Int64) {
    assembly.asked(at: timeNs, roundTripMs: roundTripMs)
    screen.keyFrameAsked(atMs: ms(timeNs))
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

  /// The receiver had packets that were not captured: frames go on after them, and none was late for want of them.
  mutating func passHole(at timeNs: Int64) {
    guard !assembly.isStuck(at: timeNs) else { return }
    assembly.restart()
    isRested = true
  }

  /// Nothing was to be sent up to now: that nothing was shown is no freeze.
  mutating func rest() { isRested = true }

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
  mutating func settle(upTo timeNs: Int64) { screen.settle(upTo: ms(timeNs)) }

  private func ms(_ timeNs: Int64) -> Double { Double(timeNs &- startNs) / 1e6 }

  /// Shows a frame that became decodable.
  private mutating func show(_ frame: VideoAssembly.Decoded) {
    let arrival = PictureTiming.Arrival(
      mediaMs: Double(frame.at) / rate * 1000, cameMs: ms(frame.lastNs), bytes: Double(frame.bytes),
      isRepaired: frame.isRepaired)
    let shown = timing.show(arrival, readyMs: ms(frame.readyNs), roundTripMs: roundTripMs)
    screen.show(
      .init(
        shownMs: shown, delayMs: max(0, shown - ms(frame.firstNs)), wantedMs: timing.wantedMs,
        isGuessed: frame.isGuessed, isRested: isRested))
    isRested = false
  }
}
