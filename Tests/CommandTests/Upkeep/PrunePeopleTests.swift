import Foundation
import Testing

@Suite("People leave the database after a time, and what was measured stays")
struct PrunePeopleTests {
  @Test(
    "of old calls no name, number or address is left in the file; of new ones they are; figures and verdict stay"
  )
  func people() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    func log(_ day: String, _ name: String, _ call: String) -> String {
      ["call.dialing", "call.ringing", "call.established", "call.ended"].enumerated().map { index, event in
        "{\"ts\":\"2026-\(day)T10:00:0\(index)Z\",\"sdk\":\"w3c\",\"call\":\"\(call)\",\"endpoint\":\"caller\",\"user\":\"\(name)\","
          + "\"event\":\"\(event)\",\"args\":{\"displayName\":\"\(name)\",\"reason\":\"\(name) hung up\",\"code\":16}}"
      }.joined(separator: "\n") + "\n"
    }
    for (day, name, call) in [
      ("01-02", "kunigunde.alt@example.com", "old"), ("11-20", "wendelin.neu@example.com", "new"),
    ] {
      let file = folder.url.appendingPathComponent(call + ".jsonl")
      try log(day, name, call).write(to: file, atomically: true, encoding: .utf8)
      try Tool.run("import", file.path, "--db", database)
    }
    try Tool.run("import", Tool.sample("bad-call"), "--db", database)
    let address = try #require(
      Tool.run(
        "query", "SELECT value FROM aliases WHERE kind LIKE 'address%' LIMIT 1", "--db", database, "--json"
      ).objects()
        .first?["value"] as? String)
    func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: database)) }
    func calls() throws -> [[String: Any]] {
      try Tool.run("calls", "--db", database, "--json").objects().sorted {
        "\($0["call_id"]!)" < "\($1["call_id"]!)"
      }
    }
    #expect(try bytes().range(of: Data("kunigunde".utf8)) != nil)
    let before = try calls()
    let pruned = try Tool.run("prune", "--people-older-than", "2026-11-01", "--db", database)
    #expect(
      pruned.status == 0 && pruned.errors.contains("people and addresses of 1 call removed"),
      "\(pruned.errors)")
    #expect(try bytes().range(of: Data("kunigunde".utf8)) == nil)
    #expect(try bytes().range(of: Data("wendelin".utf8)) != nil)
    #expect(try bytes().range(of: Data(address.utf8)) != nil)
    #expect(try Tool.run("find", "kunigunde.alt@example.com", "--db", database).status == 2)
    #expect(try Tool.run("prune", "--people-older-than", "2027-01-01", "--db", database).status == 0)
    let networks = "SELECT 1 FROM endpoints WHERE coalesce(person, relay, far_network) IS NOT NULL"
    #expect(try Tool.run("query", networks, "--db", database, "--json").output == "")
    #expect(
      try bytes().range(of: Data(address.utf8)) == nil && bytes().range(of: Data("wendelin".utf8)) == nil)
    let after = try calls()
    for (one, other) in zip(before, after) {
      for member in ["call_id", "verdict", "outcome", "score_mean", "setup_ms", "duration_ms", "end_code"] {
        #expect("\(one[member] ?? "")" == "\(other[member] ?? "")", "\(member)")
      }
    }
    #expect(
      try Tool.run("check", "--db", database).status == 0,
      "what was concluded is held against nothing any more")
    let attributes = folder.url.appendingPathComponent("attributes.csv")
    try "call_id,role\nbad-call,talk\n".write(to: attributes, atomically: true, encoding: .utf8)
    try Tool.run("attributes", attributes.path, "--db", database)
    #expect(try calls().map { "\($0["verdict"] ?? "")" } == after.map { "\($0["verdict"] ?? "")" })
    #expect(try Tool.run("prune", "--samples-older-than", "2027-01-01", "--db", database).status == 0)
    let samples = try Tool.run("query", "SELECT count(*) AS n FROM samples", "--db", database, "--json")
      .objects()
    #expect(samples.first?["n"] as? Int == 0)
    #expect(try Tool.run("prune", "--db", database).status != 0, "it must be said what to remove")
  }

  @Test("what leaves the machine names nobody where that is asked for, in every form; a page still works")
  func hidden() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let log = folder.url.appendingPathComponent("t.jsonl")
    try ["call.dialing", "call.established", "call.ended"].enumerated().map { index, event in
      "{\"ts\":\"2026-11-20T10:00:0\(index)Z\",\"sdk\":\"w3c\",\"call\":\"t\",\"endpoint\":\"caller\",\"user\":\"draw\",\"event\":\"\(event)\",\"args\":{\"from\":\"kunigunde@example.com\"}}\n"
    }.joined().write(to: log, atomically: true, encoding: .utf8)
    try Tool.run("import", log.path, Tool.sample("bad-call"), "--db", database)
    let address = try #require(
      Tool.run("query", "SELECT local FROM paths WHERE local LIKE '%.%' LIMIT 1", "--db", database, "--json")
        .objects()
        .first?["local"] as? String)
    let host = String(address.split(separator: ":")[0])
    for form in [["--all"], ["--json"], ["--markdown"], ["--html", "-"]] {
      for call in ["t", "bad-call"] {
        let open = try Tool.run(["call", call, "--db", database] + form).output
        let closed = try Tool.run(["call", call, "--hide-people", "--db", database] + form).output
        #expect(!closed.contains("kunigunde") && !closed.contains(host), "\(call) \(form)")
        #expect(open.count > 100 && closed.count > 100)
        guard form == ["--html", "-"] else { continue }
        // A person called like a word of the script does not change it.
        let script = { (page: String) in page.components(separatedBy: "<script>").last ?? "" }
        #expect(script(open) == script(closed))
      }
    }
    let copy = folder.url.appendingPathComponent("c.sqlite").path
    try Tool.run("copy", "t", "bad-call", "--to", copy, "--hide-people", "--db", database)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
    #expect(bytes.range(of: Data("kunigunde".utf8)) == nil && bytes.range(of: Data(host.utf8)) == nil)
    #expect(try Tool.run("call", "bad-call", "--db", copy).output.contains("score"))
  }

  @Test("addresses of candidates over which nothing went are hidden as well")
  func candidates() throws {
    let call = Tool.root.path + "/samples/failed-call"
    for form in [["--all"], ["--json"], ["--html", "-"]] {
      let open = try Tool.run(["show", call] + form).output
      let closed = try Tool.run(["show", call, "--hide-people"] + form).output
      #expect(form == ["--all"] || open.contains("192.0.2.2") && open.contains("fd00::2"))
      #expect(!closed.contains("192.0.2.2") && !closed.contains("fd00::2") && closed.count > 500, "\(form)")
    }
  }
}
