import Foundation
import Testing

@Suite("A run of two sites")
struct SiteTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
  }

  /// A site's folder: one call that came and one that did not, under a manifest of its own.
  private func site(_ name: String, _ sample: String, _ manifest: String) throws -> String {
    let site = folder.url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: site, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Tool.sample(sample), toPath: site.appendingPathComponent("\(name)-1").path)
    _ = try folder.file("\(name)/run.json", manifest)
    return site.path
  }

  private func calls() throws -> [String: [String: Any]] {
    let calls = try Tool.run("calls", "--db", database, "--json").objects()
    return Dictionary(calls.map { ($0["call_id"] as? String ?? "", $0) }) { $1 }
  }

  @Test(
    "keeps each site's labels with its calls, those of one call with that call, and expects the calls of both"
  )
  func labels() throws {
    let oslo = try site(
      "oslo", "healthy-call",
      """
      {"run": "n", "labels": {"site": "oslo", "build": 7},
        "calls": [{"call_id": "oslo-1", "labels": {"phone": "a"}}, {"call_id": "oslo-2", "labels": {"site": "hut"}}]}
      """)
    let rome = try site(
      "rome", "bad-call", #"{"run": "n", "labels": {"site": "rome"}, "calls": [{"call_id": "rome-2"}]}"#)
    for _ in 0..<2 {
      for site in [oslo, rome] { #expect(try Tool.run("import", site, "--db", database).status == 0) }
    }
    let labels = try calls().mapValues { $0["labels"] as? [String: String] ?? [:] }
    #expect(labels["oslo-1"] == ["site": "oslo", "build": "7", "phone": "a"])
    #expect(labels["oslo-2"] == ["site": "hut", "build": "7"])
    #expect(labels["rome-1"]?["site"] == "rome", "it is in no manifest, and lies in that site's folder")
    #expect(labels["rome-2"]?["site"] == "rome")
    let run = try #require(try Tool.run("runs", "--db", database, "--json").objects().first)
    #expect(run["expected_calls"] as? Int == 3)
  }

  @Test("files that are of another run already make no run of calls that never came")
  func sameFilesAgain() throws {
    let oslo = try site("oslo", "healthy-call", #"{"run": "n", "calls": [{"call_id": "oslo-1"}]}"#)
    #expect(try Tool.run("import", oslo, "--run", "tonight", "--db", database).status == 0)
    let again = try Tool.run("import", oslo, "--db", database)
    #expect(again.errors.contains("of run tonight already"), "\(again.errors)")
    let runs = try Tool.run("runs", "--db", database, "--json").objects()
    #expect(runs.compactMap { $0["run"] as? String ?? $0["run_id"] as? String } == ["tonight"])
    #expect(try calls()["oslo-1"]?["outcome"] as? String != "missing")
    #expect(try Tool.run("check", "--db", database).status == 0)
  }

  @Test(
    "two calls of one name, in a folder each and at other times, stay two, and it is said",
    arguments: [true, false])
  func oneName(together: Bool) throws {
    let sites = try ["oslo": "healthy-call", "rome": "slow-setup"].sorted { $0.key < $1.key }.map {
      site, sample in
      let place = folder.url.appendingPathComponent("sites/\(site)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: Tool.sample(sample), toPath: place.path + "/web-1")
      _ = try folder.file(
        "sites/\(site)/run.json",
        #"{"run": "n", "labels": {"site": "\#(site)"}, "calls": [{"call_id": "web-1", "sdk": "web", "scenario": "clean"}]}"#
      )
      return place.path
    }
    var warnings = ""
    for paths in together ? [[folder.url.path + "/sites"]] : sites.map({ [$0] }) {
      let result = try Tool.run(["import"] + paths + ["--db", database])
      #expect(result.status == 0)
      warnings += result.errors
    }
    #expect(warnings.contains("two calls of one run were given the name web-1"), "\(warnings)")
    #expect(!together || warnings.contains("`web-1` is a call of "), "\(warnings)")
    let calls = try calls()
    #expect(calls.count == 2 && calls["web-1"] != nil)
    for (_, call) in calls {
      #expect(call["scenario"] as? String == "clean" && call["sdk"] as? String == "web")
      #expect((call["duration_ms"] as? Double).map { $0 < 120_000 } == true)
    }
    func labels() throws -> Set<String?> {
      Set(try self.calls().values.map { ($0["labels"] as? [String: String])?["site"] })
    }
    #expect(try labels() == ["oslo", "rome"])
    let run = try #require(try Tool.run("runs", "--db", database, "--json").objects().first)
    #expect(run["expected_calls"] as? Int == 2)
    #expect(try Tool.run("check", "--db", database).status == 0)
    // The same again changes nothing.
    try Tool.run("import", folder.url.path + "/sites", "--db", database)
    #expect(try Set(self.calls().keys) == Set(calls.keys))
    #expect(try labels() == ["oslo", "rome"])
  }

  @Test(
    "files that a manifest lists may have been packed since; those that are not there are named, as is a call that stands twice"
  )
  func listedFiles() throws {
    let site = try site(
      "oslo", "healthy-call",
      """
      {"run": "n", "calls": [
        {"call_id": "oslo-1", "files": ["oslo-1/caller.stats.jsonl", "oslo-1/callee.stats.jsonl", "oslo-1/x.log"]},
        {"call_id": "oslo-1", "files": ["oslo-1/callee.events.jsonl"]}]}
      """)
    let result = try Tool.run("import", site, "--db", database)
    #expect(result.status == 0)
    #expect(result.errors.contains("`oslo-1/x.log` at calls[0].files is not there"), "\(result.errors)")
    #expect(result.errors.contains("`oslo-1` at calls[1] is calls[0] too"), "\(result.errors)")
    #expect(!result.errors.contains("stats.jsonl"), "\(result.errors)")
    let calls = try Tool.run("calls", "--db", database, "--json").objects()
    #expect(
      calls.contains { $0["call_id"] as? String == "oslo-1" && $0["outcome"] as? String == "completed" })
  }

  @Test("reports what of a manifest means nothing")
  func notes() throws {
    let site = try site(
      "oslo", "healthy-call",
      """
      {"run": "n", "label": {}, "$comment": "x", "calls": [{"call_id": "oslo-1", "expected": {},
        "expect": {"outcome": "bussy", "max_setup": 3, "min_score": 700, "max_setup_ms": 0},
        "references": {"fps": 30, "frame_rate": -30}}]}
      """)
    let result = try Tool.run("import", site, "--db", database)
    #expect(result.status == 0)
    let lines = result.errors.split(separator: "\n").filter { $0.contains("run.json: ") }
    for (index, words) in [
      "`label` means nothing here: there are calls, labels, run", "`expected` at calls[0] means nothing here",
      "`max_setup` at calls[0].expect means nothing here", "`fps` at calls[0].references means nothing here",
      "`bussy` at calls[0].expect.outcome is no outcome", "`min_score` at calls[0].expect is 700",
      "`max_setup_ms` at calls[0].expect is 0", "`frame_rate` at calls[0].references is -30",
    ].enumerated() {
      #expect(lines.indices.contains(index) && lines[index].contains(words), "\(lines)")
    }
    #expect(lines.count == 8)
    let again = try Tool.run("import", site, "--db", database, "--json").objects()
    let manifest = try #require(again.first { $0["type"] as? String == "manifest" })
    #expect((manifest["notes"] as? [String])?.count == 8)
  }
}
