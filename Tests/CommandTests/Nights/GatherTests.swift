import CSQLite
import Foundation
import SQLite
import Testing

@Suite("Judgements of many machines make one report")
struct GatherTests {
  private let folder: TemporaryFolder
  private static let groups = ["healthy-call", "bad-call", "failed-call", "slow-setup"]

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

  /// Writes the part of some calls, whose files come in an order of their own; gives its path back.
  private func part(_ group: String, _ calls: [String], reversed: Bool = false, others: [String] = []) throws
    -> String
  {
    var files = try calls.flatMap { call in
      try FileManager.default.contentsOfDirectory(atPath: Tool.root.path + "/samples/" + call).sorted()
        .map { "samples/\(call)/\($0)" }
    }
    if reversed { files.reverse() }
    let list = path(group + ".txt")
    try (files + others).joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
    let made = try Tool.run(
      "extract", "--files-from", list, "--judgements", "--group", group, "--run", "n1", "--rejects-ok",
      in: Tool.root)
    #expect(made.status == 0, "\(made.errors)")
    let file = path("parts/\(group).jsonl")
    try FileManager.default.createDirectory(atPath: path("parts"), withIntermediateDirectories: true)
    try made.output.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  /// The CSV files of the night's report, by their names.
  private func report(_ database: String) throws -> [String: String] {
    let out = path(UUID().uuidString)
    try Tool.run(
      "report", "nightly", "--run", "n1", "--db", database, "--out", out, environment: ["PATH": "/nowhere"])
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: out + "/csv") {
      files[name] = try String(contentsOfFile: out + "/csv/" + name, encoding: .utf8)
    }
    return files
  }

  @Test("four machines and one give the same report, whatever the order of files and parts")
  func same() throws {
    _ = try part("all", Self.groups)
    #expect(try Tool.run("gather", path("parts/all.jsonl"), "--db", path("one.sqlite")).status == 0)
    let one = try report(path("one.sqlite"))
    #expect(one.count > 10 && one["worst.csv"]?.contains("bad-call") == true)
    let parts = try Self.groups.map { try part($0, [$0], reversed: true) }
    let gathered = try Tool.run(["gather"] + parts.reversed() + ["--db", path("four.sqlite")])
    #expect(gathered.status == 0, "\(gathered.errors)")
    #expect(gathered.output.hasPrefix("4 parts gathered, 0 known already, 0 refused, 0 missing: 4 calls"))
    #expect(try report(path("four.sqlite")) == one)
    // Delivered twice, and judged again: nothing changes.
    let again = try Tool.run(["gather", parts[1]] + ["--db", path("four.sqlite")])
    #expect(again.output.hasPrefix("0 parts gathered, 1 known already"))
    _ = try part("bad-call", ["bad-call"])
    #expect(try Tool.run("gather", parts[1], "--db", path("four.sqlite")).status == 0)
    #expect(try report(path("four.sqlite")) == one)
    #expect(try Tool.run("check", "--db", path("four.sqlite")).status == 0)
    // Samples stayed where they were judged, and nothing is claimed of them, in a copy neither.
    let copied = try Tool.run("copy", "bad-call", "--db", path("four.sqlite"), "--to", path("copy.sqlite"))
    #expect(copied.status == 0, "\(copied.errors)")
    let checked = try Tool.run("check", "--quick", "--db", path("copy.sqlite"))
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    let indices = "SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'events_by_connection'"
    #expect(try Tool.run("query", indices, "--db", path("four.sqlite"), "--json").objects().count == 1)
  }

