import Foundation
import Testing

@Suite("What the documents say of SQL holds")
struct SQLDocumentTests {
  private static func imported(_ folder: URL) throws -> String {
    let database = folder.appendingPathComponent("x.sqlite").path
    let samples = Tool.root.path + "/samples"
    try Tool.run("import", samples, "--db", database)
    return database
  }

  @Test("each question of docs/sql.md has an answer")
  func questions() throws {
    let text = try String(contentsOfFile: Tool.root.path + "/docs/sql.md", encoding: .utf8)
    let start = try #require(text.range(of: "## Questions"))
    let end = try #require(text.range(of: "## From other tools"))
    var statements: [String] = []
    var statement = ""
    for line in text[start.upperBound..<end.lowerBound].split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("       ") {
        statement += line.trimmingCharacters(in: .whitespaces) + "\n"
      } else if !statement.isEmpty, !line.isEmpty {
        statements.append(statement)
        statement = ""
      }
    }
    if !statement.isEmpty { statements.append(statement) }
    #expect(statements.count == 24)
    let folder = try TemporaryFolder()
    let database = try Self.imported(folder.url)
    for statement in statements {
      let result = try Tool.run("query", statement, "--db", database, "--json")
      #expect(result.status == 0, "\(statement): \(result.errors)")
    }
    let answered = try statements.count {
      try !Tool.run("query", $0, "--db", database, "--json").lines.isEmpty
    }
    #expect(answered >= 17, "samples have no relay and may have no failed login")
  }

  /// `CALLQA_PYTHON`, or the `python3` of the path.
  @Test("each question has the same answer in sqlite3, pandas and DuckDB, which reads every view")
  func engines() throws {
    let folder = try TemporaryFolder()
    let database = try Self.imported(folder.url)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let python = ProcessInfo.processInfo.environment["CALLQA_PYTHON"] ?? "python3"
    process.arguments = [python, Tool.root.path + "/scripts/sql-questions", database]
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(said)")
    if said.contains("left out") { print("docs/sql.md: \(said)") }
  }

  @Test("docs/every-night.md has each metric of Prometheus, and no other")
  func metrics() throws {
    func names(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
      let text = try String(contentsOfFile: Tool.root.path + file, encoding: .utf8)
      return Set(text.matches(of: pattern).map { String($0.1) })
    }
    let written = try names("/Tests/CommandTests/Interface/Golden/words.txt", /prometheus (callqa_[a-z_]+)/)
    #expect(try names("/docs/every-night.md", /`(callqa_[a-z_]+)`/) == written)
    #expect(written.count == 18)
  }

  @Test("each panel of the Grafana dashboard has SQL that runs")
  func dashboard() throws {
    let data = try Data(contentsOf: Tool.root.appendingPathComponent("deploy/grafana/callqa.json"))
    let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    #expect(panels.count >= 8)
    let folder = try TemporaryFolder()
    let database = try Self.imported(folder.url)
    for panel in panels {
      for target in try #require(panel["targets"] as? [[String: Any]]) {
        var sql = try #require(target["rawQueryText"] as? String)
        // The range of time that the dashboard shows, ms.
        #expect(sql.contains("BETWEEN $__from AND $__to"), "\(panel["title"] ?? "")")
        for (name, value) in [("$__from", "0"), ("$__to", "9e15")] { sql = sql.replacing(name, with: value) }
        let result = try Tool.run("query", sql, "--db", database, "--json")
        #expect(result.status == 0, "\(panel["title"] ?? ""): \(result.errors)")
      }
    }
  }
}
