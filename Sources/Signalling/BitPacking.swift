import Packets

/// How a codec's bits are packed, where its format parameters decide that: an end that expects another packing hears
/// noise, or nothing.
public struct BitPacking: Equatable, Sendable {
  /// The codec without its packing.
  let codec: String
  /// Each parameter with its value, `octet-align=1`; defaults included.
  private let values: [String]

  /// The parameters that change the bits of a codec, with their defaults.
  private static let parameters: [String: [(name: String, usual: String)]] = [
    "amr": amr, "amr-wb": amr,
    // RFC 6184 section 8.1: fragments and aggregates are allowed in mode 1 alone.
    "h264": [("packetization-mode", "0")],
    // RFC 5577 section 4.1: there is no default.
    "g7221": [("bitrate", "")],
    // RFC 3640 section 4.1.
    "mpeg4-generic": [("mode", ""), ("sizelength", "0"), ("indexlength", "0")],
  ]
  /// RFC 4867 section 8.1.
  private static let amr = [
    ("octet-align", "0"), ("crc", "0"), ("robust-sorting", "0"), ("interleaving", "0"),
  ]
  /// RFC 3551 section 4.5.4: the same bits in the opposite order.
  private static let reversed = "aal2-"

  /// The packing of a format; nil if there is but one.
  init?(_ format: PayloadFormat) {
    let name = format.name.lowercased()
    if name.contains("g726") {
      let isReversed = name.hasPrefix(Self.reversed)
      codec = isReversed ? String(name.dropFirst(Self.reversed.count)) : name
      values = [isReversed ? "AAL2 order of bits" : "RFC 3551 order of bits"]
      return
    }
    guard let parameters = Self.parameters[name] else { return nil }
    var values: [String: String] = [:]
    for part in (format.fmtp ?? "").split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " }.lowercased() }
      if pair.count == 2 { values[pair[0]] = String(pair[1].prefix(16)) }
    }
    // RFC 4867 section 8.1: these imply the octet-aligned mode.
    if ["crc", "robust-sorting", "interleaving"].contains(where: { values[$0] ?? "0" != "0" }) {
      values["octet-align"] = "1"
    }
    codec = name
    self.values = parameters.map { "\($0.name)=\(values[$0.name] ?? $0.usual)" }
  }

  /// The packing of AMR in a packet of one frame by its size: octet-aligned or not; nil if the size fits both or neither.
  public func isOctetAligned(size: Int) -> Bool? {
    guard let bits = Self.frameBits[codec] else { return nil }
    // RFC 4867 sections 4.3 and 4.4: a request of 4 bits and 6 bits for the frame, or a byte for each.
    let aligned = bits.contains { 2 + ($0 + 7) / 8 == size }
    let efficient = bits.contains { (10 + $0 + 7) / 8 == size }
    return aligned == efficient ? nil : aligned
  }

  /// Whether it is the octet-aligned mode of AMR.
  public var isOctetAligned: Bool { values.contains("octet-align=1") }

  /// What differs from another packing of the codec.
  public func words(besides other: BitPacking) -> String {
    values.filter { !other.values.contains($0) }.joined(separator: ";")
  }

  /// The lengths of the frames with sound (3GPP TS 26.101, TS 26.201).
  private static let frameBits: [String: [Int]] = [
    "amr": [95, 103, 118, 134, 148, 159, 204, 244],
    "amr-wb": [132, 177, 253, 285, 317, 365, 397, 461, 477],
  ]
}
