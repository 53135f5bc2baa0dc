import Bytes
import Foundation
import IO
import Testing

@Suite("A file is read with any compression")
struct InputFileTests {
  private let text = Array(String(repeating: "a line of a log, and another one\n", count: 40_000).utf8)

  @Test(
    "plain, gzip, gzip of several members, zstd", arguments: ["plain", "gzip", "members", "zstd", "frames"])
  func unpacks(how: String) throws {
    let half = text.count / 2
    let packed =
      switch how {
      case "gzip": gzip(text)
      case "members": gzip(Array(text[..<half])) + gzip([]) + gzip(Array(text[half...])) + [0, 0, 0]
      case "zstd": zstd(text)
      case "frames": zstd(Array(text[..<half])) + zstd(Array(text[half...]))
      default: text
      }
    try withFile(packed) { path in
      let file = try InputFile(path: path, hashing: true)
      try #expect(allBytes(of: file) == text)
      #expect(file.compressedBytesRead == packed.count)
      try #expect(file.sha256 == (sha256(ofFile: RawPath(path))))
    }
  }

  @Test("brotli, known by its name")
  func brotli() throws {
    try withFile([0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03], suffix: ".br") { path in
      try #expect(allBytes(of: InputFile(path: path)) == Array("hello".utf8))
    }
  }

  @Test("truncated gzip gives what there is, then says where it ends", arguments: [1, 8, 500, 2000])
  func truncated(cut: Int) throws {
    let packed = Array(gzip(text).dropLast(cut))
    try withFile(packed) { path in
      let file = try InputFile(path: path)
      var given: [UInt8] = []
      let error = #expect(throws: BytesError.self) { try collect(file, into: &given) }
      #expect(error?.kind == .truncated)
      #expect(error?.byte == packed.count)
      #expect(given == Array(text[..<given.count]))
      if cut <= 8 { #expect(given == text, "only the trailer is missing") }
    }
  }

  @Test("damaged gzip, and a bomb")
  func damaged() throws {
    var packed = gzip(text)
    packed[packed.count / 2] ^= 0xFF
    try withFile(packed) { path in
      let error = #expect(throws: BytesError.self) { _ = try allBytes(of: InputFile(path: path)) }
      #expect(error?.kind == .corrupt)
    }
    try withFile(gzip(text)) { path in
      let error = #expect(throws: BytesError.self) {
        _ = try allBytes(of: InputFile(path: path, largest: 100_000))
      }
      #expect(error?.kind == .tooLarge)
    }
  }

  @Test(
    "a bomb is detected by its decompressed size, a plain file is none", arguments: ["gzip", "zstd", "plain"])
  func bomb(how: String) throws {
    let long = [UInt8](repeating: 0x0A, count: 4 << 20)
    let packed = how == "gzip" ? gzip(long) : how == "zstd" ? zstd(long) : long
    try withFile(packed) { path in
      let file = try InputFile(path: path, expansion: Expansion(times: 50, free: 1 << 20))
      guard how != "plain" else { return try #expect(allBytes(of: file).count == long.count) }
      let error = #expect(throws: BytesError.self) { _ = try allBytes(of: file) }
      #expect(error?.kind == .tooLarge)
      #expect(error?.reason.contains("--raise expansion=NUMBER") == true)
      #expect(error?.byte == 1 << 20)
      let all = try InputFile(path: path, expansion: Expansion(times: 50, free: 4 << 20))
      try #expect(allBytes(of: all).count == long.count)
    }
  }

  @Test("missing, empty, a folder")
  func unusable() throws {
    let folder = FileManager.default.temporaryDirectory.path
    #expect(
      #expect(throws: BytesError.self) { _ = try InputFile(path: "\(folder)/no-such-file") }?.kind == .missing
    )
    #expect(#expect(throws: BytesError.self) { _ = try InputFile(path: folder) }?.kind == .unreadable)
    try withFile([]) { path in
      #expect(#expect(throws: BytesError.self) { _ = try InputFile(path: path) }?.kind == .empty)
    }
  }

  @Test("SHA-256 of the first test vector of FIPS 180")
  func digest() throws {
    try withFile(Array("abc".utf8)) { path in
      try #expect(
        sha256(ofFile: RawPath(path)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
  }

  @Test("an inspected head is returned again")
  func head() throws {
    let source = HeadedSource(MemoryBytes(text, piece: 777), count: 5000)
    #expect(source.head == Array(text[..<5000]))
    try #expect(allBytes(of: source) == text)
  }

  private func collect(_ source: any ByteSource, into bytes: inout [UInt8]) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  private func withFile(_ bytes: [UInt8], suffix: String = "", _ body: (String) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + suffix)
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try body(url.path)
  }
}
