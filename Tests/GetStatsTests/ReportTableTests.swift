import Bytes
import CallModel
import Testing

@testable import GetStats

@Suite("Reports in a table, one per row")
struct ReportTableTests {
  private static let start = 1_700_000_000_000

  /// Two polls a second apart of a sound and its codec, as pandas writes them, with a separator.
  private static func table(_ separator: String = ",", end: String = "\n") -> String {
    let rows =
      [
        [
          "", "id", "type", "timestamp", "kind", "ssrc", "mid", "codecId", "packetsReceived", "jitter",
          "mimeType", "active", "note",
        ]
      ]
      + (1...2).flatMap { second in
        let time = "\(start + second * 1000).25"
        return [
          [
            "\(2 * second)", "I1", "inbound-rtp", time, "audio", "71000.0", "0", "12", "\(second * 50).0",
            "0.012", "", "True",
            "\"a \"\"b\"\"\(separator) {1}\"",
          ],
          ["\(2 * second + 1)", "12", "codec", time, "", "", "", "", "", "", "audio/opus", "", "NaN"],
        ]
      }
    return rows.map { $0.joined(separator: separator) + end }.joined()
  }

  private func lines(_ text: String) throws -> [String] {
    let source = ReportTable.lines(MemoryBytes(text))
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 7, alignment: 1)
    defer { buffer.deallocate() }
    while case let count = try source.read(into: buffer), count > 0 { bytes += buffer.prefix(count) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  @Test("are read, whatever stands between the columns", arguments: [",", ";", "\t"], ["\n", "\r\n"])
  func read(separator: String, end: String) throws {
    let table = Self.table(separator, end: end)
    #expect(try format(of: table) == .getstatsLines)
    let lines = try lines(table)
    #expect(lines.first == "" && lines.count == 6)
    #expect(try self.lines(String(table.dropLast(end.count))).dropLast() == lines.dropLast())
    let sink = try readSource(lines.joined(separator: "\n"), as: .getstatsLines)
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.times == [1, 2].map { Double(Self.start + $0 * 1000) + 0.25 })
    #expect(stream.series(.packets) == [50, 100])
    #expect(stream.facts.codec == "opus" && stream.facts.ssrc == 71_000 && stream.facts.mid == "0")
    #expect(
      lines[1].contains(#""note":"a \"b\"\#(separator == "\t" ? "\\t" : separator) {1}""#), "\(lines[1])")
  }

  @Test("a row without end is refused with its line, and those behind it are read", arguments: [",", "\"a"])
  func endless(part: String) throws {
    let rows = Self.table().split(separator: "\n").map(String.init)
    let long = String(repeating: part, count: 1_100_000)
    let table = ([rows[0], rows[1], long] + rows[2...]).joined(separator: "\n") + "\n"
    var read = try lines(table)
    let refused = read.remove(at: 2)
    #expect(refused == "a row of over 1 MiB", "no JSON")
    // What a quote opened ends with the line that is too long.
    #expect(read == (try lines(Self.table())))
  }

  @Test("are none where the columns are others")
  func others() throws {
    for text in [
      "time,type,loss\n1,a,2\n", "id,type,timestamp\n1,2,3\n", "id type timestamp ssrc\n",
      "{\"id,type,timestamp,ssrc\":1}\n",
    ] {
      #expect(try format(of: text) != .getstatsLines)
      #expect(try lines(text).joined(separator: "\n") == text)
    }
  }

  @Test("with a quote that never ends take no more room than they should")
  func endless() throws {
    let text = "id,type,timestamp,ssrc\n\"" + String(repeating: "a,b\n", count: 600_000)
    #expect(try lines(text).count > 2)
  }

  private func format(of text: String) throws -> SourceFormat? {
    try Array(text.utf8).withUnsafeBufferPointer { try Recognition.format(of: $0, name: "x.csv") }
  }
}
