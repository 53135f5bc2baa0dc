import Bytes
import Foundation
import IO
import Testing

@Suite("A file that is read ahead")
struct ReadAheadTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("callqa-ahead-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func file(_ bytes: [UInt8], named name: String = "log") throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func ahead(_ path: String) throws -> ReadAhead {
    try ReadAhead(InputFile(path: path, hashing: true))
  }

  /// Two megabytes of numbers, so that no two chunks are equal.
  private var numbers: [UInt8] { (0..<500_000).flatMap { withUnsafeBytes(of: UInt32($0), Array.init) } }

  @Test("returns the file's bytes for any chunk size, and its digest")
  func same() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try file(numbers)
    for size in [1 << 20, 4096, 777] {
      let source = try ahead(path)
      var all: [UInt8] = []
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
      defer { buffer.deallocate() }
      while case let got = try source.read(into: buffer), got > 0 { all += buffer[..<got] }
      #expect(all == numbers, "in pieces of \(size)")
      try #expect(source.read(into: buffer) == 0, "the end stays the end")
      try #expect(source.sha256() == sha256(ofFile: RawPath(path)))
    }
  }

  @Test(
    "has the digest of the whole file though only its beginning was wanted", arguments: [0, 1000, 700_000])
  func early(wanted: Int) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try file(numbers)
    let source = try ahead(path)
    var left = wanted
    while left > 0 {
      var piece = [UInt8](repeating: 0, count: min(left, 10_000))
      left -= try piece.withUnsafeMutableBytes { try source.read(into: $0) }
    }
    try #expect(source.sha256() == sha256(ofFile: RawPath(path)))
  }

  @Test("returns bytes up to the limit, repeats the error, and still hashes the file")
  func tooLarge() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try file(numbers)
    for most in [1, 512 << 10, 1_000_001, numbers.count - 1] {
      let source = try ReadAhead(InputFile(path: path, largest: most, hashing: true))
      var given = 0
      #expect(throws: BytesError.self) {
        while let lent = try source.lend(), !lent.isEmpty { given += lent.count }
      }
      #expect(given == most)
      #expect(throws: BytesError.self) { try source.lend() }
      try #expect(source.sha256() == sha256(ofFile: RawPath(path)), "\(most)")
    }
  }

  @Test("returns bytes before damage, repeats the error, and still hashes the file")
  func damage() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let packed = gzip(numbers)
    let path = try file(Array(packed.prefix(packed.count / 2)), named: "log.gz")
    let source = try ahead(path)
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 100_000)
    let error = #expect(throws: BytesError.self) {
      while case let got = try piece.withUnsafeMutableBytes({ try source.read(into: $0) }), got > 0 {
        all += piece[..<got]
      }
    }
    #expect(error?.kind == .truncated)
    #expect(all.count > 100_000)
    #expect(all.elementsEqual(numbers.prefix(all.count)))
    #expect(throws: BytesError.self) { try piece.withUnsafeMutableBytes { try source.read(into: $0) } }
    try #expect(source.sha256() == sha256(ofFile: RawPath(path)))
  }

  @Test("ends its thread when released at any point")
  func ends() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try file(numbers)
    let before = threads()
    for _ in 0..<50 { _ = try ahead(path) }
    #expect(threads() <= before + 20)
  }

  private func threads() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }
}
