import Foundation
import Testing

@Suite("Files are followed while they grow")
struct FollowTests {
  private static func sample(_ name: String) throws -> [String] {
    let packed = Tool.root.path + "/samples/healthy-call/" + name
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", packed]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0 + "\n" }
  }

  /// What an import of the same files came to: windows, setup, findings and streams, without keys and times of importing.
  private static func rows(_ database: String) throws -> [[String]] {
    try ["score", "setup", "findings", "streams", "events"].map { command in
      try Tool.run(command, "--db", database, "--json").lines
    }
  }

  @Test("a log that is written while it is read gives the rows of one import at its end, also after a kill")
  func same() throws {
    let folder = try TemporaryFolder()
    let calls = folder.url.appendingPathComponent("calls")
    try FileManager.default.createDirectory(at: calls, withIntermediateDirectories: true)
    let lines = try (Self.sample("caller.events.jsonl.gz"), Self.sample("caller.stats.jsonl.gz"))
    let (followed, once) = ["f.sqlite", "o.sqlite"].map { folder.url.appendingPathComponent($0).path }
      .pair
    func write(_ share: Double) throws {
      for (name, all) in [("caller.events.jsonl", lines.0), ("caller.stats.jsonl", lines.1)] {
        var text = all.prefix(Int(Double(all.count) * share)).joined()
        // A line that is half written.
        if share < 1, let next = all.dropFirst(Int(Double(all.count) * share)).first {
          text += next.prefix(next.count / 2)
        }
        try Data(text.utf8).write(to: calls.appendingPathComponent(name))
      }
    }
    try write(0.3)
    let first = Process()
    first.executableURL = Tool.path
    first.arguments = ["import", "--follow", calls.path, "--db", followed, "--quiet"]
    first.environment = ProcessInfo.processInfo.environment.merging(["CALLQA_HOME": Tool.root.path]) { $1 }
    try first.run()
    try Tool.wait(for: 20) { try !Tool.run("score", "--db", followed, "--json").lines.isEmpty }
    try write(0.6)
    usleep(2_500_000)
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    try write(1)
    let rest = try Tool.run(
      "import", "--follow", calls.path, "--until-idle", "3", "--db", followed, "--quiet")
    #expect(rest.status == 0, "\(rest.errors)")
    try Tool.run("import", calls.path, "--db", once, "--quiet")
    #expect(try Self.rows(followed) == Self.rows(once))
    #expect(try !Self.rows(once)[0].isEmpty)
  }

  @Test("show prints each window of a growing log once, as soon as it has ended, as it is at the end")
  func shown() throws {
    let folder = try TemporaryFolder()
    let log = folder.url.appendingPathComponent("caller.stats.jsonl")
    let lines = try Self.sample("caller.stats.jsonl.gz")
    try Data(lines.prefix(lines.count / 2).joined().utf8).write(to: log)
    let shown = Process()
    let pipe = Pipe()
    shown.executableURL = Tool.path
    shown.arguments = ["show", "--follow", log.path, "--until-idle", "4", "--json"]
    shown.standardOutput = pipe
    shown.environment = ProcessInfo.processInfo.environment.merging(["CALLQA_HOME": Tool.root.path]) { $1 }
    try shown.run()
    // The first windows are there before the rest is written.
    let early = pipe.fileHandleForReading.availableData
    try Data(lines.joined().utf8).write(to: log)
    let all = early + pipe.fileHandleForReading.readDataToEndOfFile()
    shown.waitUntilExit()
    let windows = String(decoding: all, as: UTF8.self).split(separator: "\n").map(String.init)
    let once = try Tool.run("extract", log.path, "--only", "score").lines
    #expect(!early.isEmpty && windows.count == once.count && windows.count > 3)
    let text = try Tool.run("show", "--follow", log.path, "--until-idle", "1", "--tz", "UTC")
    #expect(text.lines.count == windows.count, "\(text.output) \(text.errors)")
    #expect(text.lines.allSatisfy { $0.contains("caller") && $0.utf8.count < 100 })
  }

  @Test("standard input cannot be followed, and a time to be idle needs something to follow")
  func refused() throws {
    #expect(try Tool.run("import", "--follow", "-").errors.contains("--follow reads files and folders"))
    #expect(try Tool.run("import", "x", "--until-idle", "3").errors.contains("with --follow"))
  }
}

extension [String] {
  fileprivate var pair: (String, String) { (self[0], self[1]) }
}
