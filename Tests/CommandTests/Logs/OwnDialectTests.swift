import Foundation
import Testing

@Suite("A dialect that a user writes from the documents alone")
struct OwnDialectTests {
  private static let log = Tool.root.path + "/docs/examples/acme-voice.log"
  private static let own = ["CALLQA_DIALECTS": Tool.root.path + "/docs/examples"]

  @Test("is some 30 lines of JSON, and gives the screens that shipped SDKs have")
  func screens() throws {
    let lines = try String(contentsOfFile: Tool.root.path + "/docs/examples/acme-voice.json", encoding: .utf8)
      .split(separator: "\n").count
    #expect(lines <= 35)
    let list = try Tool.run("show", Self.log, "--json", environment: Self.own).objects()
      .compactMap { $0["call"] as? [String: Any] }
    #expect(list.map { $0["outcome"] as? String } == ["dropped", "busy"])
    let first = try #require(list.first)
    #expect(first["network_out_ms"] as? Double == 16_500 && first["held_local_ms"] as? Double == 8000)
    #expect(first["setup_ms"] as? Double == 900 && first["ringing_ms"] as? Double == 3300)
    let reported = try #require(first["reported"] as? [String: Any])
    #expect(reported["min"] as? Double == 41 && reported["below_50_ms"] as? Double == 10_000)
    let text = try Tool.run("show", Self.log, "--pick", "1", environment: Self.own).output
    for words in [
      "Dropped after 1:31 (LINK_LOST).", "The network was out for 16.5 s", "×××",
      "the client's own: 92 41 88",
      "Why dropped: it ended while its connection was down",
    ] {
      #expect(text.contains(words), "\(words) is not in\n\(text)")
    }
  }

  @Test("keeps its secrets out, and its numbers to be found")
  func secrets() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("own.sqlite").path
    try Tool.run("import", Self.log, "--db", database, environment: Self.own)
    let found = try Tool.run("find", "4930555012", "--db", database, "--json", environment: Self.own)
      .objects()
    #expect(found.first?["call_id"] as? String == "AV71")
    let sessions = try Tool.run("sessions", "--db", database, "--json", environment: Self.own).objects()
    #expect(sessions.map { $0["outcome"] as? String } == ["succeeded"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)).range(of: Data("c2VjcmV0".utf8)) == nil)
  }

  @Test("is refused with its file and line where it is wrong, and where its folder is none")
  func mistakes() throws {
    let folder = try TemporaryFolder()
    try Data("{\"sdk\": \"x\",\n \"evnts\": {}}".utf8).write(to: folder.url.appendingPathComponent("x.json"))
    let wrong = try Tool.run("show", Self.log, environment: ["CALLQA_DIALECTS": folder.url.path])
    #expect(wrong.status != 0 && wrong.errors.contains("x.json:2: \"evnts\" is no member of a dialect"))
    let none = try Tool.run("show", Self.log, environment: ["CALLQA_DIALECTS": "/nowhere"])
    #expect(none.status != 0 && none.errors.contains("CALLQA_DIALECTS names /nowhere, which is no folder"))
  }

  @Test("a capture needs no dialect: a wrong one is not even read")
  func unneeded() throws {
    let capture = Tool.root.path + "/Tests/CommandTests/Unattended/stalled.pcap"
    let result = try Tool.run("show", capture, environment: ["CALLQA_DIALECTS": "/nowhere"])
    #expect(result.status == 0, "\(result.errors)")
  }
}
