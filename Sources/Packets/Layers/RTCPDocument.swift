import Bytes

/// RTCP in the JSON form of capture agents (heplify, Asterisk's `res_hep_rtcp`, reSIProcate): a sender or receiver
/// report as an object, which is converted back to an RTCP packet (RFC 3550 section 6.4, RFC 3611 section 4.7).
final class RTCPDocument {
  /// The last packet built.
  private var packet: UnsafeMutableRawBufferPointer
  private var count = 0
  /// The most report blocks in a packet.
  private static let maxBlocks = 31
  /// The byte for an unavailable figure in an extended report.
  private static let notAvailable = 127.0

  init() { packet = .allocate(byteCount: 28 + 24 * Self.maxBlocks + 44, alignment: 8) }

  deinit { packet.deallocate() }

  /// The packet, valid until the next call; nil if the text is not such an object.
  func packet(of text: Octets) -> Octets? {
    let bytes = UnsafeBufferPointer(
      start: text.base.assumingMemoryBound(to: UInt8.self), count: text.count)
    var scanner = JSONScanner(bytes)
    guard let report = try? Report(&scanner) else { return nil }
    count = 0
    let blocks = report.blocks.prefix(Self.maxBlocks)
    guard let ssrc = report.values["ssrc"], report.sender != nil || !blocks.isEmpty || report.extended != nil
    else {
      return nil
    }
    let isSender = report.sender != nil
    put(bytes: [0x80 | UInt8(blocks.count), isSender ? 200 : 201])
    put(UInt16((isSender ? 6 : 1) + 6 * blocks.count))
    put(word: ssrc)
    if let sender = report.sender {
      put(word: sender["ntp_timestamp_sec"])
      put(word: sender["ntp_timestamp_usec"].map { $0 / 1e6 * 4_294_967_296 })
      for name in ["rtp_timestamp", "packets", "octets"] { put(word: sender[name]) }
    }
    for block in blocks {
      put(word: block["source_ssrc"])
      // 24 bits with a sign.
      let lost =
        UInt32(bitPattern: Int32(min(max(block["packets_lost"] ?? 0, -8_388_608), 8_388_607))) & 0xFF_FFFF
      put(word: Double(UInt32(Self.byte(block["fraction_lost"])) << 24 | lost))
      for name in ["highest_seq_no", "ia_jitter", "lsr", "dlsr"] { put(word: block[name]) }
    }
    if let extended = report.extended { put(extended, by: ssrc) }
    return Octets(packet.baseAddress.map { UnsafeRawPointer($0) } ?? text.base, count: count)
  }

  /// VoIP metrics; members that an agent leaves out are unavailable.
  private func put(_ block: [String: Double], by ssrc: Double) {
    guard block["type"] == 7, let id = block["id"] ?? block["ssrc"] else { return }
    put(bytes: [0x80, 207])
    put(UInt16(10))
    put(word: ssrc)
    put(bytes: [7, 0])
    put(UInt16(8))
    put(word: id)
    put(
      bytes: ["fraction_lost", "fraction_discard", "burst_density", "gap_density"].map {
        Self.byte(block[$0])
      })
    for name in ["burst_duration", "gap_duration", "round_trip_delay", "end_system_delay"] {
      put(UInt16(min(max(block[name] ?? 0, 0), 65_535)))
    }
    let levels = [
      "signal_level", "noise_level", "rerl", "gmin", "r_factor", "ext_r_factor", "mos_lq", "mos_cq",
    ]
    put(bytes: levels.map { Self.byte(block[$0] ?? Self.notAvailable) })
    put(bytes: [0, 0])
    for name in ["jb_nominal", "jb_maximum", "jb_abs_max"] {
      put(UInt16(min(max(block[name] ?? 0, 0), 65_535)))
    }
  }

  private static func byte(_ value: Double?) -> UInt8 { UInt8(min(max(value ?? 0, 0), 255)) }

  private func put(bytes: [UInt8]) {
    for byte in bytes where count < packet.count {
      packet[count] = byte
      count += 1
    }
  }

  private func put(_ value: UInt16) { put(bytes: [UInt8(value >> 8), UInt8(value & 0xFF)]) }

  private func put(word value: Double?) {
    let word = UInt32(min(max(value ?? 0, 0), 4_294_967_295))
    put(UInt16(word >> 16))
    put(UInt16(word & 0xFFFF))
  }
}

/// The members of such an object, by the names that all agents use.
private struct Report {
  private(set) var values: [String: Double] = [:]
  private(set) var sender: [String: Double]?
  private(set) var blocks: [[String: Double]] = []
  private(set) var extended: [String: Double]?
  private static let most = 64

  init(_ scanner: inout JSONScanner) throws(JSONError) {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key.string {
      case "sender_information": sender = try Self.object(&scanner)
      case "report_blocks_xr": extended = try Self.object(&scanner)
      case "report_blocks" where try scanner.peek() == .array:
        try scanner.beginArray()
        while try scanner.nextElement() {
          if let block = try Self.object(&scanner), blocks.count < Self.most { blocks.append(block) }
        }
      case let name: if let value = try Self.number(&scanner) { values[name] = value }
      }
    }
  }

  private static func object(_ scanner: inout JSONScanner) throws(JSONError) -> [String: Double]? {
    guard try scanner.peek() == .object else {
      try scanner.skip()
      return nil
    }
    var members: [String: Double] = [:]
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = key.string
      if let value = try number(&scanner), members.count < most { members[name] = value }
    }
    return members
  }

  /// A number, which some agents write as text; nil for anything else.
  private static func number(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    switch try scanner.peek() {
    case .number: return try scanner.number()
    case .string: return Double(try scanner.string().string).flatMap { $0.isFinite ? $0 : nil }
    default:
      try scanner.skip()
      return nil
    }
  }
}
