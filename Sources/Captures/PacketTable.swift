import Bytes
import CallModel
import Packets

/// The RTP packets of a capture one by one, as they were captured: for whoever wants to see the packets behind a figure.
///
/// UDP is looked into, also in IP fragments, tunnels and TURN's ChannelData; RTP within TCP is not.
public enum PacketTable {
  /// A stream: one SSRC on one way.
  public struct Stream: Sendable, Equatable {
    public var ssrc: UInt32
    public var source: String
    public var destination: String
    public var payloadType: Int
    public var packets: Int
    public var firstFrame: Int
    public var firstMs: Double
    public var lastMs: Double
    /// RTP clock, Hz: of the static payload type, else the usual one next to what timestamps and times say; nil where they say
    /// too little.
    public var clockRate: Int?
  }

  /// What a row tells of.
  public enum State: String, Sendable {
    case ok
    /// It did not come before a later one.
    case lost
    /// It came after a later one.
    case late
    /// Its number had come.
    case duplicate
    /// The sender began anew: numbers jumped by more than a network loses (RFC 3550 A.1).
    case restart
  }

  /// A row: a packet that came, or one that is missing.
  public struct Row: Sendable, Equatable {
    /// The capture's number of the frame, as Wireshark counts; nil for what is missing.
    public var frame: Int?
    public var timeMs: Double?
    public var sequence: UInt16
    public var timestamp: UInt32?
    public var payloadType: Int?
    public var marker: Bool?
    /// Payload with padding, on the wire.
    public var bytes: Int?
    /// Since the packet of the stream before it, ms.
    public var deltaMs: Double?
    /// Interarrival jitter up to here (RFC 3550 A.8), ms; nil where the clock is not known.
    public var jitterMs: Double?
    public var state: State
  }

  /// Streams that are kept apart.
  private static let mostStreams = 4096
  /// RFC 3550 A.1: a jump beyond it is a new beginning, and no loss.
  private static let mostMissing = 3000
  /// What RTP clocks tick at.
  private static let clocks = [8000, 16_000, 32_000, 44_100, 48_000, 90_000]
  /// Packets of a stream before what looks like one is one.
  private static let fewest = 2

  /// Every stream in the order in which it began. Throws `SourceError` where the file is no capture.
  public static func streams(_ format: SourceFormat, from source: any ByteSource) throws -> [Stream] {
    struct Key: Hashable {
      var ssrc: UInt32
      var way: String
    }
    struct Times {
      var first: UInt32
      var ticks: Int64 = 0
      var last: UInt32
    }
    var places: [Key: Int] = [:]
    var found: [(stream: Stream, times: Times)] = []
    try forEachPacket(format, source) { packet, datagram, frame in
      let (from, to) = (datagram.source.text, datagram.destination.text)
      let key = Key(ssrc: packet.ssrc, way: "\(from) \(to)")
      let timeMs = Double(packet.timeNs) / 1e6
      if let place = places[key] {
        found[place].stream.packets += 1
        found[place].stream.lastMs = timeMs
        found[place].times.ticks += Int64(Int32(bitPattern: packet.timestamp &- found[place].times.last))
        found[place].times.last = packet.timestamp
      } else if found.count < mostStreams {
        places[key] = found.count
        let stream = Stream(
          ssrc: packet.ssrc, source: from, destination: to, payloadType: Int(packet.payloadType), packets: 1,
          firstFrame: frame, firstMs: timeMs, lastMs: timeMs)
        found.append((stream, Times(first: packet.timestamp, last: packet.timestamp)))
      }
    }
    return found.filter { $0.stream.packets >= fewest }.map { stream, times in
      var stream = stream
      stream.clockRate =
        PayloadFormat.assigned(UInt8(stream.payloadType))?.clockRate
        ?? clock(ticks: times.ticks, overMs: stream.lastMs - stream.firstMs)
      return stream
    }
  }

