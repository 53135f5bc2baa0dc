import Bytes
import Testing

@testable import Packets

@Suite("Packets taken where they lie are those that libpcap reads")
struct PcapRecordsTests {
  private struct Read: Equatable {
    var packets: [String] = []
    var readError: String?
  }

  /// A capture of three packets, as a machine of either byte order writes it.
  private struct Capture {
    var magic = 0xA1B2_C3D4
    var minor = 4
    var snaplen = 65_535
    var linkType = 1
    var isLittle = true
    var seconds = 1_700_000_000
    var parts = 999_999
    var captured = [60, 0, 200]

    var bytes: [UInt8] {
      var out = word(magic) + half(2) + half(minor) + word(0) + word(0) + word(snaplen) + word(linkType)
      for (number, length) in captured.enumerated() {
        out += word(seconds + number) + word(parts) + word(length) + word(length + number)
        out += (0..<min(length, 300)).map { UInt8(truncatingIfNeeded: $0 + number) }
      }
      return out
    }

    private func word(_ value: Int) -> [UInt8] {
      let bytes = CaptureBuilder.le32(value)
      return isLittle ? bytes : bytes.reversed()
    }

    private func half(_ value: Int) -> [UInt8] {
      let bytes = CaptureBuilder.le16(value)
      return isLittle ? bytes : bytes.reversed()
    }
  }

  private func read(_ bytes: [UInt8], piece: Int = .max) throws -> Read {
    var read = Read()
    let source = try PacketSource(.pcap, MemoryBytes(bytes, piece: piece))
    source.forEach { packet in
      read.packets.append(
        "\(packet.timeNs) \(packet.wireLength) \(packet.linkType) \(packet.bytes.copy())")
    }
    read.readError = source.readError
    return read
  }

  /// Of a source that gives single bytes, libpcap reads all.
  private func agree(_ bytes: [UInt8]) throws {
    let asLibpcapDoes = try read(bytes, piece: 1)
    for piece in [64, 100, 250, .max] { #expect(try read(bytes, piece: piece) == asLibpcapDoes) }
  }

  @Test("whoever wrote them")
  func forms() throws {
    let plain = try read(Capture().bytes)
    #expect(plain.packets.count == 3 && plain.readError == nil)
    #expect(plain.packets.first?.hasPrefix("1700000000999999000 60 1 [0, 1, 2") == true)
    for magic in [0xA1B2_C3D4, 0xA1B2_3C4D, 0xA1B2_CD34] {
      for isLittle in [true, false] { try agree(Capture(magic: magic, isLittle: isLittle).bytes) }
    }
    for minor in [2, 3] { try agree(Capture(minor: minor).bytes) }
    for linkType in [101, 189, 147] { try agree(Capture(linkType: linkType).bytes) }
  }

  @Test("longer than the capture says, or than any packet can be")
  func lengths() throws {
    for snaplen in [0, 40, 300_000] { try agree(Capture(snaplen: snaplen).bytes) }
    for length in [262_145, 0x7FFF_FFFF, 0xFFFF_FFFF] {
      try agree(Capture(captured: [60, length, 60]).bytes)
      try agree(Capture(snaplen: 40, captured: [60, length, 60]).bytes)
    }
  }

  @Test("at any time")
  func times() throws {
    for seconds in [0, 0x7FFF_FFFD, 0x7FFF_FFFE, 0xFFFF_FFF0] { try agree(Capture(seconds: seconds).bytes) }
    for parts in [1_000_000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
      try agree(Capture(parts: parts).bytes)
      try agree(Capture(magic: 0xA1B2_3C4D, isLittle: false, parts: parts).bytes)
    }
  }

  @Test("and cut anywhere")
  func cuts() throws {
    let bytes = Capture().bytes
    for end in 24...bytes.count { try agree(Array(bytes[..<end])) }
  }
}
