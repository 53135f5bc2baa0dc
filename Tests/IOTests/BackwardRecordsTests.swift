import Bytes
import IO
import Testing

@Suite("Reading a source backwards, and without NUL bytes")
struct BackwardRecordsTests {
  private func all(_ source: any ByteSource, room: Int) throws -> String {
    var out: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
    defer { buffer.deallocate() }
    while case let got = try source.read(into: buffer), got > 0 { out += buffer[..<got] }
    return String(decoding: out, as: UTF8.self)
  }

  @Test(
    "records from the last to the first, whatever the blocks", arguments: [16, 17, 20, 33, 4096],
    ["", "\n", "\n\n"])
  func records(block: Int, end: String) throws {
    let records = [
      "#1 one", "#2 two\n\n  below\n  below it", "#3", "#4 " + String(repeating: "long ", count: 40),
    ]
    let source = BackwardRecords(
      MemoryBytes("head\n" + records.joined(separator: "\n") + end, piece: 7), block: block
    ) {
      $0.first == UInt8(ascii: "#")
    }
    let last = end == "\n\n" ? "\n" : ""
    #expect(
      try all(source, room: 11) == ([records[3] + "\n" + last] + records[..<3].reversed().map { $0 + "\n" })
        .joined() + "head\n")
  }

  @Test("an empty source, and a single line")
  func small() throws {
    #expect(try all(BackwardRecords(MemoryBytes("")) { _ in true }, room: 8) == "")
    #expect(try all(BackwardRecords(MemoryBytes("x")) { _ in false }, room: 8) == "x\n")
  }

  @Test(
    "a line without an end comes in parts, so that no more than a few of the longest records are in memory")
  func endless() throws {
    let count = 5 * BackwardRecords.longestRecord
    let source = BackwardRecords(MemoryBytes("#1\n#2" + String(repeating: "x", count: count))) {
      $0.first == UInt8(ascii: "#")
    }
    let lines = try all(source, room: 65_536).split(separator: "\n")
    #expect(lines.count > 2 && lines.allSatisfy { $0.utf8.count <= 4 * BackwardRecords.longestRecord })
    #expect(lines.reduce(0) { $0 + $1.utf8.count } == count + 4 && lines.last == "#1")
  }

  @Test("NUL bytes are removed and counted, copied or lent")
  func nuls() throws {
    let text = "\0\0\0one\0\ntwo\n\0\0\0\0"
    let copied = NULFreeBytes(MemoryBytes(text, piece: 5))
    #expect(try all(copied, room: 4) == "one\ntwo\n" && copied.leftOut == 8)
    let lent = NULFreeBytes(LentBytes([Array("\0\0one".utf8), [0, 0], Array("\ntw\0o\n".utf8), [0]]))
    var reader = LineReader(lent)
    var lines: [String] = []
    while try reader.next({ bytes, _, _ in lines.append(String(decoding: bytes, as: UTF8.self)) }) {}
    #expect(lines == ["one", "two"] && lent.leftOut == 6)
  }
}

private final class LentBytes: ByteSource {
  private var pieces: [UnsafeMutableRawBufferPointer]
  private var next = 0

  init(_ pieces: [[UInt8]]) {
    self.pieces = pieces.map { piece in
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 16)
      room.copyBytes(from: piece)
      return room
    }
  }

  deinit { for piece in pieces { piece.deallocate() } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }

  func lend() throws -> UnsafeRawBufferPointer? {
    guard next < pieces.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    next += 1
    return UnsafeRawBufferPointer(pieces[next - 1])
  }
}
