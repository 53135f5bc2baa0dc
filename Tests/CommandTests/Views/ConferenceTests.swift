import Foundation
import Testing

@Suite("A call of three ends: who they are, and who hears whom")
struct ConferenceTests {
  private static let people = ["ada", "ben", "cleo"]

  private func call(_ options: String...) throws -> Tool.Result {
    try Tool.run(["show", Tool.sample("conference")] + options)
  }

  @Test("JSON has the ends with their connections, and each stream with whose it is")
  func json() throws {
    let shown = try #require(call("--json").objects().first)
    let row = try #require(shown["call"] as? [String: Any])
    #expect(row["ends"] as? Int == 3 && row["ends_on_record"] as? Int == 3)
    let ends = try #require(shown["ends"] as? [[String: Any]])
    #expect(ends.compactMap { $0["name"] as? String }.sorted() == Self.people)
    for end in ends {
      let name = try #require(end["end"] as? String)
      #expect(end["on_record"] as? Bool == true && end["score_mean"] is NSNumber)
      let connections = try #require(end["connections"] as? [[String: Any]])
      #expect(connections.compactMap { $0["name"] as? String } == ["\(name)-send", "\(name)-receive"])
      for member in ["from_ms", "to_ms"] { #expect(connections.allSatisfy { $0[member] is NSNumber }) }
    }
    let hears = try #require(shown["hears"] as? [[String: Any]])
    let ways = hears.map { "\($0["from"] ?? "") \($0["to"] ?? "") \($0["medium"] ?? "")" }
    let others = Self.people.flatMap { to in Self.people.filter { $0 != to }.map { "\($0) \(to)" } }
    #expect(ways.sorted() == others.flatMap { ["\($0) audio", "\($0) video"] }.sorted())
  }

  @Test("a grid says who hears whom, the worst first, on 80 columns and on the page")
  func grid() throws {
    let lines = try call().output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let title = try #require(lines.firstIndex(of: "Who hears whom"))
    let grid = lines[(title + 1)...].prefix(4).map { $0.split(separator: " ").map(String.init) }
    #expect(grid.first?.sorted() == Self.people, "\(lines)")
    #expect(grid.dropFirst().compactMap(\.first).sorted() == Self.people)
    #expect(lines.allSatisfy { $0.count <= 80 })
    let page = try call("--html", "-").output
    #expect(page.contains("<section class=\"card\" id=\"hears\">"))
  }

  @Test("the generator in the repository made the sample")
  func made() throws {
    let folder = try TemporaryFolder()
    let script = """
      scripts/conference-sample "$0" && for name in ada ben cleo; do
        cmp <(gzip -dc "$0/$name.jsonl.gz") <(gzip -dc "samples/conference/$name.jsonl.gz") || exit; done
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script, folder.url.path]
    process.currentDirectoryURL = Tool.root
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("names that the application gave, and ids of tracks, are hidden, left behind, pruned and forgotten")
  func people() throws {
    let folder = try TemporaryFolder()
    let track = "2f2a9c4e-77b0-4c11-8e02-0d9e5b7c3a11"
    func names(_ text: String) -> [String] {
      let words = Set(
        text.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.flatMap { word in
          [String(word)] + word.split(separator: "-").map(String.init)
        })
      return (Self.people + [track]).filter { words.contains($0) || words.contains($0.capitalized) }
    }
    for form in [["--all"], ["--json"], ["--html", "-"]] {
      let shown = try Tool.run(["show", Tool.sample("conference")] + form).output
      #expect(names(shown).count >= 3, "\(form)")
      let hidden = try Tool.run(["show", Tool.sample("conference"), "--hide-people"] + form).output
      #expect(names(hidden).isEmpty && hidden.count > 500, "\(form): \(names(hidden))")
    }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let columns =
      "SELECT endpoint AS t FROM endpoints UNION SELECT endpoint FROM source_views UNION SELECT name FROM source_views "
      + "UNION SELECT track_identifier FROM streams UNION SELECT verdict_end FROM calls UNION SELECT score_endpoint FROM calls"
    func stored(_ path: String) throws -> [String] {
      names(try Tool.run("query", columns, "--db", path, "--csv").output)
    }
    try Tool.run("import", Tool.sample("conference"), "--db", database)
    #expect(try stored(database) == Self.people + [track])
    let copy = folder.url.appendingPathComponent("copy.sqlite").path
    try Tool.run("copy", "conference", "--to", copy, "--hide-people", "--db", database)
    #expect(try stored(copy) == [])
    #expect(try Tool.run("check", "--db", copy).status == 0)
    #expect(try Tool.run("call", "conference", "--db", copy).output.contains("removed-1"))
    try Tool.run("forget", "cleo", "--db", database)
    let ends =
      "SELECT endpoint FROM endpoints UNION SELECT endpoint FROM source_views UNION SELECT verdict_end FROM calls"
    #expect(names(try Tool.run("query", ends, "--db", database, "--csv").output) == ["ada", "ben"])
    try Tool.run("prune", "--people-older-than", "2027-01-01", "--db", database)
    #expect(try stored(database).filter { $0 != "cleo" } == [], "a part of a longer name is not forgotten")
  }
}
