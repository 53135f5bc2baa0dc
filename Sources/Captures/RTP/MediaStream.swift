import CallModel

/// One RTP stream: an SSRC from one sender to one receiver, followed over changes of address.
final class MediaStream {
  /// What the SSRC carries.
  enum Role: Equatable {
    case media
    /// Retransmissions (RFC 4588) or forward error correction of another SSRC.
    case repair
    /// Nothing but padding so far.
    case probing
  }

  let ssrc: UInt32
  /// Number within the source.
  let number: Int
  /// The path it belongs to and the end that sends it.
  let path: Path
  let sender: Int
  /// Last flow it was seen on, and which way.
  var source: Endpoint
  var destination: Endpoint
  var role = Role.probing
  /// The stream whose packets this one repeats.
  weak var repairs: MediaStream?

  /// The stream that repeats packets of this one.
  weak var repairedBy: MediaStream?
  /// Samples that wait until it is known which end is local.
  var held: [Sample] = []
  static let mostHeld = 10

  // What it carries.
  var mainType: UInt8?
  var format: PayloadFormat?
  var kind: MediaKind?
  var clockRate = 0
  var clockGuessed = false
  private var guess = ClockGuess()
  private var guessing = true
  /// Packets met before the clock was known, to be measured once it is.
  private var waiting: [RTPPacket] = []

  // Figures.
  var sequence = SequenceState()
  var jitter = JitterMeter()
  var frameJitter = JitterMeter()
  var losses = LossRuns()
  var figures: [TupleFigures] = []
  var firstNs: Int64 = 0
  var lastNs: Int64 = 0
  var maxDeltaNs: Int64 = 0
  var payloadBytes = 0
  var headerBytes = 0
  var probes = 0
  var captureDuplicates = 0
  private var recent = RecentPackets()
  private var lastFrameTimestamp: UInt32?
  /// Timestamp and time of the newest packet in order.
  private(set) var newestTimestamp: UInt32 = 0
  private(set) var newestNs: Int64 = 0

  /// Most packets kept while the clock is unknown.
  private static let mostWaiting = 256

  init(ssrc: UInt32, number: Int, source: Endpoint, destination: Endpoint, path: Path, sender: Int) {
    self.path = path
    self.sender = sender
    self.ssrc = ssrc
    self.number = number
    self.source = source
    self.destination = destination
  }

  /// Whether its packets have times that mean something.
  var hasTiming: Bool { clockRate > 0 }

