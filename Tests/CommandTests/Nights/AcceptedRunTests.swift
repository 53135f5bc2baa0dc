import Foundation
import Testing

@Suite("last-accepted, and calls of two runs")
struct AcceptedRunTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
  }

  @Test("last-accepted is the run that each SDK was accepted in; where none was, that is exit code 5")
  func word() throws {
    try Tool.run("simulate", "--db", database, "--nights", "3", "--calls", "300")
    func compare(_ words: String...) throws -> Tool.Result {
      try Tool.run(["compare"] + words + ["--db", database])
    }
    // The simulated fleet accepts the night before the last; take that back first.
    let before = try #require(
      try Tool.run("runs", "--db", database, "--json").objects().first {
        !($0["accepted"] as? [Any] ?? []).isEmpty
      })
    try Tool.run("accept", before["run"] as? String ?? "", "--undo", "--db", database)
    let none = try compare("last-accepted", "last")
    #expect(none.status == 5 && none.errors.contains("callqa accept RUN"), "\(none.errors)")
    let report = try Tool.run(
      "report", "nightly", "--baseline", "last-accepted", "--db", database, "--out", "n", in: folder.url)
    #expect(report.status == 5)
    #expect(try compare("nonsense", "last").status == 2)

    try Tool.run("accept", "2026-11-07", "--db", database)
    #expect(try compare("last-accepted", "last").output == compare("2026-11-07", "last").output)
    #expect(
      try compare("2026-11-08", "last-accepted").lines.dropFirst().first == "2026-11-07 against 2026-11-08")

    try Tool.run("accept", "2026-11-08", "--sdk", "pexip", "--db", database)
    let mixed = try compare("last-accepted", "last")
    #expect(
      mixed.lines.dropFirst().first?.hasPrefix("2026-11-09 against 2026-11-07 (") == true, "\(mixed.output)")
    #expect(mixed.output.contains(", 2026-11-08 (pexip)"))
    let several = try compare("2026-11-09", "last-accepted")
    #expect(several.status == 2 && several.errors.contains("accepted in different runs"), "\(several.errors)")
    #expect(try compare("last-accepted", "last", "--by", "scenario").status == 0)
  }

  @Test("no run may be called so")
  func taken() throws {
    let result = try Tool.run(
      "import", Tool.sample("healthy-call"), "--run", "last-accepted", "--db", database)
    #expect(result.status == 2 || result.status == 64)
    #expect(result.errors.contains("the run accepted last"))
  }

  @Test("calls of two runs are not linked, and that is said")
  func link() throws {
    try Tool.run("import", Tool.sample("healthy-call"), "--run", "n1", "--call", "x", "--db", database)
    try Tool.run("import", Tool.sample("bad-call"), "--run", "n2", "--call", "x", "--db", database)
    let result = try Tool.run("link", "n1/x", "n2/x", "--db", database)
    #expect(result.status == 2)
    #expect(result.errors.contains("a call is of one run"), "\(result.errors)")
    #expect(try Tool.run("calls", "--run", "all", "--db", database, "--json").lines.count == 2)
  }

  @Test("forget says what find still finds", arguments: [("zoe@example.org", 0), ("zoe", 1)])
  func forget(person: String, status: Int32) throws {
    let log =
      #"{"ts": 1793700000000, "sdk": "rebtel", "call": "u1", "endpoint": "caller", "event": "callUserWithId:", "args": {"remoteUserId": "sip:Zoe@Example.org"}}"#
      + "\n"
      + #"{"ts": 1793700001000, "sdk": "rebtel", "call": "u2", "endpoint": "caller", "event": "callUserWithId:", "args": {"remoteUserId": "zoey"}}"#
      + "\n"
    let file = try folder.file("a.jsonl", log)
    try Tool.run("import", file, "--db", database)
    let result = try Tool.run("forget", person, "--db", database)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.contains("still finds") == (status == 1), "\(result.errors)")
    #expect(try Tool.run("find", "zoey", "--db", database).output.contains("zoey"))
  }
}
