import Bytes
import Foundation
import Testing

@Suite("UTF-16 is converted to UTF-8")
struct UTF16BytesTests {
  private static let text =
    "A log begins with a plain line of text.\r\n"
    + String(repeating: "onRinging caf\u{E9} \u{1F600}\r\n", count: 2000)

  @Test(
    "with and without a byte order mark, cut wherever pieces end",
    arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian], [1, 3, 7, 4096])
  func whole(encoding: String.Encoding, piece: Int) throws {
    let bytes = Array(try #require(Self.text.data(using: encoding)))
    let source = try #require(UTF16Bytes(MemoryBytes(bytes, piece: piece), head: Array(bytes.prefix(64))))
    #expect(String(decoding: try all(source), as: UTF8.self) == Self.text)
  }

  @Test("half a pair or unit at the end becomes U+FFFD, other text is not UTF-16")
  func broken() throws {
    let half = UTF16Bytes(MemoryBytes([0xFF, 0xFE, 0x61, 0, 0x3D, 0xD8, 0x62]), head: [0xFF, 0xFE, 0x61, 0])
    #expect(String(decoding: try all(try #require(half)), as: UTF8.self) == "a\u{FFFD}")
    for head in ["plain text", "", "{}", "\u{0}\u{0}\u{0}\u{0}"] {
      #expect(UTF16Bytes(MemoryBytes(head), head: Array(head.utf8)) == nil)
    }
  }

  private func all(_ source: UTF16Bytes) throws -> [UInt8] {
    var found: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1000)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { return found }
      found += buffer[..<count]
    }
  }
}
