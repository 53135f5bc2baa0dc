import Bytes
import CallModel
import Packets

/// Reads packet captures: the media streams on the wire and the setup of the calls.
public enum CaptureReader {
  /// The formats that this module reads.
  public static let formats = [
    FormatDescription(
      .pcap, .packets,
      summary: "packets, libpcap file",
      recognisedBy: "magic a1b2c3d4, a1b23c4d or a1b2cd34 in either byte order",
      example: "tcpdump -w call.pcap udp"),
    FormatDescription(
      .pcapng, .packets,
      summary: "packets, pcapng file",
      recognisedBy: "a section header block, 0a0d0d0a",
      example: "dumpcap -w call.pcapng"),
  ]

  /// Captures that editcap can convert to pcap, by their first bytes. The version byte has a value that does
  /// not occur in text.
  private static let convertible: [(magic: StaticString, versionAt: Int, name: String)] = [
    ("snoop\0", 8, "a snoop capture"),
    ("RTSS", 5, "a Microsoft Network Monitor 1.x capture"),
    ("GMBU", 5, "a Microsoft Network Monitor 2.x capture"),
  ]

  /// Whether the first bytes are those of a pcap or pcapng file. Throws for capture formats that are
  /// recognised but not supported.
  public static func recognise(_ head: UnsafeBufferPointer<UInt8>, name: String) throws -> SourceFormat? {
    guard head.count >= 4, let base = head.baseAddress else { return nil }
    let b = Octets(base, count: head.count)
    switch b.word(0) {
    case 0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1, 0xA1B2_CD34, 0x34CD_B2A1: return .pcap
    case 0x0A0D_0D0A: return PcapngBlock.isLittle(b) != nil ? .pcapng : nil
    default: break
    }
    if let other = convertible.first(where: { b.begins($0.magic) }), b.byte(other.versionAt) < 0x20 {
      throw SourceError(.unsupported, "\(other.name): convert it with editcap -F pcap")
    }
    if b.begins("#!rtpplay1.0") {
      throw SourceError(
        .unsupported, "an rtpdump file has no addresses: capture with tcpdump or dumpcap instead")
    }
    return nil
  }

  /// Whether a text is an IP address.
  public static func isAddress(_ text: String) -> Bool { Address(text: text) != nil }

  /// Reads a capture to its end and passes what it finds to the sink.
  ///
  /// A truncated capture is read as far as possible and reported as truncated at the end. Throws
  /// `SourceError` if nothing can be read, and any error of the sink.
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions
  ) throws {
    let packets = try PacketSource(format, source)
    let reading = CaptureReading(sink: sink, options: options)
    try packets.forEach { try reading.take($0) }
    try reading.finish(packets)
    if let readError = packets.readError {
      throw SourceError(.truncated, "the capture ends before its time: \(readError)")
    }
  }
}
