import Packets

/// The arithmetic of TShark 4.0 `-z rtp,streams`, with its faults, so that people can compare.
///
/// One instance is one line of its table: a pair of transport addresses and an SSRC. Not our truth: a late or repeated
/// packet makes its loss negative, a restarted sender counts as loss, marked packets are left out of its jitter.
struct WiresharkFigures {
  private var first: UInt32 = 0
  private var start: UInt16 = 0
  private var stop: UInt16 = 0
  private var cycles = 0
  private var under = false
  private var lastType: UInt8 = 0
  private var lastMs = 0.0
  private var reference: UInt32 = 0
  private var jitter = 0.0
  /// Packets, duplicates included.
  private(set) var packets = 0
  /// Means and maximum over the packets it calls regular, ms; meaningful where `hasJitter`.
  private(set) var meanJitterMs = 0.0
  private(set) var maxJitterMs = 0.0
  private(set) var hasJitter = false

  /// Expected minus received, with the last packet taken for the highest; may be negative.
  var lost: Int { packets == 0 ? 0 : Int(stop) + 65_536 * cycles - Int(start) + 1 - packets }

  /// Takes a packet; `ms` counts from the first packet of the capture, `clockRate` is 0 where TShark knows none.
  @inline(__always)
  mutating func take(_ packet: RTPPacket, ms: Double, clockRate: Int) {
    defer {
      lastType = packet.payloadType
      stop = packet.sequence
    }
    packets &+= 1
    guard packets > 1 else {
      first = packet.timestamp
      reference = packet.timestamp
      start = packet.sequence
      lastMs = ms
      return
    }
    let inSequence = packet.timestamp &- first < 0x8000_0000
    if packet.sequence < start && inSequence && !under {
      cycles += 1
      under = true
    } else if packet.sequence == 0 && stop == 65_535 && !under {
      cycles += 1
      under = true
    } else if packet.sequence > start && inSequence && under {
      under = false
    }
    let perMs = clockRate / 1000  // integer division is TShark's, 44100 becomes 44
    if inSequence && perMs > 0 {
      let nominal = Double(Int32(bitPattern: packet.timestamp &- reference)) / Double(perMs)
      let difference = abs(ms - (lastMs + nominal))
      jitter = (15 * jitter + difference) / 16
      reference = packet.timestamp
    }
    if inSequence { lastMs = ms }
    let regular =
      inSequence && !packet.marker && !PayloadFormat.isComfortNoise(packet.payloadType)
      && !PayloadFormat.isComfortNoise(lastType)
    if regular && perMs > 0 {
      // Skipped packets count in the divisor: the mean so far stands in for them.
      meanJitterMs = (meanJitterMs * Double(packets - 2) + jitter) / Double(packets - 1)
      maxJitterMs = hasJitter ? max(maxJitterMs, jitter) : jitter
      hasJitter = true
    }
  }

  /// Whether TShark counts a packet: by heuristics it wants padding that makes sense, under SDP it does not look; one whose padding
  /// was cut off it shows and leaves out of its table.
  static func counts(_ packet: RTPPacket, isDescribed: Bool) -> Bool {
    !packet.paddingIsCut && (isDescribed || packet.paddingIsSane)
  }

  /// The clock that TShark 4.0 would use: the static table, else what SDP said, else none.
  static func clockRate(_ type: UInt8, _ described: DescribedType) -> Int {
    if type < 96 { return PayloadFormat.assignedClock(type) }
    return described.isTelephoneEvent ? 0 : described.clockRate
  }
}

/// What passed of a stream on one pair of addresses.
final class TupleFigures {
  let source: Endpoint
  let destination: Endpoint
  /// When its first packet came.
  let firstNs: Int64
  /// TShark's figures of it.
  @exclusivity(unchecked) var wireshark = WiresharkFigures()
  /// Packets of it when it was asked last where the stream passes.
  var packetsSeen = 0

  init(source: Endpoint, destination: Endpoint, firstNs: Int64) {
    (self.source, self.destination, self.firstNs) = (source, destination, firstNs)
  }
}
