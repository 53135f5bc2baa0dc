import Packets

/// The arithmetic of TShark 4.0 `-z rtp,streams`, including its faults, for comparison.
///
/// One instance is one line of its table: a pair of transport addresses and an SSRC. These are not our own
/// figures: a late or repeated packet makes TShark's loss negative, a sender restart counts as loss, and
/// marked packets are left out of its jitter.
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
  /// Packets, including duplicates.
  private(set) var packets = 0
  /// Means and maximum over the packets that TShark considers regular, ms; valid if `hasJitter`.
  private(set) var meanJitterMs = 0.0
  private(set) var maxJitterMs = 0.0
  private(set) var hasJitter = false

  /// Expected minus received, with the last packet taken as the highest; may be negative.
  var lost: Int { packets == 0 ? 0 : Int(stop) + 65_536 * cycles - Int(start) + 1 - packets }

  /// Takes a packet; `ms` counts from the first packet of the capture, `clockRate` is 0 if TShark knows none.
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
    let perMs = clockRate / 1000  // integer division as in TShark: 44100 becomes 44
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
      // Skipped packets count in the divisor, with the mean so far as their value.
      meanJitterMs = (meanJitterMs * Double(packets - 2) + jitter) / Double(packets - 1)
      maxJitterMs = hasJitter ? max(maxJitterMs, jitter) : jitter
      hasJitter = true
    }
  }

  /// Whether TShark counts a packet. Heuristically detected RTP needs valid padding, RTP described by SDP
  /// does not. A packet with truncated padding is shown but left out of the table.
  static func counts(_ packet: RTPPacket, isDescribed: Bool) -> Bool {
    !packet.paddingIsCut && (isDescribed || packet.paddingIsSane)
  }

  /// The clock rate that TShark 4.0 would use: from the static table, else from SDP, else none.
  static func clockRate(_ type: UInt8, _ described: DescribedType) -> Int {
    if type < 96 { return PayloadFormat.assignedClock(type) }
    return described.isTelephoneEvent ? 0 : described.clockRate
  }
}

/// What passed of a stream between one pair of addresses.
final class TupleFigures {
  let source: Endpoint
  let destination: Endpoint
  /// The time of its first packet.
  let firstNs: Int64
  /// TShark's figures for it.
  @exclusivity(unchecked) var wireshark = WiresharkFigures()
  /// Its packet count when the stream's route was last checked.
  var packetsSeen = 0

  init(source: Endpoint, destination: Endpoint, firstNs: Int64) {
    (self.source, self.destination, self.firstNs) = (source, destination, firstNs)
  }
}
