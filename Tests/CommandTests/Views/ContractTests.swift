import Foundation
import Testing

@Suite("What docs/cli.md promises of exit codes and values holds")
struct ContractTests {
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
