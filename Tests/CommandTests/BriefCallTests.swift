import Foundation
import Testing

@Suite("A call on one screen first, the rest by options")
struct BriefCallTests {
  private func call(_ options: String...) throws -> Tool.Result {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", database)
    return try Tool.run(["call", "last", "--db", database] + options)
  }

  @Test("the answer fits about 40 lines, and its last line names the options that show more")
  func brief() throws {
    let brief = try call()
    #expect(brief.lines.count <= 48, "\(brief.output)")
    let last = try #require(brief.lines.last)
    #expect(last.hasPrefix("more: --setup") && last.hasSuffix("--all"), "\(last)")
    #expect(!brief.output.contains("\nEvents\n") && !brief.output.contains("\nSources\n"))
  }

  @Test(
    "each option adds its section",
    arguments: [
      ("--setup", "Setup of the"), ("--events", "\nEvents\n"), ("--sources", "\nSources\n"),
    ])
  func section(option: String, heading: String) throws {
    #expect(try !call().output.contains(heading))
    #expect(try call(option).output.contains(heading))
  }
}
