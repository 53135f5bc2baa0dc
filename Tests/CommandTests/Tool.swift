import Foundation
import Synchronization
import Testing

/// The built binary, driven from outside as a user or a script would.
struct Tool {
  /// What a run of it gave.
  struct Result {
    var status: Int32
    var output: String
    var errors: String

    /// Lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Lines of standard output as JSON objects.
    func objects() throws -> [[String: Any]] {
      try lines.map { line in
        try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "not an object: \(line)")
      }
    }
  }

  /// The folder of this checkout.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func sample(_ name: String) -> String { root.appendingPathComponent("samples/\(name)").path }

  /// The binary lies beside the test bundle.
  static var path: URL {
    let folders = [
      Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
    ]
    let candidates =
      folders.map { $0.appendingPathComponent("callqa") } + [
        root.appendingPathComponent(".build/debug/callqa")
      ]
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
  }

  /// Looks again until something is so, and fails where it is not within the time, in s.
  static func wait(for seconds: Double, until isDone: () throws -> Bool) throws {
    let end = Date().addingTimeInterval(seconds)
    while try !isDone() {
      try #require(Date() < end, "nothing came of it")
      usleep(200_000)
    }
  }

  /// Runs it with these words in a folder, and waits.
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
      errors: try String(decoding: Data(contentsOf: err), as: UTF8.self))
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
