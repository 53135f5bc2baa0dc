import Bytes
import CallModel
import Packets

/// The RTP packets of a capture one by one, as captured, for examining the packets behind a figure.
///
/// UDP is read, including IP fragments, tunnels and TURN ChannelData; RTP over TCP is not.
public enum PacketTable {
  /// A stream: one SSRC in one direction.
  public struct Stream: Sendable, Equatable {
    public var ssrc: UInt32
    public var source: String
    public var destination: String
    public var payloadType: Int
    public var packets: Int
    public var firstFrame: Int
    public var firstMs: Double
    public var lastMs: Double
    /// The RTP clock rate, Hz: that of the static payload type, else the usual one nearest to the rate of the
    /// timestamps; nil if there is too little data.
    public var clockRate: Int?
  }

  /// The maximum number of streams distinguished.
  private static let maxStreams = 4096
  /// A larger jump is a restart, not loss (RFC 3550 A.1).
  private static let maxMissing = 3000
  /// The minimum number of packets of a stream.
  private static let fewest = 2

  /// Returns all streams in order of their first packet. Throws `SourceError` if the file is not a capture.
  public static func streams(_ format: SourceFormat, from source: any ByteSource) throws -> [Stream] {
    struct Key: Hashable {
      var ssrc: UInt32
      var way: String
    }
    var places: [Key: Int] = [:]
    var found: [(stream: Stream, clock: RTPClockEstimate)] = []
    try forEachPacket(format, source) { packet, datagram, frame in
      let (from, to) = (datagram.source.text, datagram.destination.text)
      let key = Key(ssrc: packet.ssrc, way: "\(from) \(to)")
      let timeMs = Double(packet.timeNs) / 1e6
      if let place = places[key] {
        found[place].stream.packets += 1
        found[place].stream.lastMs = timeMs
        found[place].clock.take(timeNs: packet.timeNs, timestamp: packet.timestamp)
      } else if found.count < maxStreams {
        places[key] = found.count
        let stream = Stream(
          ssrc: packet.ssrc, source: from, destination: to, payloadType: Int(packet.payloadType), packets: 1,
          firstFrame: frame, firstMs: timeMs, lastMs: timeMs)
        var clock = RTPClockEstimate()
        clock.take(timeNs: packet.timeNs, timestamp: packet.timestamp)
        found.append((stream, clock))
      }
    }
    return found.filter { $0.stream.packets >= fewest }.map { stream, clock in
      var stream = stream
      stream.clockRate =
        clock.clock(assigned: PayloadFormat.assigned(UInt8(stream.payloadType)))
      return stream
    }
  }

  /// Passes every row of one stream to `row`. Throws `SourceError` and any error of `row`.
  public static func rows(
    of stream: Stream, _ format: SourceFormat, from source: any ByteSource, row: (PacketRow) throws -> Void
  ) throws {
    var meter = JitterMeter()
    var last: RTPPacket?
    var newest: UInt16 = 0
    var came = RecentNumbers()
    try forEachPacket(format, source) { packet, datagram, frame in
      guard packet.ssrc == stream.ssrc, datagram.source.text == stream.source,
        datagram.destination.text == stream.destination
      else { return }
      var state = PacketRow.State.ok
      if last != nil {
        let ahead = Int(Int16(bitPattern: packet.sequence &- newest))
        if ahead <= 0 {
          state = came.contains(packet.sequence) ? .duplicate : ahead < -maxMissing ? .restart : .late
        } else if ahead - 1 > maxMissing {
          state = .restart
        } else {
          for step in 1..<max(1, ahead) {
            try row(PacketRow(missing: newest &+ UInt16(step)))
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
        PacketRow(
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

  /// The numbers of the last packets, for detecting duplicates.
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
