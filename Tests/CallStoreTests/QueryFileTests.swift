import CallModel
import Foundation
import Testing

@testable import CallStore

/// Every question that ships, those of the reports too, asked of the same small fleet, here and in plain sqlite3.
@Suite("The SQL in queries/ and reports/")
struct QueryFileTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()
  /// Paths below the checkout, without their ending.
  static let names: [String] = ["queries", "reports"].flatMap { folder in
    let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
    return (files?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".sql") }
      .map { "\(folder)/\($0.dropLast(4))" }
  }.sorted()

  /// The second night as a report asks for it.
  private static let night2: [String: Cell] = [
    "run": .text("night-2"), "baseline": .text("night-1"), "zone": .text("[[0,3600000]]"),
    "blocked": .text("rebtel"),
  ]

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: "\(name).sql"), encoding: .utf8)
  }

  @Test("begin with a description, and list all parameters", arguments: names)
  func comments(name: String) throws {
    let sql = try text(name)
    #expect(sql.hasPrefix("-- "))
    #expect(sql.split(separator: "\n").first?.hasSuffix("?") == true)
    let comments = sql.split(separator: "\n").filter { $0.hasPrefix("--") }.joined(separator: "\n")
    for parameter in try Store.inMemory().parameters(of: sql) { #expect(comments.contains(":\(parameter)")) }
  }

  @Test("return the recorded results", arguments: names)
  func answers(name: String) throws {
    let store = try Fleet.make()
    let sql = try text(name)
    let known = Set(try store.parameters(of: sql))
    let result = try store.query(sql, Self.night2.filter { known.contains($0.key) })
    let lines =
      [result.columns.joined(separator: "|")] + result.rows.map { $0.map(Self.text).joined(separator: "|") }
    try Golden.compare(lines.joined(separator: "\n") + "\n", "\(name).txt")
    _ = try store.query(sql)
  }

  @Test("list each violated expectation of a manifest, and no other calls")
  func unmet() throws {
    let store = try Store.inMemory()
    try store.connection.execute(
      """
      INSERT INTO runs (run_id) VALUES ('r');
      INSERT INTO calls (call_id, run_id, expected, outcome, score_mean, min_score, setup_ms, max_setup_ms, stale) VALUES
        ('both', 'r', 1, 'completed', 74, 80, 252, 100, 0), ('fine', 'r', 1, 'completed', 90, 80, 50, 100, 0),
        ('all', 'r', 1, 'dropped', 74, 80, 252, 100, 0);
      """)
    let sql = try text("queries/expectations")
    func trouble(_ parameters: [String: Cell]) throws -> [String?] {
      let result = try store.query(sql, parameters)
      let place = try #require(result.columns.firstIndex(of: "trouble"))
      return result.rows.map { if case .text(let text) = $0[place] { text } else { nil } }
    }
    let both = "scored 74.0, expected 80.0 or more; took 252 ms to set up, expected 100 or less"
    #expect(try trouble([:]) == ["dropped, expected completed; \(both)", both])
    #expect(try trouble(["unmet": .integer(0)]).count == 3)
  }

  @Test("in a night with the end of summer time, hours are local time")
  func hoursOverChange() throws {
    let store = try Store.inMemory()
    try store.connection.execute(
      """
      INSERT INTO calls (call_id, outcome, started_ms, stale) VALUES
        ('before', 'completed', 1792889999000, 0), ('after', 'completed', 1792890001000, 0);
      """)
    let zone: [String: Cell] = ["zone": .text("[[1792889999000,7200000],[1792890000000,3600000]]")]
    let hours = try store.query(try text("reports/nightly/breakdowns"), zone).rows.filter {
      $0.first == .text("hour")
    }
    #expect(hours.map { $0[1] } == [.text("02:00")] && hours.first?[2] == .integer(2))
    let apart = try store.query(
      try text("reports/nightly/breakdowns"), ["zone": .text("[[0,7200000],[1792890000000,0]]")]
    ).rows.filter { $0.first == .text("hour") }
    #expect(apart.map { $0[1] } == [.text("01:00"), .text("02:00")])
  }

  @Test(
    "a night without a run is from noon to noon by the reader's clocks",
    arguments: ["reports/nightly/poor-trend", "queries/trend"])
  func nights(name: String) throws {
    let store = try Store.inMemory()
    // In Sydney, 11 hours ahead: 20:00 and 02:00 of one night, which 12:00 UTC would cut; the third is of the night after.
    try store.connection.execute(
      """
      INSERT INTO calls (call_id, outcome, started_ms, stale) VALUES ('a', 'completed', 1794387600000, 0),
        ('b', 'completed', 1794409200000, 0), ('c', 'completed', 1794474000000, 0);
      """)
    func nights(_ parameters: [String: Cell]) throws -> [String] {
      let result = try store.query(try text(name), parameters)
      let calls = try #require(result.columns.firstIndex(of: "calls"))
      return result.rows.map { "\(Self.text($0[0])) \(Self.text($0[calls]))" }
    }
    let zone: [String: Cell] = ["zone": .text("[[1700000000000,39600000]]")]
    #expect(try nights(zone) == ["2026-11-11 2", "2026-11-12 1"])
    #expect(try nights([:]) == ["2026-11-10 1", "2026-11-11 2"])
    let changed: [String: Cell] = ["zone": .text("[[0,0],[1794409200000,39600000]]")]
    #expect(try nights(changed) == ["2026-11-10 1", "2026-11-11 1", "2026-11-12 1"])
  }

  @Test(
    "run unchanged in plain sqlite3, but for those that ask for quantiles_by, which is callqa's",
    .enabled(if: SQLite3.isThere, "sqlite3 is not installed"))
  func plain() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.sqlite")
    let store = try Fleet.make()
    try store.save(to: path)
    for name in Self.names {
      let sql = try text(name)
      let result = try store.query(sql)
      let shown = try SQLite3.run(path, Self.root.appending(path: "\(name).sql").path)
      if sql.contains("quantiles_by(") {
        #expect(shown.error.contains("no such function: quantiles_by"), "\(name)")
        continue
      }
      #expect(shown.error == "", "\(name)")
      #expect(shown.lines == result.rows.count, "\(name)")
    }
  }

  private static func text(_ cell: Cell) -> String {
    switch cell {
    case .null: "-"
    case .integer(let value): String(value)
    case .real(let value): String((value * 1e6).rounded() / 1e6)
    case .text(let value): value
    case .blob: "?"
    }
  }
}

/// Answers on file: compared, or recorded with RECORD_GOLDEN=1.
enum Golden {
  static func compare(_ text: String, _ name: String, _ file: String = #filePath) throws {
    let path = URL(fileURLWithPath: file).deletingLastPathComponent().appending(path: "Golden/\(name)")
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: path, atomically: true, encoding: .utf8)
    }
    let recorded = (try? String(contentsOf: path, encoding: .utf8)) ?? "nothing recorded at \(path.path)"
    #expect(text == recorded)
  }
}

/// The command line shell of SQLite.
enum SQLite3 {
  static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")

  static func run(_ database: String, _ file: String) throws -> (lines: Int, error: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    // -json prints one line per row.
    process.arguments = ["-batch", "-json", "-readonly", database, ".read '\(file)'"]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.split(separator: "\n").count, error)
  }
}