  /// Takes a packet. `described` is the format that SDP gives its payload type; `interrupted` says that the sender sent
  /// something else on the flow meanwhile (fax), so that numbers it skipped are no loss.
  func take(_ packet: RTPPacket, described: PayloadFormat?, interrupted: Bool) {
    if sequence.expected == 0 {
      firstNs = packet.timeNs
      lastNs = packet.timeNs
      newestNs = packet.timeNs
      newestTimestamp = packet.timestamp
    }
    let isEvent = isTelephoneEvent(packet, described)
    if mainType == nil && !isEvent && !PayloadFormat.isComfortNoise(packet.payloadType) {
      settle(on: packet, described)
    }
    if recent.isCaptureDuplicate(packet) {
      captureDuplicates += 1
      return
    }
    let delta = Int(Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest)))
    if delta > 800 || delta < -SequenceState.maxMisorder { losses.settle(sequence) }
    let verdict = sequence.take(
      packet.sequence, plausible: delta >= SequenceState.maxDropout && agreesWithClock(packet, delta),
      restart: delta > 50 && (interrupted || wasRenegotiated(packet)))
    if verdict == .duplicate || verdict == .doubtful { return }
    maxDeltaNs = max(maxDeltaNs, packet.timeNs &- lastNs)
    lastNs = packet.timeNs
    let padding = packet.padded && looksLikePadding(packet)
    if padding {
      probes &+= 1
      headerBytes &+= packet.headerLength &+ packet.payloadLength
    } else {
      payloadBytes &+= packet.payloadLength
      headerBytes &+= packet.headerLength
      if role == .probing {
        role = .media
        if path[sender].firstMediaNs == nil { path[sender].firstMediaNs = packet.timeNs }
      }
    }
    losses.take(verdict, sequence)
    if isEvent || padding || PayloadFormat.isComfortNoise(packet.payloadType) { return }
    if guessing { return wait(packet, verdict) }
    measure(packet, verdict)
  }

  /// Notes that its sender reported on what it receives.
  func reported(at timeNs: Int64) {}

  /// Decides what it can at the end of the capture.
  func finish() {
    if guessing { decide(final: true) }
    losses.finish(sequence)
  }

  private func settle(on packet: RTPPacket, _ described: PayloadFormat?) {
    mainType = packet.payloadType
    if let known = described ?? PayloadFormat.assigned(packet.payloadType) {
      format = known
      kind = known.kind
      clockRate = known.clockRate
      guessing = false
      decide(final: false)
    }
  }

  /// A key press rather than sound: said by SDP, or four bytes of a dynamic type beside another one.
  private func isTelephoneEvent(_ packet: RTPPacket, _ described: PayloadFormat?) -> Bool {
    if let described { return described.isTelephoneEvent }
    return packet.payloadType >= 96 && packet.payloadLength == 4
  }

  /// Whether a pause of over two seconds ends with a new description: hold or fax, not loss.
  private func wasRenegotiated(_ packet: RTPPacket) -> Bool {
    guard let described = path.describedNs else { return false }
    return packet.timeNs &- lastNs > 2_000_000_000 && described > lastNs
      && packet.timeNs &- described < 1_500_000_000
  }

  /// Padding alone cannot be told under SRTP by its count byte; probes carry the P bit and nothing else does in practice.
  private func looksLikePadding(_ packet: RTPPacket) -> Bool { packet.payloadLength <= 271 }

  /// Whether a long jump of sequence numbers took the time it should have: then it is loss, not a restart.
  private func agreesWithClock(_ packet: RTPPacket, _ delta: Int) -> Bool {
    guard clockRate > 0, sequence.unique > 100 else { return false }
    let elapsed = Double(packet.timeNs &- newestNs) / 1e9
    let media = Double(packet.timestamp &- newestTimestamp) / Double(clockRate)
    let rate = Double(sequence.unique) / max(0.1, Double(newestNs &- firstNs) / 1e9)
    return elapsed > 1 && abs(media - elapsed) < 0.2 * elapsed + 0.5 && Double(delta) < 4 * rate * elapsed
  }

  private func wait(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    if case .advanced = verdict { guess.take(timeNs: packet.timeNs, timestamp: packet.timestamp) }
    waiting.append(packet)
    if guess.spanMs >= 2000 && guess.packets >= 10 || waiting.count >= Self.mostWaiting {
      decide(final: false)
    }
  }

  private func decide(final: Bool) {
    if guessing {
      let patient = !final && waiting.count < Self.mostWaiting
      guard let clock = guess.clock(tolerance: patient ? 0.1 : 0.3) else {
        if patient { return }
        guessing = false
        waiting = []
        return
      }
      clockRate = clock
      clockGuessed = true
      kind = clock == 90_000 ? .video : .audio
      guessing = false
    }
    let held = waiting
    waiting = []
    for packet in held { measure(packet, .advanced(gap: 0)) }
  }

  /// What needs the clock: jitter and playout.
  @inline(__always)
  private func measure(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    if verdict == .restarted {
      jitter.rebase()
      frameJitter.rebase()
    }
    if Int32(bitPattern: packet.timestamp &- newestTimestamp) >= 0 {
      newestTimestamp = packet.timestamp
      newestNs = packet.timeNs
    }
    guard clockRate > 0 else { return }
    let msPerTick = 1000 / Double(clockRate)
    jitter.take(timeNs: packet.timeNs, timestamp: packet.timestamp, msPerTick: msPerTick)
    if kind == .video && packet.timestamp != lastFrameTimestamp && verdict != .reordered {
      frameJitter.take(timeNs: packet.timeNs, timestamp: packet.timestamp, msPerTick: msPerTick)
      lastFrameTimestamp = packet.timestamp
    }
  }
}
