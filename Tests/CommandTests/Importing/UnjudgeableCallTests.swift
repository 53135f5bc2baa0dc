import Foundation
import Testing

@Suite("A call that cannot be judged stops no other")
struct UnjudgeableCallTests {
  @Test("it is named by the import, in a check and in a report, and the others are judged")
  func named() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--run", "n1", "--db", database)
    // As a database that an earlier version filled may have it.
    try Tool.sqlite(
      database,
      """
      UPDATE events SET args = '{"a":' || replace(hex(zeroblob(3000)), '00', '[') || replace(hex(zeroblob(3000)), '00', ']') || '}'
      WHERE event_key = 1; UPDATE calls SET stale = 1
      """)
    let first = try Tool.run("import", Tool.sample("healthy-call"), "--run", "n1", "--db", database)
    #expect(first.status == 1 && first.errors.contains("call bad-call cannot be judged"), "\(first.errors)")
    let again = try Tool.run("import", Tool.sample("failed-call"), "--run", "n1", "--db", database)
    #expect(again.status == 0 && again.errors.contains("call bad-call cannot be judged"), "\(again.errors)")
    let verdicts = try Tool.run(
      "query", "SELECT call_id, verdict FROM calls WHERE stale = 0 ORDER BY 1", "--db", database, "--csv")
    #expect(
      verdicts.output.contains(#""failed-call","failed""#)
        && verdicts.output.contains(#""healthy-call","good""#))
    let check = try Tool.run("check", "--db", database)
    #expect(check.status == 3 && check.output.contains("a call can be judged"), "\(check.output)")
    let quick = try Tool.run("check", "--quick", "--db", database)
    #expect(quick.errors.contains("1 call cannot be judged: bad-call"), "\(quick.errors)")
    let out = folder.url.appendingPathComponent("report").path
    let report = try Tool.run(
      "report", "nightly", "--db", database, "--out", out, environment: ["PATH": "/nowhere"])
    #expect(
      report.status == 0 && report.errors.contains("1 call cannot be judged: bad-call"), "\(report.errors)")
    #expect(
      try String(contentsOfFile: out + "/index.html", encoding: .utf8).contains("1 call cannot be judged"))
  }
}
