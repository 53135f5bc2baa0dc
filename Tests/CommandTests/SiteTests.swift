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

  @Test("is told what of a manifest means nothing")
  func notes() throws {
    let site = try site(
      "oslo", "healthy-call",
      """
      {"run": "n", "label": {}, "$comment": "x", "calls": [{"call_id": "oslo-1", "expected": {},
        "expect": {"outcome": "bussy", "max_setup": 3}, "references": {"fps": 30}}]}
      """)
    let result = try Tool.run("import", site, "--db", database)
    #expect(result.status == 0)
    let lines = result.errors.split(separator: "\n").filter { $0.contains("run.json: ") }
    for (index, words) in [
      "`label` means nothing here: there are calls, labels, run", "`expected` at calls[0] means nothing here",
      "`max_setup` at calls[0].expect means nothing here", "`fps` at calls[0].references means nothing here",
      "`bussy` at calls[0].expect.outcome is no outcome",
    ].enumerated() {
      #expect(lines.indices.contains(index) && lines[index].contains(words), "\(lines)")
    }
    #expect(lines.count == 5)
    let again = try Tool.run("import", site, "--db", database, "--json").objects()
    let manifest = try #require(again.first { $0["type"] as? String == "manifest" })
    #expect((manifest["notes"] as? [String])?.count == 5)
  }
}
