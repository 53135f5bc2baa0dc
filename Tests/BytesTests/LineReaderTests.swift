import Bytes
import Testing

@Suite("Lines come as they stand, with their number and place")
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

  @Test("a line that is too long is left out and named")
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

  @Test("what stands before a failure is given first")
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
}
