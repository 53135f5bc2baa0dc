import Foundation
import Testing

/// A report of one's own is a folder that was copied and edited; people make mistakes in it.
@Suite("A report of one's own")
struct OwnReportTests {
  /// What is changed in which file of a copy, and what is then said of the line where it was.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var file = "report.txt"
    var words: String
    var wrong: String
    var message: String
    var testDescription: String { "\(file): \(wrong.split(separator: "\n").last ?? "")" }
  }

  static let mistakes: [Mistake] = [
    Mistake(
      words: "[query missing]\nfrom = missing-calls.sql", wrong: "[query missing]\nfrom = missing.sql",
      message: "there is no missing.sql in reports/mine nor in"),
    Mistake(
      words: "column = why |", wrong: "column = whi |",
      message: "query 'worst' has no column 'whi'; did you mean 'why'?"),
    Mistake(
      words: "x = score", wrong: "x = scores", message: "query 'distribution' has no column 'scores'; did you"
    ),
    Mistake(
      words: "y = share", wrong: "y = shore", message: "query 'distribution' has no column 'shore'; did you"),
    Mistake(
      words: "series = who", wrong: "series = whom", message: "query 'distribution' has no column 'whom'; did"
    ),
    Mistake(
      words: "y = share", wrong: "y = who", message: "'who' cannot be drawn: it holds words, such as '"),
    Mistake(
      words: "shape = steps", wrong: "shape = pie", message: "'pie' is no shape; there are: lines, steps"),
    Mistake(words: "limit = 5", wrong: "limit = five", message: "'five' is no whole number"),
    Mistake(
      words: "x-range = 0 100", wrong: "x-range = 0-100", message: "expected two numbers, such as '0 100'"),
    Mistake(
      words: "| Verdict | verdict", wrong: "| Verdict | verdikt", message: "'verdikt' is no format; did you"),
    Mistake(
      words: "[facts health]", wrong: "[fact health]",
      message: "no section is called [fact]; did you mean [facts]"),
    Mistake(
      words: "title = Every SDK", wrong: "titel = Every SDK", message: "'titel' is no key of [table]; did you"
    ),
    Mistake(
      words: "title = Every SDK", wrong: "{\"title\": \"Every SDK\"}",
      message: "expected 'key = value', found '{"),
    Mistake(
      words: "style = page.css", wrong: "style = my.css",
      message: "cannot read reports/mine/my.css: No such file"),
    Mistake(
      words: "gates = nightly.gate", wrong: "gates = ../x.gate", message: "'../x.gate' is no file inside the"),
    Mistake(
      words: "join = trend on sdk", wrong: "join = trent on sdk",
      message: "there is no [query trent]; did you"),
    Mistake(
      words: "join = trend on sdk", wrong: "join = trend on codec",
      message: "the queries 'sdks' and 'trend' do not both have a column 'codec'"),
    Mistake(
      words: "set = unmet 1", wrong: "set = unmett 1",
      message: "expectations.sql has no parameter ':unmett'; it"),
    Mistake(
      words: "[query causes]", wrong: "[query causes]\n[query causes]",
      message: "[query causes] is defined twice"),
    Mistake(
      file: "worst.sql", words: "WHERE (:run", wrong: "WERE (:run", message: "near \"WERE\": syntax error"),
    Mistake(
      file: "worst.sql", words: "ORDER BY g.severity", wrong: "ORDER BY g.severty",
      message: "no such column: g.sev"),
    Mistake(
      file: "sdks.sql", words: "FROM judged_calls", wrong: "FROM judged_cals",
      message: "no such table: judged_cals"),
    Mistake(
      file: "sdks.sql", words: "avg(lost_loss)", wrong: "mean(lost_loss)", message: "no such function: mean"),
    Mistake(
      file: "health.sql", words: ":until IS NULL", wrong: ":untill IS NULL",
      message: "nothing gives ':untill' a value; did you mean ':until'?"),
    Mistake(
      file: "nightly.gate", words: "score.mean ", wrong: "score.meen ", message: "'score.meen' is no figure"),
  ]

  @Test("every mistake in it is explained with file and line, and nothing is made", arguments: mistakes)
  func mistake(_ mistake: Mistake) throws {
    let folder = try OwnReports.shared()
    let own = try folder.copy()
    let file = own.appendingPathComponent("reports/mine/\(mistake.file)")
    let text = try String(contentsOf: file, encoding: .utf8)
    let place = try #require(text.range(of: mistake.words), "the copy no longer has these words")
    try text.replacingCharacters(in: place, with: mistake.wrong).write(
      to: file, atomically: true, encoding: .utf8)
    // What stands there twice is wrong where it stands for the second time.
    let line = 1 + text[..<place.lowerBound].count { $0 == "\n" } + mistake.wrong.count { $0 == "\n" }
    let made = try Tool.run("report", "mine", "--db", folder.database, in: own)
    #expect(made.status == 2)
    #expect(
      made.errors.hasPrefix("callqa: reports/mine/\(mistake.file):\(line): \(mistake.message)"),
      "\(made.errors)")
    #expect(!FileManager.default.fileExists(atPath: own.appendingPathComponent("out").path))
  }

  @Test("a file saved by another editor, with CR LF and a byte order mark, is the same report")
  func otherEditors() throws {
    let folder = try OwnReports.shared()
    let own = try folder.copy()
    for name in ["report.txt", "nightly.gate", "worst.sql"] {
      let file = own.appendingPathComponent("reports/mine/\(name)")
      let text = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\n", with: "\r\n")
      try ((name == "worst.sql" ? "" : "\u{FEFF}") + text).write(to: file, atomically: true, encoding: .utf8)
    }
    let made = try Tool.run("report", "mine", "--db", folder.database, in: own)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.lines.last == "out/mine/index.html")
  }

  @Test("it is found here, in the user's configuration, or by its path; a bare `report` lists what there is")
  func places() throws {
    let folder = try OwnReports.shared()
    let own = try folder.copy()
    let config = own.appendingPathComponent("config/callqa/reports")
    try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: own.appendingPathComponent("reports/mine"), to: config.appendingPathComponent("ours"))
    let environment = ["XDG_CONFIG_HOME": own.appendingPathComponent("config").path]
    let list = try Tool.run(["report"], in: own, environment: environment)
    #expect(
      list.lines.map { $0.split(separator: " ").first } == ["report", "mine", "ours", "nightly"],
      "\(list.output)")
    for word in ["mine", "ours", "./reports/mine", "reports/mine/", "reports/mine/report.txt"] {
      let made = try Tool.run(["report", word, "--db", folder.database], in: own, environment: environment)
      #expect(made.status == 0, "\(word): \(made.errors)")
    }
    let none = try Tool.run(["report", "hers"], in: own, environment: environment)
    #expect(none.errors == "callqa: there is no report 'hers': there are: mine, ours, nightly\n")
    try FileManager.default.removeItem(at: own.appendingPathComponent("reports/mine/report.txt"))
    let bare = try Tool.run(["report", "mine"], in: own, environment: environment)
    #expect(bare.errors == "callqa: reports/mine is no report: it has no report.txt\n")
    #expect(try Tool.run("report", "--help").output.contains("~/.config/callqa/reports"))
  }

  @Test("a mistake in a question's file is reported with its line too")
  func question() throws {
    let folder = try OwnReports.shared()
    let own = try folder.copy()
    let file = own.appendingPathComponent("mine.sql")
    try "-- what?\nSELECT call_id,\n  scor\nFROM calls\n".write(to: file, atomically: true, encoding: .utf8)
    let asked = try Tool.run("query", "mine.sql", "--db", folder.database, in: own)
    #expect(asked.status == 2)
    #expect(asked.errors == "callqa: mine.sql:3: no such column: scor\n")
  }
}

/// The samples, imported once, and copies of the nightly report to spoil.
final class OwnReports: Sendable {
  private let folder: TemporaryFolder
  let database: String
  private static let made = Result {
    let reports = try OwnReports()
    // What is made once for all tests has no end of its own.
    atexit { (try? OwnReports.shared()).map { try? FileManager.default.removeItem(at: $0.folder.url) } }
    return reports
  }

  static func shared() throws -> OwnReports { try made.get() }

  private init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("calls.sqlite").path
    let imported = try Tool.run("import", Tool.sample(""), "--quiet", "--db", database)
    try #require(imported.status == 0, "\(imported.errors)")
  }

  /// A folder with `reports/mine`, a copy of the nightly report.
  func copy() throws -> URL {
    let own = folder.url.appendingPathComponent(UUID().uuidString)
    let reports = own.appendingPathComponent("reports")
    try FileManager.default.createDirectory(at: reports, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Tool.root.appendingPathComponent("reports/nightly"), to: reports.appendingPathComponent("mine"))
    return own
  }
}
