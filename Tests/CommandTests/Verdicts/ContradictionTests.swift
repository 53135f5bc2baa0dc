import Foundation
import Testing

/// `CALLQA_CALLS=FOLDER swift test --filter ContradictionTests` looks at the calls of any folder, each entry a call.
@Suite("No call is judged at odds with itself")
struct ContradictionTests {
  /// Folders whose entries are calls: that of the environment, else the suites beside the checkout, if they are there.
  private static let folders: [String] = {
    if let own = ProcessInfo.processInfo.environment["CALLQA_CALLS"] { return [own] }
    let beside = Tool.root.deletingLastPathComponent().appendingPathComponent("shared")
    return ["verdicts/suite", "verdicts2/suite", "field", "field2"].map {
      beside.appendingPathComponent($0).path
    }
    .filter { FileManager.default.fileExists(atPath: $0) }
  }()

  private func contradictions(_ files: [String]) throws -> [String] {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    _ = try Tool.run(["import", "--quiet", "--db", database] + files)
    return try Tool.run("query", "contradictions", "--json", "--db", database).objects().map {
      "\($0["call_id"] ?? ""): \($0["contradiction"] ?? "")"
    }
  }

  @Test("the samples, and the cases")
  func own() throws {
    #expect(try contradictions([Tool.sample("")]) == [])
    for name in Corpus.names { #expect(try contradictions(Corpus.files(name)) == [], "\(name)") }
  }

  @Test(
    "calls whose truth is known", .enabled(if: !folders.isEmpty, "there are no suites beside the checkout"))
  func suites() throws {
    for folder in Self.folders {
      for entry in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
        #expect(try contradictions(["\(folder)/\(entry)"]) == [], "\(entry)")
      }
    }
  }

  @Test("a silent call of which nothing says when it was is found")
  func found() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("healthy-call"), "--db", database)
    try Tool.sqlite(database, "UPDATE calls SET verdict_judged = 'silent'")
    let found = try Tool.run("query", "contradictions", "--json", "--db", database).objects()
    #expect(found.map { $0["contradiction"] as? String } == ["silent, and nothing says when"])
  }
}
