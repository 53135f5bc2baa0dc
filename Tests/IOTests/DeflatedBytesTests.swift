import Foundation
import IO
import Testing

@Suite("Compressed records")
struct DeflatedBytesTests {
  private func roundTrip(_ bytes: [UInt8], width: Int) -> (packed: DeflatedBytes?, out: [UInt8]) {
    let packed = bytes.withUnsafeBytes { DeflatedBytes($0, width: width) }
    var out = [UInt8](repeating: 0xAA, count: bytes.count)
    let isWhole = out.withUnsafeMutableBytes { packed?.inflate(into: $0) }
    return (packed, isWhole == true ? out : [])
  }

  @Test("are unchanged after decompression", arguments: [1, 8, 24])
  func same(width: Int) {
    let bytes = (0..<24 * 100).map { UInt8(truncatingIfNeeded: $0 / width * $0 % 5) }
    let (packed, out) = roundTrip(bytes, width: width)
    #expect(out == bytes && packed?.count == bytes.count)
  }

  @Test("are not compressed without a gain, or if the last record is incomplete")
  func refused() {
    #expect(roundTrip((0..<4096).map { _ in UInt8.random(in: 0...255) }, width: 8).packed == nil)
    #expect(roundTrip([1, 2, 3], width: 2).packed == nil)
    #expect(roundTrip([], width: 8).packed == nil)
  }

  @Test("are not decompressed into a buffer that is too small")
  func narrow() {
    let packed = [UInt8](repeating: 7, count: 800).withUnsafeBytes { DeflatedBytes($0, width: 8) }
    var little = [UInt8](repeating: 0, count: 799)
    #expect(little.withUnsafeMutableBytes { packed?.inflate(into: $0) } == false)
  }
}