  /// The usual clock next to a rate; nil where the time is too short or none is near.
  static func clock(ticks: Int64, overMs: Double) -> Int? {
    guard overMs >= 500, ticks > 0 else { return nil }
    let rate = Double(ticks) / overMs * 1000
    let near = clocks.min { abs(Double($0) - rate) < abs(Double($1) - rate) }
    return near.flatMap { abs(Double($0) - rate) / Double($0) < 0.1 ? $0 : nil }
  }

  /// Every row of one stream. Throws `SourceError`, and what `row` throws.
  public static func rows(
    of stream: Stream, _ format: SourceFormat, from source: any ByteSource, row: (Row) throws -> Void
  ) throws {
    var meter = JitterMeter()
    var last: RTPPacket?
    var newest: UInt16 = 0
    var came = RecentNumbers()
    try forEachPacket(format, source) { packet, datagram, frame in
      guard packet.ssrc == stream.ssrc, datagram.source.text == stream.source,
        datagram.destination.text == stream.destination
      else { return }
      var state = State.ok
      if last != nil {
        let ahead = Int(Int16(bitPattern: packet.sequence &- newest))
        if ahead <= 0 {
          state = came.contains(packet.sequence) ? .duplicate : ahead < -mostMissing ? .restart : .late
        } else if ahead - 1 > mostMissing {
          state = .restart
        } else {
          for step in 1..<max(1, ahead) {
            try row(Row(sequence: newest &+ UInt16(step), state: .lost))
          }
        }
      }
      if state == .restart {
        came = RecentNumbers()
        meter.rebase()
      }
      if let clock = stream.clockRate, state != .duplicate {
        meter.take(timeNs: packet.timeNs, timestamp: packet.timestamp, msPerTick: 1000 / Double(clock))
      }
      try row(
        Row(
          frame: frame, timeMs: Double(packet.timeNs) / 1e6, sequence: packet.sequence,
          timestamp: packet.timestamp,
          payloadType: Int(packet.payloadType), marker: packet.marker, bytes: packet.payloadLength,
          deltaMs: last.map { Double(packet.timeNs - $0.timeNs) / 1e6 },
          jitterMs: stream.clockRate == nil ? nil : meter.ms, state: state))
      came.add(packet.sequence)
      if state == .ok || state == .restart { newest = packet.sequence }
      last = packet
    }
  }

  /// The numbers of the last packets, of which one may come again.
  private struct RecentNumbers {
    private var order: [UInt16] = []
    private var known: Set<UInt16> = []
    private var next = 0

    func contains(_ number: UInt16) -> Bool { known.contains(number) }

    mutating func add(_ number: UInt16) {
      guard known.insert(number).inserted else { return }
      if order.count < 1024 {
        order.append(number)
      } else {
        known.remove(order[next])
        order[next] = number
        next = (next + 1) % order.count
      }
    }
  }

  private static func forEachPacket(
    _ format: SourceFormat, _ source: any ByteSource, _ body: (RTPPacket, Datagram, Int) throws -> Void
  ) throws {
    let network = NetworkLayer(fragmentsPerDatagram: ReaderOptions().fragmentsPerDatagram)
    var frame = 0
    try PacketSource(format, source).forEach { packet in
      frame += 1
      guard let found = LinkLayer.strip(packet),
        case .datagram(let datagram) = network.content(found, of: packet),
        datagram.transport == .udp
      else { return }
      var payload = datagram.payload
      var wireLength = datagram.wireLength
      // TURN ChannelData (RFC 8656 section 12).
      if payload.byte(0) & 0xF0 == 0x40, Int(payload.short(2)) + 4 <= wireLength {
        wireLength = Int(payload.short(2))
        payload = payload.from(4).first(wireLength)
      }
      guard !RTPPacket.isRTCP(payload),
        let rtp = RTPPacket(payload, wireLength: wireLength, timeNs: packet.timeNs)
      else { return }
      try body(rtp, datagram, frame)
    }
  }
}
