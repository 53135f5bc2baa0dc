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
