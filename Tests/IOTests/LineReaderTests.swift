import Bytes
import IO
import Testing

@Suite("Lines have their number and offset")
struct LineReaderTests {
  private struct Line: Equatable {
    var text: String
    var line: Int
    var offset: Int
  }

  @Test("LF, CRLF, empty lines, a last line without an end", arguments: [1, 3, 7, Int.max])
  func lines(piece: Int) throws {
    let source = MemoryBytes("one\n\r\ntwo two two two two\r\n\nlast", piece: piece)
    var reader = LineReader(source, chunk: 16)
    var lines: [Line] = []
    while try reader.next({
      lines.append(Line(text: String(decoding: $0, as: UTF8.self), line: $1, offset: $2))
    }) {
      let unfinished = reader.isUnfinished
      #expect(unfinished == (lines.count == 5))
    }
    #expect(
      lines == [
        Line(text: "one", line: 1, offset: 0), Line(text: "", line: 2, offset: 4),
        Line(text: "two two two two two", line: 3, offset: 6), Line(text: "", line: 4, offset: 27),
        Line(text: "last", line: 5, offset: 28),
      ])
  }

  @Test("a line that is too long is skipped and reported")
  func tooLong() throws {
    let source = MemoryBytes("ok\n" + String(repeating: "x", count: 1000) + "\nfine\n", piece: 10)
    var reader = LineReader(source, longestLine: 100, chunk: 16)
    var seen: [String] = []
    var long: [Int] = []
    while try reader.next({ bytes, line, _ in seen.append("\(line) " + String(decoding: bytes, as: UTF8.self))
    }) {
      if let tooLong = reader.tooLong { long += [tooLong.line, tooLong.offset, tooLong.length] }
    }
    #expect(seen == ["1 ok", "3 fine"])
    #expect(long == [2, 3, 1001])
  }

  @Test("lines before an error come first")
  func failure() throws {
    final class Failing: ByteSource {
      let source = MemoryBytes("whole\ncut")
      func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = source.read(into: buffer)
        if count == 0 { throw BytesError(.truncated, "cut") }
        return count
      }
    }
    var reader = LineReader(Failing())
    var seen: [String] = []
    for _ in 0..<2 {
      let more = try reader.next { bytes, _, _ in seen.append(String(decoding: bytes, as: UTF8.self)) }
      seen.append("\(more) \(reader.isUnfinished)")
    }
    #expect(seen == ["whole", "true false", "cut", "true true"])
    var kind: BytesError.Kind?
    do { _ = try reader.next { _, _, _ in } } catch let error as BytesError { kind = error.kind }
    #expect(kind == .truncated)
  }

  /// Lends its bytes a chunk at a time from one buffer, and copies some of them all the same.
  private final class Lending: ByteSource {
    private let bytes: [UInt8]
    private let largest: Int
    private var position = 0
    private let place = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)

    init(_ text: String, largest: Int) {
      bytes = Array(text.utf8)
      self.largest = largest
    }

    deinit { place.deallocate() }

    private func next(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = min(Int.random(in: 1...largest), buffer.count, bytes.count - position)
      for index in 0..<count { buffer[index] = bytes[position + index] }
      position += count
      return count
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { next(into: buffer) }

    func lend() -> UnsafeRawBufferPointer? {
      // Bytes lent before are no longer valid.
      for index in place.indices { place[index] = 0x58 }
      if Int.random(in: 0..<8) == 0 { return nil }
      return UnsafeRawBufferPointer(rebasing: place[..<next(into: place)])
    }
  }

  @Test("the same from a source that lends its bytes", arguments: [1, 2, 5, 17, 64])
  func lent(largest: Int) throws {
    for _ in 0..<50 {
      let lines = (0..<40).map { _ in
        String(repeating: "abc", count: Int.random(in: 0..<40)) + (Bool.random() ? "\r" : "")
      }
      var expected: [Line] = []
      var offset = 0
      for (index, line) in lines.enumerated() {
        let isLong = line.utf8.count > 100
        let text = line.hasSuffix("\r") ? String(line.dropLast()) : line
        // Only the first of consecutive blank lines is returned.
        if !text.isEmpty || expected.last?.text.isEmpty != true {
          expected.append(Line(text: isLong ? "too long" : text, line: index + 1, offset: offset))
        }
        offset += line.utf8.count + 1
      }
      let text = lines.joined(separator: "\n") + "\n"
      var reader = LineReader(Lending(text, largest: largest), longestLine: 100, chunk: 16)
      var seen: [Line] = []
      while try reader.next({
        seen.append(Line(text: String(decoding: $0, as: UTF8.self), line: $1, offset: $2))
      }) {
        if let tooLong = reader.tooLong {
          seen.append(Line(text: "too long", line: tooLong.line, offset: tooLong.offset))
        }
      }
      #expect(seen == expected)
    }
  }
}

@Suite("Lines in memory")
struct LinesInMemoryTests {
  @Test(
    "are those of split, without the empty ones",
    arguments: ["", "\n", "a", "a\n", "\n\na\n\nbc\n", "a\r\nb", "one\ntwo\nthree\nfour"])
  func lines(text: String) {
    let bytes = Array(text.utf8)
    #expect(bytes.lines() == bytes.split(separator: UInt8(ascii: "\n")))
    #expect(bytes.lines(most: 2) == Array(bytes.split(separator: UInt8(ascii: "\n")).prefix(2)))
  }
}
