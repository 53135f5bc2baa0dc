import Foundation
import Testing

@Suite("A finding names the places it rests on")
struct EvidencePlaceTests {
  private static let log = [
    #"{"ts":1758614185000,"event":"call.created","call":"c1"}"#,
    #"{"ts":1758614185200,"event":"iceconnectionstatechange","call":"c1","args":{"value":"checking"}}"#,
    #"{"ts":1758614205200,"event":"iceconnectionstatechange","call":"c1","args":{"value":"failed"}}"#,
    #"{"ts":1758614205300,"event":"call.failed","call":"c1"}"#,
  ].joined(separator: "\n")

  @Test("the lines of the events that gave rise to it, for programs and for a ticket")
  func lines() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let log = try folder.file("app_`1`.jsonl", Self.log)
    _ = try Tool.run("import", log, "--db", database)
    let finding = try #require(
      try Tool.run("findings", "--json", "--db", database).objects().first {
        $0["code"] as? String == "ice-never-connected"
      })
    let places = try #require(finding["places"] as? [[String: Any]])
    #expect(places.map { $0["line"] as? Int } == [2, 3])
    #expect(places.allSatisfy { ($0["source"] as? String)?.hasSuffix(".jsonl") ?? false })
    for words in [["show", log], ["call", "c1", "--db", database]] {
      let result = try Tool.run(words + ["--markdown", "--tz", "UTC"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.hasPrefix("# Call c1\n"))
      #expect(result.output.contains("- **error** `ice-never-connected`"), "\(result.output)")
      #expect(result.output.contains(":2 ice.checking"), "\(result.output)")
      #expect(!result.output.contains("\u{1B}"))
    }
    #expect(try Tool.run("show", log, "--markdown", "--json").status == 2)
  }
}
