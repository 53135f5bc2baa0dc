import Foundation
import Testing

@Suite("Lists are of the latest night, and narrow down to what a comparison names")
struct LatestNightTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("fleet.sqlite").path
    let made = try Tool.run(
      "simulate", "--db", database, "--nights", "3", "--calls", "400", "--seed", "5", "--silent", "clean=0.5",
      "--fail", "488=0.02")
    try #require(made.status == 0)
  }

  private func calls(_ options: String...) throws -> [[String: Any]] {
    try Tool.run(["calls", "--db", database, "--json"] + options).objects()
  }

  @Test("without a run or a time the calls are those of the latest, and that is said; all is every run")
  func latest() throws {
    let shown = try Tool.run("calls", "--db", database, "--json")
    let runs = Set(try shown.objects().compactMap { $0["run"] as? String })
    #expect(runs.count == 1)
    #expect(shown.errors.contains("the latest of 3"))
    #expect(try Set(calls("--run", "all").compactMap { $0["run"] as? String }).count == 3)
    #expect(try Set(calls("--worst", "5").compactMap { $0["run"] as? String }) == runs)
    #expect(try Set(calls("--since", "2000-01-01").compactMap { $0["run"] as? String }).count == 3)
    let table = try Tool.run("calls", "--db", database, "--run", "all", "--limit", "1")
    #expect(table.lines.first?.hasPrefix("run") == true, "a list of several runs says which")
  }

  @Test("what compare divides by is a filter, by its own name and by a short one")
  func traits() throws {
    let h264 = try calls("--sdk", "pexip", "--codec", "h264")
    #expect(!h264.isEmpty && h264.allSatisfy { $0["sdk"] as? String == "pexip" })
    let ids = { (rows: [[String: Any]]) in rows.compactMap { $0["call_id"] as? String } }
    #expect(try ids(calls("--sdk", "pexip", "--trait", "video codec=H264")) == ids(h264))
    #expect(
      try ids(calls("--sdk", "pexip", "--where", "video_codec = 'H264'")) == ids(h264), "and a column in SQL")
    #expect(try calls("--scenario", "clean").allSatisfy { $0["scenario"] as? String == "clean" })
    let silent = try calls("--verdict", "silent")
    #expect(!silent.isEmpty)
    #expect(try ids(calls("--finding", "one-way-audio")) == ids(silent))
    #expect(silent.allSatisfy { ($0["worst_problem"] as? String)?.hasPrefix("one-way-audio") == true })
  }

  @Test("a finding or a trait that there is not is refused with the nearest")
  func mistakes() throws {
    let finding = try Tool.run("calls", "--db", database, "--finding", "one-way-audo")
    #expect(finding.status == 2 || finding.status == 64)
    #expect(finding.errors.contains("the nearest is 'one-way-audio'"))
    #expect(try Tool.run("calls", "--db", database, "--trait", "codec").errors.contains("a name and a value"))
  }

  @Test("views for analysts double no row, and name call and end")
  func views() throws {
    let counts = try Tool.run(
      "query",
      """
      SELECT (SELECT count(*) FROM call_windows) AS shown, (SELECT count(*) FROM windows WHERE chosen) AS chosen,
        (SELECT count(*) FROM call_streams) AS streams, (SELECT count(*) FROM streams WHERE chosen) AS chosen_streams
      """, "--db", database, "--json"
    ).objects()
    let row = try #require(counts.first)
    #expect(row["shown"] as? Int == row["chosen"] as? Int)
    #expect(row["streams"] as? Int == row["chosen_streams"] as? Int)
  }

  @Test("the night's first line names codec, silence and code, and its first calls are of these")
  func cause() throws {
    let out = folder.url.appendingPathComponent("out").path
    let database = folder.url.appendingPathComponent("large.sqlite").path
    try Tool.run(
      "simulate", "--db", database, "--nights", "2", "--calls", "3000", "--seed", "12", "--silent",
      "clean=0.5",
      "--fail", "488=0.01")
    let made = try Tool.run(
      "report", "nightly", "--db", database, "--out", out, environment: ["PATH": "/nowhere"])
    let line = try #require(made.lines.first)
    for word in ["pexip with video codec H264", "silent: 0 → ", "failed with 488: 0 → "] {
      #expect(line.contains(word), "\(line)")
    }
    let worst = try String(contentsOfFile: out + "/csv/worst.csv", encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().prefix(5)
    #expect(worst.count { $0.contains("\"news ") } >= 4, "\(worst)")
    let page = try String(contentsOfFile: out + "/index.html", encoding: .utf8)
    #expect(page.contains("callqa calls --run 2026-11-"))
    #expect(
      page.contains("--trait &#39;video codec=H264&#39;") || page.contains("--trait 'video codec=H264'"))
  }

  @Test("a night is not written over: it stands in nights/, linked both ways, and is found by call id")
  func nights() throws {
    let out = folder.url.appendingPathComponent("out").path
    let runs = try Tool.run("runs", "--db", database, "--json").objects().compactMap { $0["run"] as? String }
    for run in runs + [runs[2]] {
      try Tool.run(
        "report", "nightly", "--run", run, "--db", database, "--out", out, environment: ["PATH": "/nowhere"])
    }
    func page(_ path: String) throws -> String {
      try String(contentsOfFile: "\(out)/\(path)", encoding: .utf8)
    }
    #expect(try page("index.html").contains("href=\"nights/\(runs[1])/index.html\""))
    let middle = try page("nights/\(runs[1])/index.html")
    #expect(
      middle.contains("href=\"../\(runs[0])/index.html\"") && middle.contains("href=\"../../index.html\""))
    #expect(try page("nights/\(runs[0])/index.html").contains("href=\"../\(runs[1])/index.html\""))
    let index = try page("nights/index.html")
    for run in runs { #expect(index.contains(">\(run)</a>")) }
    #expect(!index.contains("pexip-"), "the calls stand beside the page")
    for place in ["", "nights/\(runs[0])/"] {
      let known = try page("\(place)calls.js")
      #expect(
        known.hasPrefix("callqaNight(\"\(place.isEmpty ? runs[2] : runs[0])\",["), "\(known.prefix(80))")
      let rows = known.split(separator: "\n").filter { $0.hasPrefix("[\"") }
      let all = try Tool.run("calls", "--run", place.isEmpty ? runs[2] : runs[0], "--db", database, "--json")
        .lines
      #expect(
        rows.count == all.count && rows.contains { $0.contains(",\"\"]") }
          && rows.contains { $0.contains("calls/") })
    }
    let calls = try FileManager.default.contentsOfDirectory(atPath: out + "/calls")
    let call = try #require(calls.first)
    #expect(try page("calls/\(call)").contains("href=\"../index.html\""), "back from the call")
  }
}