  @Test("a part is the same in whatever folder its files lie, where they are named relative to it")
  func relative() throws {
    var parts: [String] = []
    // Statistics of the two ends in a folder each: none of the folders is the call's, nor is the one that holds both.
    for place in ["one/calls", "two"] {
      for end in ["caller", "callee"] {
        let of = path("\(place)/\(end)-side")
        try FileManager.default.createDirectory(atPath: of, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
          atPath: Tool.root.path + "/samples/bad-call/\(end).stats.jsonl.gz", toPath: of + "/stats.jsonl.gz")
      }
      try FileManager.default.copyItem(
        atPath: Tool.root.path + "/samples/healthy-call", toPath: path(place + "/healthy"))
      try "caller-side\ncallee-side\nhealthy\n".write(
        toFile: path("list.txt"), atomically: true, encoding: .utf8)
      let made = try Tool.run(
        "extract", "--files-from", path("list.txt"), "--judgements", "--group", "g",
        in: URL(fileURLWithPath: path(place)))
      #expect(made.status == 0, "\(made.errors)")
      parts.append(made.output)
    }
    #expect(parts[0] == parts[1])
    try parts[0].write(toFile: path("g.jsonl"), atomically: true, encoding: .utf8)
    #expect(try Tool.run("gather", path("g.jsonl"), "--db", path("gathered.sqlite")).status == 0)
    let calls = try Tool.run(
      "query", "SELECT call_id, named_by, folder FROM calls ORDER BY 1", "--db", path("gathered.sqlite"),
      "--csv"
    ).output
    let named = calls.split(whereSeparator: \.isNewline).dropFirst().map { $0.drop { $0 != "," } }
    #expect(named == [",\"keys\",", ",\"folder\",\"healthy\""])
  }

