import CallModel
import Glibc
import Testing

@testable import Rendering

@Suite("Rows are printed as the format promises")
struct RowPrinterTests {
  static let columns = [
    "call_id", "started_ms", "score_mean", "points_lost.loss", "points_lost.delay", "findings[]", "excluded?",
  ]
  static let rows: [[Cell]] = [
    [
      .text("t17"), .real(1_767_225_600_250.5), .real(54.25), .integer(31), .integer(0),
      .text("[\"relay-only\",\"late-media\"]"), .integer(0),
    ],
    [.text("with, \"quotes\""), .null, .null, .null, .null, .null, .integer(1)],
  ]

  static func printed(
    _ format: RowFormat, columns: [String] = columns, rows: [[Cell]] = rows, width: Int? = nil,
    zone: Zone = Zone(fixedOffset: 3600, name: "+01:00")
  ) throws -> String {
    try Golden.withFolder { folder in
      let path = folder.appendingPathComponent("rows").path
      let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
      defer { close(descriptor) }
      let output = Output(descriptor: descriptor, path: path)
      var printer = RowPrinter(
        columns: columns, as: format, for: TerminalFacts(width: width, zone: zone), to: output)
      for row in rows { try printer.row(row) }
      try printer.finish()
      try output.flush()
      return String(decoding: try FileBytes.read(path), as: UTF8.self)
    }
  }

  @Test("JSON nests dotted names, embeds JSON, keeps null and loses no digit")
  func json() throws {
    #expect(
      try Self.printed(.json) == """
        {"call_id":"t17","started_ms":1767225600250.5,"score_mean":54.25,"points_lost":{"loss":31,"delay":0},"findings":["relay-only","late-media"],"excluded":false}
        {"call_id":"with, \\"quotes\\"","started_ms":null,"score_mean":null,"points_lost":{"loss":null,"delay":null},"findings":null,"excluded":true}

        """)
  }

  @Test("nested objects close where the path turns back")
  func nesting() throws {
    let names = ["a.b.c", "a.b.d", "a.e", "f", "g.h"]
    let row = (1...5).map { Cell.integer($0) }
    #expect(
      try Self.printed(.json, columns: names, rows: [row])
        == "{\"a\":{\"b\":{\"c\":1,\"d\":2},\"e\":3},\"f\":4,\"g\":{\"h\":5}}\n")
  }

  @Test("a JSON line stays one line, whatever is embedded")
  func oneLine() throws {
    let text = try Self.printed(.json, columns: ["args{}"], rows: [[.text("{\n\"a\":\r\n1}")]])
    #expect(text.filter(\.isNewline).count == 1)
  }

  @Test(
    "numbers are as short as they can be and read back the same",
    arguments: [
      (0.1, "0.1"), (-0.0, "0"), (1e300, "1e+300"), (1_700_000_000_000.125, "1700000000000.125"), (5, "5"),
    ])
  func numbers(_ value: Double, _ text: String) throws {
    #expect(try Self.printed(.json, columns: ["v"], rows: [[.real(value)]]) == "{\"v\":\(text)}\n")
  }

  @Test("what is not a number is null")
  func notANumber() throws {
    #expect(try Self.printed(.json, columns: ["v"], rows: [[.real(.nan)]]) == "{\"v\":null}\n")
  }

  @Test("CSV quotes by RFC 4180; unknown is empty, and no value is altered")
  func csv() throws {
    #expect(
      try Self.printed(
        .csv, columns: ["id", "n", "on?"],
        rows: Self.rows.map { [$0[0], $0[3], $0[6]] } + [[.text("=1+1"), .text(""), .null]])
        == "\"id\",\"n\",\"on\"\r\n\"t17\",31,\"false\"\r\n\"with, \"\"quotes\"\"\",,\"true\"\r\n\"=1+1\",\"\",\r\n"
    )
  }

  @Test("TSV keeps a row on a line")
  func tsv() throws {
    #expect(
      try Self.printed(.tsv, columns: ["a", "b"], rows: [[.text("x\ty\nz\\"), .null]])
        == "a\tb\nx\\ty\\nz\\\\\t\n")
  }

  @Test("Markdown takes nothing for markup")
  func markdown() throws {
    #expect(
      try Self.printed(.markdown, columns: ["id", "n"], rows: [[.text("a|b<i>"), .integer(3)]])
        == "| id | n |\n| --- | ---: |\n| a\\|b\\<i\\> | 3 |\n")
  }

  @Test("a table aligns numbers to the right and shows moments on the clock of the zone")
  func table() throws {
    #expect(
      try Self.printed(.table) == """
        call_id         started                        score_mean  points_lost.loss  points_lost.delay  findings                excluded
        t17             2026-01-01 01:00:00.251+01:00       54.25                31                  0  relay-only, late-media  no
        with, "quotes"  –                                       –                 –                  –  –                       yes

        """)
  }

  @Test("a narrow terminal cuts long texts first")
  func narrow() throws {
    let text = try Self.printed(
      .table, columns: ["id", "n"], rows: [[.text(String(repeating: "x", count: 100)), .integer(7)]],
      width: 40)
    for line in text.split(separator: "\n") { #expect(VisibleText.width(String(line)) == 40) }
    #expect(text.contains("…"))
  }

  @Test("where no cutting helps, a row becomes a list")
  func expanded() throws {
    let text = try Self.printed(.table, width: 40)
    #expect(text.hasPrefix("call_id            t17\nstarted            2026-01-01"))
    for line in text.split(separator: "\n") { #expect(VisibleText.width(String(line)) <= 40) }
  }

  @Test("rows beyond the first hundreds keep the columns")
  func many() throws {
    let rows = (0..<1000).map { [Cell.text("c\($0)"), .integer(Int64($0))] }
    let lines = try Self.printed(.table, columns: ["id", "n"], rows: rows).split(separator: "\n")
    #expect(lines.count == 1001)
    #expect(Set(lines.map(\.count)) == [9])
  }

  @Test("nothing of a hostile id reaches the terminal as an order", arguments: [RowFormat.table, .markdown])
  func hostile(_ format: RowFormat) throws {
    let id = "\u{1B}[31mred\u{07}\u{202E}gpj\u{9B}2J\r\n" + String(repeating: "\u{301}", count: 10_000)
    let text = try Self.printed(format, columns: ["id"], rows: [[.text(id)]], width: 80)
    #expect(
      !text.unicodeScalars.contains {
        $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}"
      })
    #expect(text.split(separator: "\n").count <= 3)
  }

  @Test("no rows: a table shows its header, JSON nothing")
  func empty() throws {
    #expect(try Self.printed(.table, columns: ["a", "b"], rows: []) == "a  b\n")
    #expect(try Self.printed(.json, columns: ["a", "b"], rows: []) == "")
  }
}
