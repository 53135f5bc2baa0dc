import Foundation
import IO
import Rendering
import Synchronization
import Testing
import callqa

/// The tool, driven as a user or a script would: in this process, or as one of its own where a test is about that.
struct Tool {
  /// What a run of it gave.
  struct Result {
    var status: Int32
    var output: String
    var errors: String
    /// What was run: the command, and where.
    var what: String

    /// Lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Lines of standard output as JSON objects.
    func objects() throws -> [[String: Any]] {
      try lines.map { line in
        try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          "not an object: \(line)\nof \(what)")
      }
    }
  }

  /// The folder of this checkout.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func sample(_ name: String) -> String { root.appendingPathComponent("samples/\(name)").path }

  /// The binary: `CALLQA_BINARY`, else the one that was built with the tests, which is never older than the sources.
  ///
  /// A release binary is not taken because it lies there: it may be of other sources, whatever its date says.
  static let path: URL = {
    if let named = ProcessInfo.processInfo.environment["CALLQA_BINARY"], !named.isEmpty {
      return URL(fileURLWithPath: named, relativeTo: root).absoluteURL
    }
    let folders = [
      Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
    ]
    let candidates =
      folders.map { $0.appendingPathComponent("callqa") } + [
        root.appendingPathComponent(".build/debug/callqa")
      ]
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
  }()

  /// Looks again until something is so, and fails where it is not within the time, in s.
  static func wait(for seconds: Double, until isDone: () throws -> Bool) throws {
    let end = Date().addingTimeInterval(seconds)
    while try !isDone() {
      try #require(Date() < end, "nothing came of it")
      usleep(200_000)
    }
  }

  /// Runs it with these words, and waits: in this process unless it has to be one of its own.
  @discardableResult
  static func run(
    _ words: String..., in folder: URL? = nil, input: Data? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    try run(words, in: folder, input: input, environment: environment)
  }

  @discardableResult
  static func run(
    _ words: [String], in folder: URL? = nil, input: Data? = nil, environment: [String: String] = [:],
    output: FileHandle? = nil
  ) throws -> Result {
    let isPlain =
      folder == nil && input == nil && output == nil && !words.contains { processWords.contains($0) }
    guard isPlain, Set(environment.keys).isSubset(of: variables) else {
      return try process(words, in: folder, input: input, environment: environment, output: output)
    }
    return try inThisProcess(words, environment)
  }

  /// Words with which a command reads standard input, sets permissions, waits for signals or starts a program.
  private static let processWords: Set = ["-", "--follow", "--mode", "--open", "mcp"]

  /// Variables that may differ from those of this process.
  private static let variables: Set = ["CALLQA_DB", "COLUMNS", "NO_COLOR", "TZ"]

  /// Runs a command on this thread, with output and environment of its own.
  private static func inThisProcess(_ words: [String], _ environment: [String: String]) throws -> Result {
    let files = try (0..<2).map { _ in
      FileHandle(fileDescriptor: try #require(UnnamedFile.open()), closeOnDealloc: true)
    }
    let surroundings = Surroundings(
      output: files[0].fileDescriptor, errors: files[1].fileDescriptor,
      variables: ["TZ": "UTC", "CALLQA_DB": ""].merging(environment) { $1 })
    let status = surroundings.with { Entry.run(words) }
    let texts = try files.map { file in
      try file.seek(toOffset: 0)
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
    return Result(status: status, output: texts[0], errors: texts[1], what: "\(words) in this process")
  }

  /// Runs the binary, for what only a process of its own shows: permissions, signals, its memory, a crash.
  @discardableResult
  static func process(
    _ words: [String], in folder: URL? = nil, input: Data? = nil, environment: [String: String] = [:],
    output: FileHandle? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = path
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TZ": "UTC", "CALLQA_HOME": root.path, "CALLQA_DB": ""]) { $1 }.merging(environment) { $1 }
    if process.environment?["CALLQA_DB"] == "" { process.environment?["CALLQA_DB"] = nil }
    let folder = try TemporaryFolder()
    let out = folder.url.appendingPathComponent("out")
    let err = folder.url.appendingPathComponent("err")
    for file in [out, err] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.standardOutput = try output ?? FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    if let input {
      let file = folder.url.appendingPathComponent("in")
      try input.write(to: file)
      process.standardInput = try FileHandle(forReadingFrom: file)
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: try String(decoding: Data(contentsOf: out), as: UTF8.self),
      errors: try String(decoding: Data(contentsOf: err), as: UTF8.self), what: "\(path.path) \(words)")
  }
}

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("callqa-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  private static let shared = Mutex<[URL]>([])

  /// For a folder that all tests of a suite share, which nothing takes apart: it goes when the process ends.
  func removeAtExit() {
    let first = Self.shared.withLock { shared in
      shared.append(url)
      return shared.count == 1
    }
    guard first else { return }
    atexit {
      TemporaryFolder.shared.withLock { for url in $0 { try? FileManager.default.removeItem(at: url) } }
    }
  }

  /// A file in it with these bytes.
  func file(_ name: String, _ data: Data) throws -> String {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    return file.path
  }

  func file(_ name: String, _ text: String) throws -> String { try file(name, Data(text.utf8)) }
}

extension Tool {
  /// Changes a database behind callqa's back.
  static func sqlite(_ database: String, _ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [database, sql]
    try process.run()
    process.waitUntilExit()
  }
}
