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

  @Test("a column of one value is said once above the rows, where the table is too wide with it")
  func constant() throws {
    let rows: [[Cell]] = (0..<4).map {
      [.integer(Int64($0)), .text("active"), .integer(0), .integer(90 + Int64($0))]
    }
    let columns = ["window", "state", "rate", "score"]
    #expect(try Self.printed(columns, rows, width: 40).hasPrefix("window  state   rate  score\n"))
    #expect(
      try Self.printed(columns, rows, width: 20) == """
        in every row: state active, rate 0
        window  score
             0     90
             1     91
             2     92
             3     93

        """)
  }

  @Test("columns move together before one of them is cut, or a row becomes a list")
  func together() throws {
    let rows: [[Cell]] = (0..<4).map { row in (0..<4).map { .integer(Int64(100_000 + 10 * row + $0)) } }
    #expect(
      try Self.printed(["a", "b", "c", "d"], rows, width: 28).hasPrefix(
        "     a      b      c      d\n100000 100001 100002 100003\n"))
    #expect(try Self.printed(["a", "b", "c", "d"], rows, width: 26).hasPrefix("a  100000\n"))
  }

  @Test("times of which neighbours would look the same keep their milliseconds before columns move together")
  func milliseconds() throws {
    func rows(_ step: Double) -> [[Cell]] {
      (0..<4).map { [Self.moment(step * Double($0)), .integer(1_000_000 + Int64($0)), .integer(Int64($0))] }
    }
    let columns = ["t_ms", "sequence", "bytes"]
    #expect(try Self.printed(columns, rows(0.02), width: 27).contains("\n01:00:00.270  1000001     1\n"))
    #expect(try Self.printed(columns, rows(5), width: 27).contains("\n01:00:05   1000001      1\n"))
  }

  @Test("a clock that was never set does not keep the others from being shortened")
  func unset() throws {
    let rows: [[Cell]] = [
      [.real(20), .text("rel-07-stalled"), .text("silent")],
      [Self.moment(0), .text("call-16-monotonic"), .text("good")],
      [Self.moment(86_400), .text("call-18-empty"), .text("good")],
    ]
    let text = try Self.printed(["when@moment", "call_id", "verdict"], rows, width: 50)
    #expect(text.contains("call-16-monotonic  good") && text.contains("\n20 "), "\(text)")
  }

  @Test("events within a second keep their milliseconds, and lose the end of a long text")
  func events() throws {
    let rows: [[Cell]] = (0..<4).map { index in
      let name = index % 2 == 0 ? "requested" : "acquired"
      return [
        Self.moment(0.02 * Double(index)), .text("media.local-\(name)"),
        .text("navigator.mediaDevices.getUserMedia-\(name)"),
      ]
    }
    let text = try Self.printed(["t_ms", "event", "raw"], rows, width: 60)
    #expect(text.contains("01:00:00.270  media.local-acquired   navigator.mediaDevi"), "\(text)")
    #expect(try Self.printed(["t_ms", "event", "raw"], rows, width: 44).contains("\n01:00:00  "))
  }

  @Test("a call's worst problem is never cut: it goes below its row")
  func worstProblem() throws {
    let rows: [[Cell]] = [
      [.text("bad-call"), .text("poor"), .text("loss -26 at callee")],
      [.text("good-call"), .text("good"), .null],
    ]
    #expect(
      try Self.printed(["call_id", "verdict", "worst_problem"], rows, width: 28) == """
        call_id    verdict
        bad-call   poor
          loss -26 at callee
        good-call  good

        """)
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
