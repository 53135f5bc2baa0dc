/// The direction of a packet, from the point of view of the first page of a call.
public enum Direction: String, Codable, Sendable, CaseIterable {
  case toCaller = "to_caller"
  case fromCaller = "from_caller"
}

/// The relay's counts for the packets of one direction: the ground truth for a recording.
public struct RelayCounts: Codable, Sendable, Equatable {
  public var packets = 0
  public var bytes = 0
  public var lost = 0
  public var queue_full = 0
  public var blackhole = 0
  /// Time in the relay, ms, summed over forwarded packets.
  public var delay_ms_sum = 0.0

  mutating func add(bytes: Int, _ fate: PacketFate, at now: Double) {
    packets += 1
    self.bytes += bytes
    switch fate {
    case .lost: lost += 1
    case .queueFull: queue_full += 1
    case .blackhole: blackhole += 1
    case .due(let due): delay_ms_sum += due - now
    }
  }
}

/// An RTP stream seen by the relay (RFC 3550; SRTP does not encrypt its header).
public struct RelayStream: Codable, Sendable, Equatable {
  public var direction: Direction
  public var ssrc: UInt32
  public var payload_type: Int
  public var packets = 0
  public var dropped = 0
}

/// The relay's result at the end of a call.
public struct RelayTruth: Codable, Sendable, Equatable {
  /// When a phase of the impairment began, ms since 1970.
  public struct Phase: Codable, Sendable, Equatable {
    public var from_ms: Double
    public var to_caller: Impairment
    public var from_caller: Impairment
  }

  public var media_began_ms: Double?
  public var phases: [Phase] = []
  public var totals: [String: RelayCounts] = [:]
  public var streams: [RelayStream] = []
  /// Packets sent by the relay more than 50 ms late, for lack of processor time.
  public var late_packets = 0
  public var most_late_ms = 0.0
  /// Counts per second and direction, for `relay.csv`.
  var seconds: [Second] = []

  struct Second: Sendable, Equatable {
    var at_ms: Double
    var direction: Direction
    var counts: RelayCounts
  }

  private enum CodingKeys: String, CodingKey {
    case media_began_ms, phases, totals, streams, late_packets, most_late_ms
  }

  /// The most streams counted separately.
  private static let maxStreams = 256

  mutating func add(
    _ packet: RTPHeader?, bytes: Int, _ direction: Direction, _ fate: PacketFate, at now: Double,
    wallMs: Double
  ) {
    totals[direction.rawValue, default: RelayCounts()].add(bytes: bytes, fate, at: now)
    let second = (wallMs / 1000).rounded(.down) * 1000
    if let index = seconds.lastIndex(where: { $0.direction == direction }), seconds[index].at_ms == second {
      seconds[index].counts.add(bytes: bytes, fate, at: now)
    } else {
      var counts = RelayCounts()
      counts.add(bytes: bytes, fate, at: now)
      seconds.append(Second(at_ms: second, direction: direction, counts: counts))
    }
    guard let packet else { return }
    let isDropped: Bool
    if case .due = fate { isDropped = false } else { isDropped = true }
    if let index = streams.firstIndex(where: { $0.ssrc == packet.ssrc && $0.direction == direction }) {
      streams[index].packets += 1
      streams[index].dropped += isDropped ? 1 : 0
    } else if streams.count < Self.maxStreams {
      streams.append(
        RelayStream(
          direction: direction, ssrc: packet.ssrc, payload_type: packet.payloadType, packets: 1,
          dropped: isDropped ? 1 : 0))
    }
  }

  /// The seconds as CSV.
  var csv: String {
    var text = "time_ms,direction,packets,bytes,lost,queue_full,blackhole,delay_ms\n"
    for second in seconds {
      let counts = second.counts
      let passed = counts.packets - counts.lost - counts.queue_full - counts.blackhole
      let delay = passed > 0 ? String((counts.delay_ms_sum / Double(passed) * 10).rounded() / 10) : ""
      text +=
        "\(Int(second.at_ms)),\(second.direction.rawValue),\(counts.packets),\(counts.bytes),\(counts.lost),"
        + "\(counts.queue_full),\(counts.blackhole),\(delay)\n"
    }
    return text
  }
}

/// The fields of an RTP header used for counting.
struct RTPHeader: Equatable {
  var ssrc: UInt32
  var payloadType: Int

  /// Nil for STUN, DTLS and RTCP (RFC 7983; payload types 64 to 95 are RTCP's, RFC 5761).
  init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count >= 12, packet[0] >> 6 == 2 else { return nil }
    payloadType = Int(packet[1] & 0x7F)
    guard !(64...95).contains(payloadType) else { return nil }
    ssrc = UInt32(packet[8]) << 24 | UInt32(packet[9]) << 16 | UInt32(packet[10]) << 8 | UInt32(packet[11])
  }
}
