import Foundation
import Testing

/// A file that is imported while it is still being written, and again later.
@Suite("callqa import of a file that has grown")
struct GrownFileTests {
  private let folder: TemporaryFolder
  private let log: [Substring]

  init() throws {
    folder = try TemporaryFolder()
    let text = try String(contentsOfFile: Tool.sample("sdk-logs/kandy-link/outgoing.nslog"), encoding: .utf8)
    log = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private func beginning(_ lines: Int) -> String { log.prefix(lines).joined(separator: "\n") + "\n" }
  private var database: String { folder.url.appendingPathComponent("x.sqlite").path }

  private func imported(_ text: String, as name: String = "app.log", _ words: String...) throws -> [String] {
    let file = try folder.file(name, text)
    let run = try Tool.run(["import", file, "--db", database, "--json"] + words)
    #expect(run.status <= 1, "\(run.errors)")
    return try run.objects().compactMap { $0["notes"] as? [String] }.flatMap { $0 }
  }

  private func query(_ sql: String) throws -> [String] {
    try Tool.run("query", sql, "--db", database, "--format", "tsv").lines
  }

  @Test(
    "takes the place of what it was: the calls are those of the whole file, however often it was looked at")
  func replaced() throws {
    for lines in [20, 36, log.count] { _ = try imported(beginning(lines)) }
    let fresh = folder.url.appendingPathComponent("fresh.sqlite").path
    #expect(
      try Tool.run("import", folder.url.appendingPathComponent("app.log").path, "--db", fresh).status == 0)
    for command in ["calls", "events", "setup", "findings"] {
      #expect(
        try Tool.run(command, "--db", database, "--json").output
          == Tool.run(command, "--db", fresh, "--json").output, "\(command)")
    }
    #expect(try query("SELECT count(*) AS n FROM sources") == ["n", "1"])
    let check = try Tool.run("check", "--db", database)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test("says so, and keeps what people said of the call")
  func marks() throws {
    #expect(try !imported(beginning(36)).contains { $0.contains("grown") })
    #expect(try Tool.run("mark", "last", "--known", "BUG-7", "--db", database).status == 0)
    #expect(try imported(beginning(log.count)).contains { $0.contains("has grown") })
    #expect(try query("SELECT known FROM calls") == ["known", "BUG-7"])
  }

  @Test(
    "stays in its run where none is named; in another run the beginning stays where it was, and that is said")
  func runs() throws {
    _ = try imported(beginning(30), "--run", "monday")
    _ = try imported(beginning(36))
    #expect(try query("SELECT run_id, count(*) AS n FROM sources GROUP BY 1") == ["run_id\tn", "monday\t1"])
    let notes = try imported(beginning(log.count), "--run", "tuesday")
    #expect(notes.contains { $0.contains("in run monday: that part counts in both") }, "\(notes)")
    #expect(try query("SELECT run_id FROM sources ORDER BY 1") == ["run_id", "monday", "tuesday"])
  }

  @Test("is another file where it tells of another call, or lies elsewhere")
  func others() throws {
    _ = try imported(beginning(36))
    let other = try String(
      contentsOfFile: Tool.sample("sdk-logs/kandy-link/rejected.jsonl"), encoding: .utf8)
    _ = try imported(other)
    _ = try imported(beginning(log.count), as: "copy.log")
    #expect(try query("SELECT count(*) AS n FROM sources") == ["n", "3"])
  }

  @Test("large files too, which are digested while they are read")
  func large() throws {
    let device = String(repeating: "d", count: 2000)
    let long = (1...2400).map { second in
      let time = 1_700_000_000_000 + second * 1000
      return
        #"{"timestamp":\#(time),"stats":[{"id":"in","type":"inbound-rtp","kind":"audio","ssrc":77777777,"#
        + #""timestamp":\#(time),"packetsReceived":\#(second * 50),"packetsLost":0},"#
        + #"{"id":"s","type":"media-source","trackIdentifier":"\#(device)"}]}"# + "\n"
    }.joined()
    #expect(long.utf8.count > 4 << 20)
    _ = try imported(String(long.prefix(long.utf8.count / 2)))
    _ = try imported(long)
    #expect(try query("SELECT count(*) AS n, sum(samples) AS s FROM sources") == ["n\ts", "1\t2400"])
  }
}
