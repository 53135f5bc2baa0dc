/// Makes captures for tests: packets of all sorts in pcap or pcapng, byte by byte.
struct CaptureBuilder {
  struct Frame {
    var timeUs: Int64
    var bytes: [UInt8]
    var wireLength: Int
    var interface = 0
  }

  var linkType: UInt32 = 1
  var frames: [Frame] = []
  var startUs: Int64 = 1_700_000_000_000_000
  private var ipID: UInt16 = 0

  static func be16(_ v: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: v >> 8), UInt8(truncatingIfNeeded: v)] }
  static func be32(_ v: Int) -> [UInt8] { be16(v >> 16) + be16(v) }
  static func le16(_ v: Int) -> [UInt8] { be16(v).reversed() }
  static func le32(_ v: Int) -> [UInt8] { be32(v).reversed() }

  /// An RTP packet; `payload` bytes of zeros unless given.
  static func rtp(
    type: Int = 0, sequence: Int, timestamp: Int, ssrc: Int = 0x1122_3344, marker: Bool = false,
    payload: Int = 160,
    padded: Bool = false
  ) -> [UInt8] {
    [padded ? 0xA0 : 0x80, UInt8(type | (marker ? 0x80 : 0))] + be16(sequence & 0xFFFF)
      + be32(timestamp & 0xFFFF_FFFF)
      + be32(ssrc) + [UInt8](repeating: 0, count: payload)
  }

  static let a: [UInt8] = [192, 0, 2, 10]
  static let b: [UInt8] = [198, 51, 100, 20]

  /// IPv4 around a transport header and payload.
  mutating func ip(_ body: [UInt8], proto: UInt8, from: [UInt8] = a, to: [UInt8] = b, fragment: Int = 0)
    -> [UInt8]
  {
    ipID &+= 1
    return [0x45, 0] + Self.be16(20 + body.count) + Self.be16(Int(ipID)) + Self.be16(fragment) + [
      64, proto, 0, 0,
    ]
      + from + to + body
  }

  static func udp(_ payload: [UInt8], from: Int, to: Int) -> [UInt8] {
    be16(from) + be16(to) + be16(8 + payload.count) + [0, 0] + payload
  }

  static func tcp(
    _ payload: [UInt8], from: Int, to: Int, sequence: Int, acknowledged: Int = 0, flags: UInt8 = 0x18
  ) -> [UInt8] {
    be16(from) + be16(to) + be32(sequence & 0xFFFF_FFFF) + be32(acknowledged & 0xFFFF_FFFF)
      + [0x50, flags] + be16(1000) + [0, 0, 0, 0] + payload
  }

  /// The link layer of `linkType` around an IP packet.
  func link(_ packet: [UInt8]) -> [UInt8] {
    switch linkType {
    case 0: [2, 0, 0, 0] + packet
    case 108: [0, 0, 0, 2] + packet
    case 113: [0, 0, 0, 1, 0, 6] + [UInt8](repeating: 0, count: 8) + [8, 0] + packet
    case 276: [8, 0] + [UInt8](repeating: 0, count: 18) + packet
    case 12, 14, 101, 228: packet
    case 127:
      [0, 0, 8, 0, 0, 0, 0, 0, 0x08, 0] + [UInt8](repeating: 0, count: 22) + [0xAA, 0xAA, 3, 0, 0, 0, 8, 0]
        + packet
    default: [UInt8](repeating: 2, count: 12) + [8, 0] + packet
    }
  }

  mutating func add(_ packet: [UInt8], atMs: Double, interface: Int = 0) {
    let bytes = link(packet)
    frames.append(
      Frame(
        timeUs: startUs + Int64((atMs * 1000).rounded()), bytes: bytes, wireLength: bytes.count,
        interface: interface))
  }

  /// A UDP datagram from A to B, or back.
  mutating func addUDP(
    _ payload: [UInt8], atMs: Double, from: Int = 40_000, to: Int = 50_000, back: Bool = false,
    interface: Int = 0
  ) {
    let packet =
      back
      ? ip(Self.udp(payload, from: to, to: from), proto: 17, from: Self.b, to: Self.a)
      : ip(Self.udp(payload, from: from, to: to), proto: 17)
    add(packet, atMs: atMs, interface: interface)
  }

  /// `count` packets of PCMU, 20 ms apart, with some left out.
  mutating func addVoice(
    count: Int, first: Int = 100, without lost: Set<Int> = [], jitter: (Int) -> Double = { _ in 0 }
  ) {
    for n in 0..<count where !lost.contains(n) {
      addUDP(Self.rtp(sequence: first + n, timestamp: 160 * n), atMs: 20 * Double(n) + jitter(n))
    }
  }

  /// The capture as classic pcap.
  func pcap(snaplen: Int = 65_535) -> [UInt8] {
    var out = Self.le32(0xA1B2_C3D4) + Self.le16(2) + Self.le16(4) + Self.le32(0) + Self.le32(0)
    out += Self.le32(snaplen) + Self.le32(Int(linkType))
    for frame in frames {
      let captured = frame.bytes.prefix(snaplen)
      out += Self.le32(Int(frame.timeUs / 1_000_000)) + Self.le32(Int(frame.timeUs % 1_000_000))
      out += Self.le32(captured.count) + Self.le32(frame.wireLength) + captured
    }
    return out
  }

  private static func block(_ type: Int, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count & 3) & 3)
    return le32(type) + le32(12 + padded.count) + padded + le32(12 + padded.count)
  }

  /// The capture as pcapng with an interface a snaplen given, and what the capturing host says it dropped.
  func pcapng(snaplens: [Int] = [0], dropped: Int? = nil) -> [UInt8] {
    var out = Self.block(
      0x0A0D_0D0A, Self.le32(0x1A2B_3C4D) + Self.le16(1) + Self.le16(0) + [UInt8](repeating: 0xFF, count: 8))
    for snaplen in snaplens {
      out += Self.block(1, Self.le16(Int(linkType)) + Self.le16(0) + Self.le32(snaplen))
    }
    for frame in frames {
      let high = Int(frame.timeUs >> 32)
      let low = Int(frame.timeUs & 0xFFFF_FFFF)
      out += Self.block(
        6,
        Self.le32(frame.interface) + Self.le32(high) + Self.le32(low) + Self.le32(frame.bytes.count)
          + Self.le32(frame.wireLength) + frame.bytes)
    }
    if let dropped { out += Self.drops(dropped) }
    return out
  }

  /// The block by which the first interface of a pcapng says what it dropped.
  static func drops(_ count: Int) -> [UInt8] {
    let option = le16(5) + le16(8) + le32(count) + le32(0) + le32(0)
    return block(5, le32(0) + le32(0) + le32(0) + option)
  }
}
