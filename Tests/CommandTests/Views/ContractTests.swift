import Foundation
import Testing

@Suite("docs/cli.md promises no member that is not there")
struct ContractTests {
  /// The names in the first block of a section.
  private func promised(_ section: String) throws -> [String] {
    let text = try String(
      decoding: Data(contentsOf: Tool.root.appendingPathComponent("docs/cli.md")), as: UTF8.self)
    let part = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix(section + "\n") }, "no section \(section)")
    let lines = part.components(separatedBy: "\n").drop { !$0.hasPrefix("    ") }.prefix {
      $0.hasPrefix("    ")
    }
    return lines.joined(separator: " ").split(separator: " ").map(String.init)
  }

  private func holds(_ row: [String: Any], _ section: String) throws {
    let names = try promised(section)
    #expect(names.count > 5)
    for name in names {
      let parts = name.components(separatedBy: ".")
      let inside = parts.dropLast().reduce(row as [String: Any]?) { $0?[$1] as? [String: Any] }
      #expect(inside?[parts.last ?? ""] != nil, "\(section) has no \(name)")
    }
  }

  @Test("rows of lists, of an import and of a call")
  func members() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let taken = try Tool.run("import", Tool.root.path + "/samples", "--db", database, "--json")
    #expect(taken.status == 0)
    try holds(try #require(taken.objects().first), "`import --json`")
    for list in ["calls", "streams", "score", "setup", "events", "findings", "sessions", "runs"] {
      let rows = try Tool.run(list, "--json", "--db", database, "--limit", "1").objects()
      try holds(try #require(rows.first, "no row in \(list)"), "`\(list) --json`")
    }
    let shown = try Tool.run("show", "--json", Tool.sample("bad-call"))
    let object = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
    try holds(try #require(object), "`show`, `call`")
  }

  @Test("flags, codes and unknown values")
  func codes() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run("calls", "--db", database).status == 3, "there is no database")
    #expect(try Tool.run("calls", "--no-such-option").status == 2)
    let stray = try folder.file("notes.txt", "nothing that anybody knows\n")
    #expect(try Tool.run("import", stray, "--db", database).status == 1, "named, and refused")
    #expect(try Tool.run("import", Tool.sample("healthy-call"), "--db", database).status == 0)
    let call = try #require(try Tool.run("calls", "--json", "--db", database).objects().first)
    #expect(call["broken"] as? Int == 0)
    #expect((call["reported"] as? [String: Any])?["mean"] is NSNull, "unknown is not 0")
  }
}
