import CallModel
import Testing

@testable import Reporting
@testable import Rendering

@Suite("A table that is too wide says once what is the same everywhere, and cuts last")
struct TableLayoutTests {
  /// 2026-11-21 01:00:00.250 in UTC.
  private static let base = 1_795_222_800_250.0
  private static func moment(_ seconds: Double) -> Cell { .real(base + seconds * 1000) }
  private static func printed(_ columns: [String], _ rows: [[Cell]], width: Int?) throws -> String {
    try RowPrinterTests.printed(.table, columns: columns, rows: rows, width: width, zone: .utc)
  }

  private static let windows: [[Cell]] = ["callee", "caller"].flatMap { end in
    (0..<3).map { [.text("a-call"), .text(end), moment(5 * Double($0)), .integer(50 + Int64($0)), .null] }
  }

  @Test("wide enough, a table has every column in every row, and whole times")
  func wide() throws {
    let text = try Self.printed(
      ["call_id", "endpoint", "start_ms", "score", "label"], Self.windows, width: 100)
    #expect(
      text.hasPrefix(
        """
        call_id  endpoint  start                          score  label
        a-call   callee    2026-11-21 01:00:00.250+00:00     50  –
        """))
  }

  @Test(
    "first columns head the rows that share them; the day and the offset are said once, and what is unknown")
  func shared() throws {
    let columns = ["call_id", "endpoint", "start_ms", "score", "label"]
    #expect(
      try Self.printed(columns, Self.windows, width: 26) == """
        times of 2026-11-21, +00:00
        start         score  label
        a-call · callee
        01:00:00.250     50  –
        01:00:05.250     51  –
        01:00:10.250     52  –

        a-call · caller
        01:00:00.250     50  –
        01:00:05.250     51  –
        01:00:10.250     52  –

        """)
    let narrow = try Self.printed(columns, Self.windows, width: 16)
    #expect(narrow.contains("\nno values for: label\nstart     score\na-call · callee\n01:00:00     50\n"))
  }

  @Test("times of several days keep their day, and one of another offset is whole")
  func days() throws {
    let rows: [[Cell]] = (0..<300).map { [.text("c\($0)"), Self.moment(Double($0) * 0.19 * 86_400)] }
    let lines = try Self.printed(["id", "start_ms"], rows, width: 30).split(separator: "\n")
    #expect(lines[0] == "times of 2026, +00:00" && lines[2] == "c0    11-21 01:00:00.250")
    #expect(lines.last == "c299  2027-01-16 20:26:24.250+00:00")
  }

  @Test("a sentence goes below its row, whole, rather than to lose its end")
  func sentence() throws {
    let words = "The sender's bandwidth is too small for its picture for most of the call."
    let text = try Self.printed(
      ["endpoint", "code", "text"],
      [
        [.text("callee"), .text("bandwidth-starved"), .text(words)],
        [.text("caller"), .text("no-media"), .null],
      ],
      width: 50)
    #expect(
      text == """
        endpoint  code
        callee    bandwidth-starved
          The sender's bandwidth is too small for its
          picture for most of the call.
        caller    no-media

        """)
  }

  @Test("a long name that has no room stands above its row")
  func longName() throws {
    let path = "/srv/calls/2026-11-21/t17/caller.stats.jsonl.gz"
    let text = try Self.printed(
      ["path", "format", "status", "streams", "samples"],
      [[.text(path), .text("getstats-lines"), .text("imported"), .integer(4), .integer(136)]], width: 60)
    #expect(
      text == """
        format          status    streams  samples
        \(path)
        getstats-lines  imported        4      136

        """)
  }

  @Test("durations, shares and points carry their units for people, and are raw numbers elsewhere")
  func units() throws {
    let columns = ["setup@ms", "loss@share", "score@points"]
    let row: [Cell] = [.real(637.2), .real(0.0907), .real(45.73)]
    #expect(try Self.printed(columns, [row], width: 80) == " setup   loss  score\n637 ms  9.1 %     46\n")
    #expect(
      try Self.printed(columns, [[.null, .real(0.00008), .integer(100)]], width: nil)
        == "setup     loss  score\n–      < 0.1 %    100\n")
    #expect(
      try RowPrinterTests.printed(.csv, columns: columns, rows: [row])
        == "\"setup\",\"loss\",\"score\"\r\n637.2,0.0907,45.73\r\n")
  }

  @Test("no line is wider than the terminal, whatever the columns", arguments: [20, 33, 47, 60, 80, 120])
  func width(_ width: Int) throws {
    var random = SeededRandom(seed: UInt64(width))
    for _ in 0..<60 {
      let columns = (0..<Int.random(in: 1...9, using: &random)).map { index in
        ["c\(index)", "start_ms", "text", "n@ms"].randomElement(using: &random) ?? "c"
      }
      let rows: [[Cell]] = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        columns.map { name in
          if Int.random(in: 0...5, using: &random) == 0 { return .null }
          if name.hasSuffix("ms") { return Self.moment(Double.random(in: 0...1e6, using: &random)) }
          let words = Int.random(in: 0...9, using: &random)
          return .text(String(repeating: "wörd ", count: words))
        }
      }
      let lines = try Self.printed(columns, rows, width: width).split(separator: "\n")
      let widest = lines.map { VisibleText.width(String($0)) }.max() ?? 0
      // A list of its own cuts values to no less than 8 columns beside names of at most 32.
      #expect(widest <= max(width, 42), "\(columns): \(lines.joined(separator: "\n"))")
    }
  }
}
