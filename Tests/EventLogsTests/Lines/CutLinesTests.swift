import Testing

@testable import EventLogs

@Suite("Lines that a container's log cut into parts are put together")
struct CutLinesTests {
  private static let time = "2026-11-21T10:00:00.123456789Z"

  private static func together(_ lines: [String], longestLine: Int = 1 << 20) -> (
    lines: [String], numbers: [Int], tooLong: [Int], notes: [String]
  ) {
    var cut = PartialLineJoiner(longestLine: longestLine)
    var found: [(String, Int)] = []
    var tooLong: [Int] = []
    func keep(_ bytes: UnsafeBufferPointer<UInt8>, _ number: Int, _: Int) {
      found.append((String(decoding: bytes, as: UTF8.self), number))
    }
    for (index, line) in lines.enumerated() {
      Array(line.utf8).withUnsafeBufferPointer {
        cut.take($0, number: index + 1, offset: 0) { keep($0, $1, $2) }
      }
      if let long = cut.tooLong { tooLong.append(long.line) }
    }
    cut.finish { keep($0, $1, $2) }
    return (found.map(\.0), found.map(\.1), tooLong, cut.notes)
  }

  @Test("what is no part passes as it is, be it like one")
  func ordinary() {
    let lines = [
      "", "{", "{}", "2026", "\(Self.time) stdout F whole", "\(Self.time) stdout P", "\(Self.time) stdout F",
      "2026-11-21T10:00:00Z stdin P x", "2026-11-21T10:00:00Z stdout Past", "[INFO] stdout P x",
      "{\"log\":\"short, and no feed\",\"stream\":\"stdout\"}", "{\"MESSAGE\":\"whole\"}",
      "{\"CONTAINER_PARTIAL_MESSAGE\":\"false\",\"CONTAINER_NAME\":\"a\",\"MESSAGE\":\"whole\"}",
    ]
    let found = Self.together(lines.filter { $0 != "\(Self.time) stdout P" })
    #expect(found.lines == lines.filter { $0 != "\(Self.time) stdout P" } && found.notes.isEmpty)
  }

  @Test("parts of the runtime's go on until the full one, each stream by itself")
  func marked() {
    let found = Self.together([
      "\(Self.time) stdout P one ", "\(Self.time) stderr P other ", "\(Self.time) stdout P:tag two ",
      "a line of another kind", "\(Self.time) stdout F three", "\(Self.time) stdout F alone",
      "\(Self.time) stderr F:tag end",
    ])
    #expect(
      found.lines == [
        "a line of another kind", "\(Self.time) stdout P one two three", "\(Self.time) stdout F alone",
        "\(Self.time) stderr P other end",
      ])
    #expect(found.numbers == [4, 1, 6, 2] && found.notes.isEmpty)
  }

  @Test("an entry of Docker's goes on where it is full and ends with no line feed")
  func docker() {
    func entry(_ text: String, _ stream: String = "stdout") -> String {
      "{\"log\":\"\(text)\",\"stream\":\"\(stream)\",\"time\":\"\(Self.time)\"}"
    }
    let full = String(repeating: "x", count: (16 << 10) - 1)
    let found = Self.together([
      entry("\\\"" + full), entry("in between\\n", "stderr"), entry(full + "é"), entry("end\\n"),
      entry(full + "x\\n"), entry(full + "xx is no entry of that length"),
    ])
    #expect(
      found.lines == [
        entry("in between\\n", "stderr"), entry("\\\"" + full + full + "éend\\n"), entry(full + "x\\n"),
        entry(full + "xx is no entry of that length"),
      ])
    #expect(found.numbers == [2, 1, 5, 6] && found.notes.isEmpty)
  }

  @Test("entries of journald's go on as they say, by their container or the id of their line")
  func journald() {
    func entry(_ message: String, _ more: String) -> String {
      "{\"__CURSOR\":\"s=1\",\"MESSAGE\":\(message),\(more)}"
    }
    let goesOn = "\"CONTAINER_PARTIAL_MESSAGE\":\"true\""
    let (one, other) = ("\"CONTAINER_NAME\":\"a\"", "\"CONTAINER_NAME\":\"b\"")
    let id = "\"CONTAINER_PARTIAL_ID\":\"7\",\"CONTAINER_NAME\":\"a\""
    let found = Self.together([
      entry("\"one \"", "\(one),\(goesOn)"), entry("\"b\"", other), entry("\"seven \"", "\(id),\(goesOn)"),
      // A letter that was cut is no text, and its bytes are written one by one.
      entry("[65,195]", "\(one),\(goesOn)"), entry("[169]", one),
      entry("\"seven\"", "\(id),\(goesOn),\"CONTAINER_PARTIAL_LAST\":\"true\""),
    ])
    #expect(
      found.lines == [
        entry("\"b\"", other), entry("\"one Aé\"", "\(one),\(goesOn)"),
        entry("\"seven seven\"", "\(id),\(goesOn)"),
      ])
    // Without --all journalctl leaves long texts out.
    let left = Self.together([entry("\"one \"", "\(one),\(goesOn)"), entry("null", one), "next"])
    #expect(left.lines == [entry("\"one \"", "\(one),\(goesOn)"), entry("null", one), "next"])
    #expect(left.notes.first?.contains("1 line that a container's log cut into parts is not whole") == true)
  }

  @Test("what ends before its last part is given as far as it came, and counted")
  func unfinished() {
    let found = Self.together(["\(Self.time) stdout P one ", "\(Self.time) stdout P two"])
    #expect(found.lines == ["\(Self.time) stdout P one two"] && found.notes.count == 1)
  }

  @Test("what was written before a part does not go on with it")
  func backwards() {
    let lines = [
      "2026-11-21T10:00:02.1Z stdout F 2b", "2026-11-21T10:00:02.1Z stdout P 2a",
      "2026-11-21T10:00:01.1Z stdout F 1b",
      "2026-11-21T10:00:01.1Z stdout P 1a",
    ]
    let found = Self.together(lines)
    #expect(found.lines == lines && found.notes.first?.hasPrefix("2 lines") == true)
  }

  @Test("parts are kept up to the longest line, and as many lines of them as are told apart")
  func bounded() {
    let part = "\(Self.time) stdout P " + String(repeating: "x", count: 100)
    let found = Self.together(
      [part, part, part, part, "\(Self.time) stdout F end", "next"], longestLine: 250)
    #expect(found.lines == ["next"] && found.tooLong == [1] && found.notes.isEmpty)
    let many = (0..<3000).map {
      "{\"__CURSOR\":\"\",\"MESSAGE\":\"\($0)\",\"CONTAINER_NAME\":\"\($0)\",\"CONTAINER_PARTIAL_MESSAGE\":\"true\"}"
    }
    #expect(Self.together(many).lines.sorted() == many.sorted())
  }
}
