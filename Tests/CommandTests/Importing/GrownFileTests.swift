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
    "stays in its run where none is named; what began in a run stays there where another goes on with it, and that is said"
  )
  func runs() throws {
    _ = try imported(beginning(30), "--run", "monday")
    _ = try imported(beginning(36))
    #expect(try query("SELECT run_id, count(*) AS n FROM sources GROUP BY 1") == ["run_id\tn", "monday\t1"])
    let notes = try imported(beginning(log.count), "--run", "tuesday")
    #expect(notes.contains { $0.contains("in run monday: what began there stays there") }, "\(notes)")
    #expect(try query("SELECT run_id FROM sources ORDER BY 1") == ["run_id", "monday", "tuesday"])
  }

  @Test("over midnight: yesterday's calls stay in yesterday's run, whole, and today's has only its own")
  func midnight() throws {
    func poll(_ second: Int, _ pc: Int) -> String {
      #"{"ts":\#(1_700_000_000_000 + second * 1000),"pc":"load-\#(pc)","report":{"i":{"type":"inbound-rtp","#
        + #""kind":"audio","ssrc":\#(77_777_770 + pc),"packetsReceived":\#(second * 50),"packetsLost":0}}}"#
    }
    func event(_ second: Int, _ pc: Int, _ name: String) -> String {
      #"{"ts":\#(1_700_000_000_000 + second * 1000),"call":"c\#(pc)","pc":"load-\#(pc)","event":"\#(name)"}"#
    }
    let camera = #"{"ts":1700000000000,"event":"getUserMedia"}"#
    let before =
      [camera, event(0, 1, "create")] + (1...20).map { poll($0, 1) } + [event(20, 1, "close")]
      + [event(30, 2, "create")] + (31...50).map { poll($0, 2) }
    let after =
      (51...70).map { poll($0, 2) } + [event(70, 2, "close"), event(80, 3, "create")]
      + (81...100).map { poll($0, 3) } + [event(100, 3, "close")]
    func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
    _ = try imported(text(before), "--run", "monday")
    for lines in [before + after.prefix(30), before + after] {
      let notes = try imported(text(lines), "--run", "tuesday")
      #expect(notes.contains { $0.contains("in run monday: what began there stays there") }, "\(notes)")
    }
    #expect(
      try query("SELECT run_id, call_id FROM calls ORDER BY 1, 2")
        == ["run_id\tcall_id", "monday\tc1", "monday\tc2", "tuesday\tc3"])
    #expect(
      try query(
        """
        SELECT call_id, count(*) AS n FROM samples JOIN streams USING (stream_key)
          JOIN source_views USING (connection_key) JOIN calls USING (call_key) GROUP BY 1 ORDER BY 1
        """) == ["call_id\tn", "c1\t20", "c2\t40", "c3\t20"])
    let check = try Tool.run("check", "--db", database)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
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
