import Foundation
import Testing

@Suite("Looking after the database")
struct UpkeepCommandTests {
  let folder: TemporaryFolder
  let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
    let samples = folder.url.appendingPathComponent("samples")
    try FileManager.default.createDirectory(at: samples, withIntermediateDirectories: true)
    for name in ["run.json", "healthy-call", "bad-call", "slow-setup", "failed-call"] {
      try FileManager.default.copyItem(
        atPath: Tool.sample(name), toPath: samples.appendingPathComponent(name).path)
    }
    try Tool.run("import", samples.path, "--db", database)
  }

  @Test("check proves it sound, and names what is broken")
  func check() throws {
    #expect(try Tool.run("check", "--db", database).status == 0)
    let damaged = try Tool.run("query", "SELECT 1", "--db", database)
    #expect(damaged.status == 0)
    try sqlite("UPDATE windows SET score = score - 1, lost_loss = lost_loss + 1 WHERE window_index = 2")
    let result = try Tool.run("check", "--db", database, "--json")
    #expect(result.status == 3)
    let rules = try result.objects().compactMap { $0["rule"] as? String }
    #expect(rules.contains("scores follow from samples"))
  }

  @Test(
    "check concludes again what was concluded, and names what does not follow",
    arguments: [
      ("UPDATE calls SET poor_share = 0", "the row of a call follows from its ends"),
      ("UPDATE calls SET setup_ms = 1", "the row of a call follows from its ends"),
      ("UPDATE calls SET outcome = 'completed'", "the row of a call follows from its ends"),
      ("UPDATE phases SET duration_ms = duration_ms + 100 WHERE phase = 'ice'", "setups and their phases"),
      ("DELETE FROM phases WHERE phase = 'dtls'", "setups and their phases"),
      ("DELETE FROM findings", "findings follow from"),
    ])
  func checkedAgain(damage: String, rule: String) throws {
    try sqlite(damage)
    let result = try Tool.run("check", "--db", database, "--json")
    #expect(result.status == 3)
    let rules = try result.objects().compactMap { $0["rule"] as? String }
    #expect(rules.count == 1 && rules[0].hasPrefix(rule), "\(rules)")
    #expect(
      try Tool.run("check", "--quick", "--db", database).status == 0, "a quick one does not conclude again")
  }

  @Test("what an interrupted import left unjudged is reported, is no fault, and is judged by the next import")
  func interrupted() throws {
    try sqlite("UPDATE calls SET stale = 1 WHERE call_id = 'bad-call'")
    let result = try Tool.run("check", "--db", database)
    #expect(result.status == 0)
    #expect(result.errors.contains("1 call is not judged yet"), "\(result.errors)")
    try Tool.run("import", Tool.sample("failed-call"), "--db", database)
    #expect(!(try Tool.run("check", "--db", database).errors.contains("not judged")))
  }

  @Test("copy makes a database that answers like the first one")
  func copy() throws {
    let ticket = folder.url.appendingPathComponent("ticket.sqlite").path
    #expect(try Tool.run("copy", "bad-call", "--to", ticket, "--db", database).status == 0)
    #expect(try Tool.run("check", "--db", ticket).status == 0)
    for command in ["calls", "streams", "score", "setup", "events"] {
      let all = try Tool.run(command, "--db", database, "--json").lines.filter { $0.contains("\"bad-call\"") }
      #expect(try Tool.run(command, "--db", ticket, "--json").lines == all, "\(command)")
    }
    let again = try Tool.run("copy", "bad-call", "--to", ticket, "--db", database)
    #expect(again.status == 2)
    #expect(again.errors.contains("is there already"))
  }

  @Test("prune keeps every figure")
  func prune() throws {
    let calls = try Tool.run("calls", "--db", database, "--json").output
    #expect(try Tool.run("prune", "--samples-older-than", "1990-01-01", "--db", database).status == 0)
    let result = try Tool.run(
      "prune", "--samples-older-than", "2100-01-01", "--keep-worst", "25%", "--db", database)
    #expect(result.errors.contains("3 calls"))
    #expect(try Tool.run("calls", "--db", database, "--json").output == calls)
    #expect(try Tool.run("check", "--db", database).status == 0)
    #expect(
      try Tool.run("prune", "--samples-older-than", "1d", "--keep-worst", "7", "--db", database).status == 2)
    let some = try Tool.run("score", "--model", "livekit", "--db", database)
    #expect(some.status == 0)
    #expect(some.errors.contains("the samples of 3 of 4 calls were pruned"), "\(some.errors)")
    try Tool.run("prune", "--samples-older-than", "2100-01-01", "--db", database)
    #expect(try Tool.run("score", "--model", "livekit", "--db", database).status == 1)
  }

  @Test("accept makes a baseline, mark leaves a call out")
  func acceptAndMark() throws {
    #expect(try Tool.run("accept", "last", "--db", database).status == 0)
    #expect(try Tool.run("accept", "nowhere", "--db", database).status == 2)
    #expect(try Tool.run("mark", "bad-call", "--db", database).status == 2)
    #expect(try Tool.run("mark", "bad-call", "--exclude", "rig fault", "--db", database).status == 0)
    let run = try #require(try Tool.run("runs", "--db", database, "--json").objects().first)
    #expect(run["accepted"] as? [String] == ["w3c"])
    #expect(run["excluded"] as? Int == 1)
    // One failed, and one took longer to set up than its manifest wants.
    #expect(run["broken"] as? Int == 2)
    #expect(try Tool.run("mark", "failed-call", "--known", "BUG-1", "--db", database).status == 0)
    let known = try #require(try Tool.run("runs", "--db", database, "--json").objects().first)
    #expect(known["broken"] as? Int == 1)
    #expect(known["known"] as? Int == 1)
    #expect(try Tool.run("mark", "failed-call", "--clear", "--db", database).status == 0)
    #expect(try Tool.run("mark", "bad-call", "--clear", "--db", database).status == 0)
    #expect(try Tool.run("runs", "--db", database, "--json").objects().first?["excluded"] as? Int == 0)
  }

  @Test("split and link undo each other")
  func splitAndLink() throws {
    let before = try Tool.run("score", "bad-call", "--db", database, "--json").output
    #expect(try Tool.run("split", "bad-call", "callee", "--db", database).status == 0)
    let calls = try Tool.run("calls", "--db", database, "--json").objects().compactMap {
      $0["call_id"] as? String
    }
    #expect(calls.count == 5)
    let other = try #require(calls.first { $0.hasPrefix("c-") })
    #expect(try Tool.run("link", "bad-call", other, "--db", database).status == 0)
    #expect(try Tool.run("score", "bad-call", "--db", database, "--json").output == before)
    #expect(try Tool.run("check", "--db", database).status == 0)
  }

  @Test("forget names whom it removes, and with --dry-run removes nothing")
  func forgetNames() throws {
    let people = folder.url.appendingPathComponent("people.sqlite").path
    try Tool.run("import", Tool.sample("sdk-logs"), "--db", people)
    let before = try Tool.run("find", "Sample Guest", "--db", people, "--json").output
    #expect(!before.isEmpty)
    let trial = try Tool.run("forget", "Sample", "--dry-run", "--db", people)
    #expect(trial.status == 0 && trial.output.hasPrefix("would be removed from "), "\(trial.output)")
    #expect(trial.output.contains("'Sample Guest'"), "\(trial.output)")
    #expect(try Tool.run("find", "Sample Guest", "--db", people, "--json").output == before)
    let done = try Tool.run("forget", "Sample Guest", "--db", people)
    #expect(done.errors.contains("removed from ") && done.errors.contains("'Sample Guest'"), "\(done.errors)")
    #expect(try Tool.run("find", "Sample Guest", "--db", people).status == 2)
    let nobody = try Tool.run("forget", "nobody at all", "--dry-run", "--db", people)
    #expect(nobody.status == 0 && nobody.output == "no person of that name is known\n")
    #expect(try Tool.run("check", "--db", people).status == 0)
  }

  @Test(
    "a command that changes creates no database",
    arguments: [["accept", "x"], ["forget", "someone"], ["check"]])
  func createsNone(words: [String]) throws {
    let nowhere = folder.url.appendingPathComponent("none.sqlite").path
    #expect(try Tool.run(words + ["--db", nowhere]).status == 3)
    #expect(!FileManager.default.fileExists(atPath: nowhere))
  }

  private func sqlite(_ sql: String) throws { try Tool.sqlite(database, sql) }
}

