import Foundation
import Testing

@Suite("callqa score looks at stored samples in other ways")
struct RescoreTests {
  private func imported() throws -> (folder: TemporaryFolder, database: String) {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", database)
    return (folder, database)
  }

  @Test("the stored model gives what is stored")
  func sameModel() throws {
    let (folder, database) = try imported()
    defer { withExtendedLifetime(folder) {} }
    let stored = try Tool.run("score", "--json", "--db", database)
    let model = try #require(try stored.objects().first?["model"] as? String)
    #expect(try Tool.run("score", "--json", "--db", database, "--model", model).output == stored.output)
    #expect(
      try Tool.run("score", "--json", "--db", database, "--compare-models", model, model).output.isEmpty)
    #expect(
      try !Tool.run("score", "--json", "--db", database, "--compare-models", "callqa-1", "packet-loss").output
        .isEmpty)
  }

  @Test("a row of intervals may say its length, and which call and end it is for; a peer says its own word")
  func intervalsOfEnds() throws {
    let (folder, database) = try imported()
    let first = try #require(
      try Tool.run("score", "bad", "--json", "--db", database).objects().first?["start_ms"] as? Double)
    let file = try folder.file(
      "ends.csv",
      """
      id,receiver,t_start_ms,seconds
      bad-call,caller,\(first),8
      other,caller,\(first),8
      bad-call,callee,\(first + 8000),8

      """)
    let rows = try Tool.run(
      "score", "--json", "--db", database, "--intervals", file, "--model", "teams-cqd"
    ).objects()
    #expect(rows.map { $0["window_index"] as? Int }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 2])
    #expect(rows.allSatisfy { ["Good", "Poor"].contains(($0["label"] as? String)?.prefix(4)) })
    let strange = try folder.file("s.csv", "call_id,t_start_ms,seconds\nother,\(first),8\n")
    let none = try Tool.run("score", "--db", database, "--intervals", strange)
    #expect(none.status == 2 && none.errors.contains("no row"))
  }

  @Test("a file of intervals that cannot be read says why")
  func fileOfIntervals() throws {
    let (folder, database) = try imported()
    for (file, reason) in [
      (folder.url.path, "is a folder"), (folder.url.path + "/none.csv", "no such file"),
      (try folder.file("empty.csv", ""), "empty"),
      (try folder.file("open.csv", "t_start_ms,t_end_ms\n\"1,2\n"), "open.csv:2: two times"),
    ] {
      let refused = try Tool.run("score", "--db", database, "--intervals", file)
      #expect(refused.status == 2 && refused.errors.contains(reason), "\(refused.errors)")
    }
  }

  @Test("standard input is read once, however often it is named")
  func inputTwice() throws {
    let lines = try Data(contentsOf: URL(fileURLWithPath: Tool.sample("bad-call/callee.stats.jsonl.gz")))
    let folder = try TemporaryFolder()
    let result = try Tool.run(
      ["import", "-", "-", "--json", "--db", "x.sqlite"], in: folder.url, input: lines)
    #expect(result.status == 0)
    #expect(try result.objects().filter { $0["path"] as? String == "-" }.count == 1)
  }

  @Test("intervals of a file instead of windows")
  func intervals() throws {
    let (folder, database) = try imported()
    let first = try #require(try Tool.run("score", "--json", "--db", database).objects().first)
    let start = try #require(first["start_ms"] as? Double)
    let file = try folder.file(
      "i.csv", "id,t_start_ms,t_end_ms\n1,\(start),\(start + 5000)\n2,\(start + 5000),\(start + 13000)\n")
    let rows = try Tool.run("score", "bad", "--json", "--db", database, "--intervals", file).objects()
    #expect(rows.count == 4)
    #expect(
      rows.contains {
        $0["score"] as? Int == first["score"] as? Int
          && $0["endpoint"] as? String == first["endpoint"] as? String
      })
    // As a spreadsheet saves it.
    let marked = try folder.file("m.csv", "\u{FEFF}t_start_ms,t_end_ms\r\n\(start),\(start + 5000)\r\n")
    #expect(try Tool.run("score", "bad", "--db", database, "--intervals", marked).status == 0)
    let broken = try folder.file("b.csv", "t_start_ms,t_end_ms\n5,1\n")
    let result = try Tool.run("score", "bad", "--db", database, "--intervals", broken)
    #expect(result.status == 2)
    #expect(result.errors.contains("b.csv:2"))
  }
}
