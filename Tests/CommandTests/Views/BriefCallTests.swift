import Foundation
import Testing

@Suite("A call on one screen first, the rest by options")
struct BriefCallTests {
  private func call(_ options: String..., of sample: String = "bad-call") throws -> Tool.Result {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample(sample), "--db", database)
    return try Tool.run(["call", "last", "--db", database] + options)
  }

  @Test(
    "the answer fits 40 lines, and its last line names the options that show more",
    arguments: ["bad-call", "failed-call"])
  func brief(sample: String) throws {
    let brief = try call(of: sample)
    #expect(brief.lines.count <= 40, "\(brief.output)")
    let last = try #require(brief.lines.last)
    #expect(last.hasPrefix("more: --setup") && last.hasSuffix("--all"), "\(last)")
    #expect(!brief.output.contains("\n…\n"), "nothing had to be cut")
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