@Suite("callqa query and schema")
struct QueryCommandTests {
  @Test("a name, a file, SQL itself, and what is none of them")
  func names() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", database)
    let shipped = try Tool.run("query", "worst-calls", "--param", "limit=1", "--db", database, "--json")
    #expect(try shipped.objects().first?["call_id"] as? String == "bad-call")
    let file = try folder.file("mine.sql", "-- mine\nSELECT call_id FROM calls WHERE outcome = :outcome")
    let mine = try Tool.run(
      "query", file, "--param", "outcome=completed", "--db", database, "--format", "tsv")
    #expect(mine.lines.count == 2)
    let sql = try Tool.run("query", "SELECT count(*) AS n FROM calls", "--db", database, "--json")
    #expect(sql.output == "{\"n\":1}\n")
    for (written, type) in [
      ("7", "integer"), ("2.5", "real"), ("007", "text"), ("1.10", "text"), ("12e4567", "text"),
    ] {
      let bound = try Tool.run(
        "query", "SELECT typeof(:x) AS t", "--param", "x=\(written)", "--db", database, "--json")
      #expect(bound.output == "{\"t\":\"\(type)\"}\n", "\(written)")
    }
    for (words, said) in [
      (["nothing-of-that-name"], "there are "), (["SELECT nonsense FROM calls"], "no such column"),
      (["DELETE FROM calls"], "not a query"), (["worst-calls", "--param", "rum=1"], "it has: "),
    ] {
      let result = try Tool.run(["query"] + words + ["--db", database])
      #expect(result.status == 2)
      #expect(result.errors.contains(said), "\(result.errors)")
    }
  }

  @Test("the questions that ship are listed without a database")
  func list() throws {
    let result = try Tool.run("query", "--json")
    #expect(result.status == 0)
    #expect(try result.objects().count >= 12)
  }

  @Test("schema needs no database either")
  func schema() throws {
    let folder = try TemporaryFolder()
    let all = try Tool.run("schema", in: folder.url)
    #expect(all.status == 0)
    #expect(all.output.contains("CREATE TABLE samples"))
    #expect(all.output.contains("CREATE VIEW sample_rates"))
    let one = try Tool.run("schema", "windows", in: folder.url)
    #expect(one.output.hasPrefix("CREATE TABLE windows"))
    #expect(try Tool.run("schema", "nothing", in: folder.url).status == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }
}
