import Glibc

/// The header of an RTP packet (RFC 3550 section 5.1), with its time and addresses.
public struct RTPPacket {
  public var timeNs: Int64
  public var timestamp: UInt32
  public var ssrc: UInt32
  public var sequence: UInt16
  public var payloadType: UInt8
  public var marker: Bool
  /// The P bit.
  public var padded: Bool
  /// Whether the padding count, if present and captured, fits the packet.
  public var paddingIsSane: Bool
  /// Whether its padding count was cut off by the snaplen.
  public var paddingIsCut: Bool
  /// The first two one-byte header extension elements (RFC 8285), identifier above value: one may be the audio level.
  public var oneByteElements: UInt32
  /// Header, contributing sources and extension, bytes.
  public var headerLength: Int
  /// Payload and padding on the wire, bytes.
  public var payloadLength: Int
  /// The first two bytes of the payload, 0 if not captured.
  public var payloadStart: UInt16
  /// Its blocks, if it is redundant audio.
  public var blocks: RedundantSound
  /// Whether it is a complete, unencrypted G.711 packet of zero samples.
  public var isDigitalSilence: Bool
  /// The level of unencrypted G.711, −dBov, if requested; nil otherwise.
  public var level: UInt8?
  /// IPv4 identification, 0 if none.
  public var ipID: UInt16
  /// TTL or hop limit, 0 if unknown.
  public var ttl: UInt8
  /// The direction according to the link layer.
  public var direction: LinkDirection

  /// Whether the second byte is that of RTCP (RFC 5761: 192…223).
  @inline(__always)
  public static func isRTCP(_ b: Octets) -> Bool { b.byte(1) & 0xE0 == 0xC0 }

  /// Parses a header; nil if it cannot be RTP. `wireLength` is that of the whole RTP packet.
  @inline(__always)
  public init?(_ b: Octets, wireLength: Int, timeNs: Int64) {
    let first = b.byte(0)
    guard first & 0xC0 == 0x80, b.count >= 12 else { return nil }
    let second = b.byte(1)
    payloadType = second & 0x7F
    // RFC 5761: 64…95 are never RTP where RTCP may share the port.
    guard payloadType < 64 || payloadType >= 96 else { return nil }
    var length = 12 + 4 * Int(first & 15)
    oneByteElements = 0
    // If the snaplen cut it off, the extension's length is unknown: it is treated as absent.
    if first & 0x10 != 0 && b.count >= length + 4 {
      let size = 4 * Int(b.short(length + 2))
      if b.short(length) == 0xBEDE { oneByteElements = Self.oneByteElements(b, length + 4, size) }
      length += 4 + size
    }
    guard length <= wireLength else { return nil }
    padded = first & 0x20 != 0
    paddingIsSane = true
    paddingIsCut = padded && b.count < wireLength
    if padded && !paddingIsCut {
      let count = Int(b.byte(wireLength - 1))
      paddingIsSane = count > 0 && count <= wireLength - length
    }
    marker = second & 0x80 != 0
    sequence = b.short(2)
    timestamp = b.word(4)
    ssrc = b.word(8)
    headerLength = length
    payloadLength = wireLength - length
    payloadStart = b.short(length)
    blocks =
      Self.mayBeRedundant(payloadType)
      ? RedundantSound(b.from(length), wireLength: wireLength - length) : .none
    isDigitalSilence =
      (payloadType == 0 || payloadType == 8) && Self.isZero(payloadStart)
      && Self.isZero(b, from: length, to: wireLength)
    self.timeNs = timeNs
    level = nil
    ipID = 0
    ttl = 0
    direction = .unknown
  }

  /// Computes the level if it is G.711.
  public mutating func listen(to b: Octets) {
    guard payloadType == 0 || payloadType == 8 else { return }
    level = G711.level(
      of: b, from: headerLength, to: headerLength + payloadLength, isMuLaw: payloadType == 0)
  }

  /// Whether a video packet is marked as screen content: after a frame, libwebrtc sends the content type, 1 for a
  /// screen, with the identifier 6, and the rotation, 0–3, with 13, or with 3 if there is no audio
  /// (`webrtc_video_engine.cc`; 3GPP TS 26.114). The identifiers are negotiated out of sight, so both must match.
  @inline(__always)
  public var saysScreen: Bool { oneByteElements > 0xFFFF && Self.isScreen(oneByteElements) }

  private static func isScreen(_ elements: UInt32) -> Bool {
    let (one, other) = (elements & 0xFFFF, elements >> 16)
    func isRotation(_ element: UInt32) -> Bool { element & 0xFF < 4 && [3, 13].contains(element >> 8) }
    return one == 0x601 && isRotation(other) || other == 0x601 && isRotation(one)
  }

  /// The two codes of zero in G.711 (0xFF and 0x7F in mu-law, 0xD5 and 0x55 in A-law), also if one law is sent as the
  /// other: not a sound either.
  @inline(__always)
  private static func isZero(_ two: UInt16) -> Bool {
    two | 0x8080 == 0xFFFF || two | 0x8080 == 0xD5D5
  }

  private static func isZero(_ b: Octets, from start: Int, to end: Int) -> Bool {
    guard b.count >= end, end > start else { return false }
    let zero = b.byte(start) | 0x80
    return (start..<end).allSatisfy { b.byte($0) | 0x80 == zero }
  }

  /// Only types defined by SDP (RFC 3551 section 3).
  @inline(__always)
  private static func mayBeRedundant(_ type: UInt8) -> Bool { type >= 96 || type >= 35 && type < 64 }

  private static func oneByteElements(_ b: Octets, _ start: Int, _ size: Int) -> UInt32 {
    var found: UInt32 = 0
    var at = start
    let end = min(start + size, b.count)
    while at + 1 < end {
      let head = b.byte(at)
      if head == 0 {
        at += 1
        continue
      }
      if head >> 4 == 15 { break }
      if head & 15 == 0 {
        let element = UInt32(head >> 4) << 8 | UInt32(b.byte(at + 1))
        if found != 0 { return found | element << 16 }
        found = element
      }
      at += 2 + Int(head & 15)
    }
    return found
  }
}

/// The level of unencrypted G.711.
enum G711 {
  /// The level of unencrypted G.711, −dBov: the root mean square of its samples (ITU-T G.711). Nil if its payload was
  /// truncated.
  static func level(of payload: Octets, from start: Int, to end: Int, isMuLaw: Bool) -> UInt8? {
    guard end > start, payload.count >= end else { return nil }
    let squares = isMuLaw ? muLaw : aLaw
    var sum = 0.0
    for place in start..<end { sum += squares[Int(payload.byte(place))] }
    let power = sum / Double(end - start)
    return power > 0 ? UInt8(min(127, max(0, -10 * log10(power)))) : 127
  }

  /// Squares of the decoded samples, full scale 1.
  private static let muLaw = (0..<256).map { code -> Double in
    let bits = ~UInt8(code)
    let magnitude = (Double(bits & 15) * 2 + 33) * pow(2, Double(bits >> 4 & 7)) - 33
    return pow(magnitude / 8031, 2)
  }
  private static let aLaw = (0..<256).map { code -> Double in
    let bits = UInt8(code) ^ 0x55
    let (segment, step) = (Double(bits >> 4 & 7), Double(bits & 15))
    let magnitude = segment == 0 ? step * 2 + 1 : (step * 2 + 33) * pow(2, segment - 1)
    return pow(magnitude / 4032, 2)
  }
}
