import Foundation
import Testing

/// Files of one call that come in two runs, and files of a night that tell no time.
@Suite("What comes a night late, or tells no time")
struct LateFileTests {
  private let folder: TemporaryFolder
  private var database: String { folder.url.appendingPathComponent("x.sqlite").path }

  init() throws { folder = try TemporaryFolder() }

  private func copy(_ sample: String, _ names: String..., to place: String) throws -> String {
    let target = folder.url.appendingPathComponent(place)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    for name in names {
      try FileManager.default.copyItem(
        at: URL(fileURLWithPath: Tool.sample("\(sample)/\(name).jsonl.gz")),
        to: target.appendingPathComponent("\(name).jsonl.gz"))
    }
    return target.path
  }

  @Test("the other end of a call that comes in another run is named at both")
  func otherEnd() throws {
    let first = try copy("bad-call", "caller.stats", "caller.events", to: "d1/c1")
    let second = try copy("bad-call", "callee.stats", "callee.events", to: "d2/c1")
    let whole = try copy(
      "healthy-call", "caller.stats", "callee.stats", to: "d2/whole")
    #expect(try Tool.run("import", first, "--db", database, "--run", "n1").errors.isEmpty)
    let late = try Tool.run("import", second, whole, "--db", database, "--run", "n2")
    #expect(
      late.errors.contains("the other end of call c1 of run n2 came in run n1, as c1"), "\(late.errors)")
    let notes = try Tool.run(
      "query",
      "SELECT count(*) AS n FROM notes WHERE note LIKE 'the other end of its call came in run n_, as call c1%'",
      "--db", database, "--format", "tsv")
    #expect(notes.lines == ["n", "4"])
    #expect(try Tool.run("import", second, whole, "--db", database, "--run", "n2").errors.isEmpty)
  }

  @Test("the database that is written to, and what SQLite keeps beside it, is no input of its folder")
  func ownDatabase() throws {
    _ = try copy("healthy-call", "caller.stats", "callee.stats", to: "in/call")
    let place = folder.url.appendingPathComponent("in")
    _ = try folder.file("in/other.db-wal", "")
    for _ in 1...3 {
      let again = try Tool.run("import", ".", in: place, environment: ["CALLQA_DB": ""])
      #expect(again.status == 0, "\(again.errors)")
      // Who reads while it is imported leaves these there.
      for name in ["callqa.sqlite-wal", "callqa.sqlite-shm"] {
        if !FileManager.default.fileExists(atPath: place.path + "/" + name) {
          _ = try folder.file("in/" + name, "")
        }
      }
    }
    let sources = try Tool.run("sources", "--format", "tsv", in: place)
    #expect(!sources.output.contains("callqa.sqlite"), "\(sources.output)")
  }

  @Test("a file of which only a part was taken says so when it comes again")
  func partAgain() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: Tool.sample("healthy-call/caller.stats.jsonl.gz")))
    let path = folder.url.appendingPathComponent("cut.jsonl.gz")
    try whole.prefix(whole.count / 2).write(to: path)
    #expect(try Tool.run("import", path.path, "--db", database).status == 1)
    let again = try Tool.run("import", path.path, "--db", database)
    #expect(again.errors.contains("taken only in part when it was imported"), "\(again.errors)")
  }

  @Test("a folder in which only a manifest lies says that its calls are missing, and nothing else")
  func manifestAlone() throws {
    _ = try folder.file("n/run.json", #"{"run": "n", "calls": [{"call_id": "a"}]}"#)
    let result = try Tool.run("import", folder.url.path + "/n", "--db", database)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("a file that tells no time is of the night of the call in its folder, however late it was imported")
  func night() throws {
    _ = try copy("bad-call", "caller.events", "callee.events", "callee.stats", to: "in/bad")
    _ = try folder.file("in/bad/caller.stats.jsonl", "")
    _ = try folder.file("in/bad/page.jsonl", "<html><body>502 Bad Gateway</body></html>")
    _ = try copy("healthy-call", "caller.stats", "callee.stats", to: "in/good")
    #expect(try Tool.run("import", folder.url.path + "/in", "--db", database).status == 1)
    // The night of the 21st of November 2026, and all that came after.
    let nights = [
      (since: 1_795_176_000_000, until: 1_795_262_400_000, isThere: true),
      (since: 1_795_262_400_000, until: 3_000_000_000_000, isThere: false),
    ]
    for (since, until, isThere) in nights {
      let health = try Tool.run(
        "query", "data-health", "--param", "since=\(since)", "--param", "until=\(until)", "--db", database,
        "--format", "tsv")
      #expect(health.status == 0, "\(health.errors)")
      #expect(health.output.contains("caller.stats.jsonl\t") == isThere, "\(health.output)")
      #expect(health.output.contains("page.jsonl\t") == isThere, "\(health.output)")
    }
  }
}
