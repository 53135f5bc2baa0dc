import Foundation
import Testing

@Suite("Polls are read however they are parted")
struct PartedStatisticsTests {
  private static let polls = (0..<12).map { poll in
    let ms = 1_795_226_400_000 + 1000 * poll
    return
      "{\"ts\":\(ms),\"pc\":\"a\",\"note\":\"one }{ two, \\\"three\\\"\",\"report\":[{\"id\":\"I1\",\"type\":\"inbound-rtp\","
      + "\"timestamp\":\(ms),\"kind\":\"audio\",\"ssrc\":7654321,\"packetsReceived\":\(50 * poll),\"packetsLost\":0}]}"
  }

  private func imported(_ text: String, as name: String = "app.json") throws -> [String: Any] {
    let folder = try TemporaryFolder()
    let file = try folder.file(name, text)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let objects = try Tool.run("import", file, "--db", database, "--json").objects()
    return try #require(objects.first)
  }

  @Test(
    "one behind the other, by carriage returns, commas and record separators",
    arguments: [
      ("", ""), (" ", ""), ("\r", ""), (",\n", ""), (",\r\n", ""), ("\n\u{1E}", "\u{1E}"),
      (",\n\n", ""), ("\r", "\u{FEFF}"),
    ])
  func parted(by separator: String, after begin: String) throws {
    let found = try imported(begin + Self.polls.joined(separator: separator) + separator)
    #expect(found["status"] as? String == "imported", "\(found)")
    #expect(found["samples"] as? Int == 12)
  }

  @Test("record separators in front of what stands over several lines")
  func separatedPages() throws {
    let pages = Self.polls.map { $0.replacingOccurrences(of: ",\"", with: ",\n  \"") }
    let found = try imported(pages.map { "\u{1E}" + $0 + "\n" }.joined())
    #expect(found["status"] as? String == "imported" && found["samples"] as? Int == 12, "\(found)")
  }

  @Test("events and statistics one behind the other")
  func events() throws {
    let event =
      "{\"ts\":1795226399000,\"pc\":\"a\",\"event\":\"connectionstatechange\",\"value\":\"connected\"}"
    let found = try imported(([event] + Self.polls).joined())
    #expect(found["samples"] as? Int == 12, "\(found)")
    #expect(found["events"] as? Int == 2)
  }

  @Test(
    "a first line that is no JSON costs that line",
    arguments: ["NaN", "undefined", "Infinity"])
  func firstLine(word: String) throws {
    var lines = Self.polls
    lines[0] = lines[0].replacingOccurrences(of: "{\"ts\"", with: "{\"lossPct\":\(word),\"ts\"")
    for name in ["app.jsonl", "app.json", "app.log"] {
      let found = try imported(lines.joined(separator: "\n"), as: name)
      #expect(found["status"] as? String == "partial", "\(name): \(found)")
      #expect(found["samples"] as? Int == 11, "\(name): \(found)")
    }
  }

  @Test("a column of JSON in a table, behind the others or amid them")
  func table() throws {
    func quoted(_ json: String) -> String {
      "\"" + json.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
    let behind = Self.polls.enumerated().map { "\($0),\"a, \"\"b\"\"\",c7,\(quoted($1))" }
    let amid = Self.polls.enumerated().map { "\($0),\(quoted($1)),c7" }
    for rows in [["id,text,call,stats"] + behind, ["id,stats,call"] + amid, behind] {
      let found = try imported(rows.joined(separator: "\r\n"), as: "export.csv")
      #expect(found["samples"] as? Int == 12, "\(found)")
    }
  }
}
