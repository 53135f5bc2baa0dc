import Foundation
import Testing

@Suite("run.json")
struct ManifestFolderTests {
  @Test(
    "names its files and folders beside letters of any alphabet",
    arguments: ["Prüfung", "prüfung/日本", "e\u{301}te\u{301}"])
  func alphabets(name: String) throws {
    let folder = try TemporaryFolder()
    let calls = folder.url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: calls, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Tool.sample("healthy-call"), toPath: calls.appendingPathComponent("first").path)
    try FileManager.default.copyItem(
      atPath: Tool.sample("bad-call"), toPath: calls.appendingPathComponent("other").path)
    let manifest = #"{"run":"r","calls":[{"call_id":"by-folder","files":["first"]},{"call_id":"other"}]}"#
    try manifest.write(toFile: calls.path + "/run.json", atomically: true, encoding: .utf8)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run("import", calls.path, "--db", database).status == 0)
    let found = try Tool.run("calls", "--db", database, "--json").objects()
    #expect(found.count == 2)
    #expect(Set(found.compactMap { $0["call_id"] as? String }) == ["by-folder", "other"])
    #expect(found.allSatisfy { $0["outcome"] as? String == "completed" }, "\(found)")
  }
}
