import Foundation
import Testing

/// Files of one call that come in several imports.
@Suite("An id once given")
struct KeptIdTests {
  private let folder: TemporaryFolder
  private var database: String { folder.url.appendingPathComponent("x.sqlite").path }

  init() throws { folder = try TemporaryFolder() }

  private func copy(_ sample: String, _ name: String, to place: String) throws -> String {
    let target = folder.url.appendingPathComponent(place)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: Tool.sample("\(sample)/\(name).jsonl.gz")),
      to: target.appendingPathComponent("\(name).jsonl.gz"))
    return target.path
  }

  private func ids() throws -> [String] {
    try Tool.run("calls", "--db", database, "--json").objects().compactMap { $0["call_id"] as? String }
      .sorted()
  }

  @Test("stays, whatever a later import brings of the call or into its folder", arguments: [true, false])
  func stays(isCallerFirst: Bool) throws {
    let one = try copy("healthy-call", "caller.stats", to: "one")
    let two = try copy("healthy-call", "callee.stats", to: "two")
    let (first, second) = isCallerFirst ? (one, two) : (two, one)
    try Tool.run("import", first, "--db", database)
    let given = try ids()
    #expect(given == [isCallerFirst ? "one" : "two"])
    try Tool.run("import", second, "--db", database)
    #expect(try ids() == given)
    let other = try copy("bad-call", "caller.stats", to: isCallerFirst ? "one/bad" : "two/bad")
    try Tool.run("import", other, "--db", database)
    #expect(try ids() == (given + ["bad"]).sorted())
    #expect(try Tool.run("check", "--db", database).status == 0)
  }

  @Test("gives way to a name that a person gives, and is found by both")
  func named() throws {
    let one = try copy("healthy-call", "caller.stats", to: "one")
    let two = try copy("healthy-call", "callee.stats", to: "two")
    try Tool.run("import", one, "--db", database)
    try Tool.run("import", two, "--call", "ticket-7", "--db", database)
    #expect(try ids() == ["ticket-7"])
    for word in ["ticket-7", "one"] { #expect(try Tool.run("call", word, "--db", database).status == 0) }
  }
}
