import Foundation
import Testing

@Suite("A list without a row")
struct EmptyListTests {
  fileprivate static let script = "/usr/bin/script"

  /// What a command prints on a terminal.
  private func shown(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.script)
    let quoted = ([Tool.path.path] + words + ["--quiet"]).map { "'\($0)'" }.joined(separator: " ")
    process.arguments = ["-qec", quoted, "/dev/null"]
    process.environment = ["TZ": "UTC", "CALLQA_HOME": Tool.root.path, "TERM": "dumb", "SHELL": "/bin/sh"]
    let pipe = Pipe()
    (process.standardOutput, process.standardInput) = (pipe, FileHandle.nullDevice)
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
  }

  @Test(
    "on a terminal one sentence says what was looked for and what to do; programs get what they always got",
    .enabled(if: FileManager.default.isExecutableFile(atPath: EmptyListTests.script)))
  func sentence() throws {
    let folder = try TemporaryFolder()
    let db = folder.url.appendingPathComponent("a.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", db, "--run", "one")
    try Tool.run("import", Tool.sample("failed-call"), "--db", db, "--run", "two")
    let cases: [([String], String)] = [
      (
        ["calls", "--verdict", "silent"],
        "No call of run two, the latest, with verdict silent: --run all looks in every run.\n"
      ),
      (
        ["calls", "--run", "all", "--verdict", "silent,no-picture", "--broken"],
        "No call with verdict silent or no-picture, that broke: fewer filters find more.\n"
      ),
      (
        ["findings", "--run", "one", "--finding", "mic-silent"],
        "No finding in calls of run one with finding mic-silent: fewer filters find more.\n"
      ),
      (
        ["rejects", "--run", "one"],
        "No refused line, record or packet of run one: all that was read was taken.\n"
      ),
    ]
    for (words, expected) in cases {
      #expect(try shown(words + ["--db", db]) == expected)
      let json = try Tool.run(words + ["--db", db, "--json"])
      #expect(json.output.isEmpty && json.status == 0)
      #expect(try Tool.run(words + ["--db", db, "--csv"]).lines.count == 1)
      // A pipe is no terminal.
      #expect(try !Tool.run(words + ["--db", db]).output.hasPrefix("No "))
    }
    #expect(try shown(["calls", "--db", db, "--run", "one"]).contains("bad-call"))
  }
}