  @Test("a part depends on nothing but its files")
  func deterministic() throws {
    let one = try String(contentsOfFile: part("g", ["bad-call"]), encoding: .utf8)
    #expect(
      try String(contentsOfFile: part("g", ["bad-call"], reversed: true), encoding: .utf8).count == one.count)
    #expect(try String(contentsOfFile: part("g", ["bad-call"]), encoding: .utf8) == one)
    #expect(one.contains("\"samples/bad-call/"), "sources as they were named")
    #expect(one.split(separator: "\n").last?.hasPrefix("{\"type\":\"end\"") == true)
  }

  @Test("a part that was cut is refused whole, and a group that never came is named")
  func cut() throws {
    let whole = try part("healthy-call", ["healthy-call"])
    let cut = try part("bad-call", ["bad-call"])
    let text = try String(contentsOfFile: cut, encoding: .utf8)
    try String(text.prefix(text.count / 2)).write(toFile: cut, atomically: true, encoding: .utf8)
    try "healthy-call\nbad-call\nfailed-call\n".write(
      toFile: path("groups.txt"), atomically: true, encoding: .utf8)
    let gathered = try Tool.run(
      "gather", whole, cut, "--expect", path("groups.txt"), "--db", path("x.sqlite"))
    #expect(gathered.status == 1)
    #expect(gathered.errors.contains("bad-call.jsonl:"), "\(gathered.errors)")
    #expect(gathered.errors.contains("no part came of group bad-call"))
    #expect(gathered.errors.contains("no part came of group failed-call"))
    let calls = try Tool.run("calls", "--run", "all", "--db", path("x.sqlite"), "--json").objects()
    #expect(calls.compactMap { $0["call_id"] as? String } == ["healthy-call"], "nothing of the cut one")
  }

  @Test("gathered again after it was cut off at its end, a database is counted for the planner all the same")
  func cutOffAtItsEnd() throws {
    let (part, database) = (try part("bad-call", ["bad-call"]), path("x.sqlite"))
    try Tool.run("gather", part, "--db", database)
    let counted = "SELECT 'has ' || name FROM sqlite_schema WHERE name = 'sqlite_stat1'"
    // As it is where the part is in and what comes after was not done.
    try Connection(path: database, flags: SQLITE_OPEN_READWRITE).execute("DROP TABLE sqlite_stat1")
    let again = try Tool.run("gather", part, "--db", database)
    #expect(again.output.hasPrefix("0 parts gathered, 1 known already"))
    #expect(try Tool.run("query", counted, "--csv", "--db", database).output.contains("has sqlite_stat1"))
  }

  @Test("a file that is damaged costs its own lines: the part says so and is taken")
  func damaged() throws {
    try Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]).write(
      to: folder.url.appendingPathComponent("x.jsonl.gz"))
    let file = try part("bad-call", ["bad-call"], others: [path("x.jsonl.gz")])
    let end = try #require(String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").last)
    #expect(end.contains("\"refused\":1") || end.contains("\"partial\":1"), "\(end)")
    #expect(try Tool.run("gather", file, "--db", path("x.sqlite")).status == 0)
  }

  @Test(
    "what is no part is refused with its line",
    arguments: ["", "{}\n", "hello\n", "{\"type\":\"part\",\"version\":9,\"group\":\"g\"}\n"])
  func foreign(text: String) throws {
    try text.write(toFile: path("p.jsonl"), atomically: true, encoding: .utf8)
    let gathered = try Tool.run("gather", path("p.jsonl"), "--db", path("x.sqlite"))
    #expect(gathered.status == 1 && gathered.errors.contains("p.jsonl"))
  }

  /// A part with one value replaced: of the first row of a table.
  private func changed(_ part: String, _ table: String, _ column: String, to value: String) throws -> String {
    var place = 0
    var isDone = false
    let lines = try String(contentsOfFile: part, encoding: .utf8).split(separator: "\n").map {
      line -> String in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      guard object["table"] as? String == table else { return String(line) }
      if let columns = object["columns"] as? [String] { place = try #require(columns.firstIndex(of: column)) }
      guard !isDone, var cells = object["cells"] as? [Any] else { return String(line) }
      isDone = true
      cells[place] = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
      var row = object
      row["cells"] = cells
      return String(decoding: try JSONSerialization.data(withJSONObject: row), as: UTF8.self)
    }
    let file = path("changed.jsonl")
    try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  @Test(
    "a part with a value that cannot be is refused by itself",
    arguments: [
      ("calls", "outcome", "\"exploded\""), ("calls", "started_ms", "1e300"),
      ("calls", "score_mean", "1e300"),
      ("calls", "reported_mean", "-5"), ("calls", "labels", "\"{\""), ("calls", "labels", "\"[]\""),
      ("calls", "verdict_judged", "\"splendid\""), ("calls", "call_key", "0"), ("windows", "score", "1e300"),
      ("windows", "state", "\"odd\""), ("windows", "start_ms", "\"x\""),
      ("findings", "code", "\"none-such\""),
      ("findings", "evidence", "\"nothing\""), ("streams", "packets", "9223372036854775807"),
      ("fates", "end_ms", "5"), ("fates", "witnesses", "\"{}\""), ("sources", "status", "\"eaten\""),
      ("endpoints", "call_key", "77"),
    ])
  func hostile(table: String, column: String, value: String) throws {
    let good = try part("healthy-call", ["healthy-call"])
    let bad = try changed(part("bad-call", ["bad-call"]), table, column, to: value)
    let gathered = try Tool.run("gather", bad, good, "--db", path("x.sqlite"))
    #expect(gathered.status == 1, "\(gathered.errors)")
    #expect(
      gathered.errors.contains("changed.jsonl:") && !gathered.errors.contains("mistake"), "\(gathered.errors)"
    )
    #expect(gathered.output.hasPrefix("1 part gathered, 0 known already, 1 refused"), "\(gathered.output)")
    #expect(try Tool.run("check", "--db", path("x.sqlite")).status == 0)
  }

  @Test("a file that is in the database already is named, with where it is from")
  func overlap() throws {
    let one = try part("one", ["bad-call"])
    let database = path("x.sqlite")
    try Tool.run("import", Tool.sample("bad-call"), "--db", database)
    let imported = try Tool.run("gather", one, "--db", database)
    #expect(
      imported.status == 1 && imported.errors.contains("was imported into this database"),
      "\(imported.errors)")
    let two = try part("two", ["bad-call"])
    let gathered = try Tool.run("gather", one, two, "--db", path("y.sqlite"))
    #expect(
      gathered.status == 1 && gathered.errors.contains("came with part one already"), "\(gathered.errors)")
    #expect(gathered.output.hasPrefix("1 part gathered, 0 known already, 1 refused"), "\(gathered.output)")
  }

  @Test("identities tell an engine which files belong together")
  func identities() throws {
    let rows = try Tool.run(
      "extract", "samples/bad-call", "--only", "identities", "--rejects-ok", in: Tool.root
    ).objects()
    let kinds = Set(rows.compactMap { $0["kind"] as? String })
    #expect(kinds.contains { $0.contains("ufrag") } && kinds.contains { $0.contains("ssrc") }, "\(kinds)")
    #expect(rows.last?["type"] as? String == "end")
    #expect(rows.first?["source"] as? String == "samples/bad-call/callee.events.jsonl.gz")
  }
}
