import Foundation
import Synchronization
import Testing

/// What the tool makes of the files of a case. Each way of reading them is gone once, when something is first asked of it.
final class Reading: Sendable {
  let files: [String]
  private let options: [String]

  /// What was read so far.
  private struct Found {
    var extracted: [String: [JSONValue]]?
    var shown: Tool.Result?
    var database: (folder: TemporaryFolder, path: String)?
  }

  private let found = Mutex(Found())

  /// - Parameter options: of all commands that read the files.
  init(_ files: [String], _ options: [String] = []) { (self.files, self.options) = (files, options) }

  /// The name of the first file.
  var name: String { files.first?.split(separator: "/").last.map(String.init) ?? "" }

  /// Rows of a layer: of `extract` if it has them, else of a database.
  func rows(_ layer: Expectation.Layer) throws -> [JSONValue] {
    guard let type = layer.type else { return try rows([layer.rawValue]) }
    return try extracted()[type] ?? []
  }

  /// The only call, as `extract` has it.
  func call() throws -> JSONValue {
    let calls = try rows(.calls)
    #expect(calls.count == 1, "one call in \(name)")
    return try #require(calls.first)
  }

  /// The rows that a command prints of a database with the files.
  func rows(_ command: [String]) throws -> [JSONValue] {
    try Self.rows(Tool.run(command + ["--json", "--db", database()]))
  }

  func text(_ screen: Expectation.Screen) throws -> String {
    switch screen {
    case .show: return oneLine(try shown().output)
    case .answer: return Self.answer(in: try shown().output)
    case .errors: return oneLine(try shown().errors)
    case .page: return oneLine(try Tool.run(["show", "--html", "-"] + options + files).output)
    }
  }

  /// What `show` prints.
  func shown() throws -> Tool.Result {
    try found.withLock { found in
      let shown = try found.shown ?? Tool.run(["show", "--tz", "UTC"] + options + files)
      found.shown = shown
      return shown
    }
  }

  /// The paragraph of the verdict in one line: the second one, for above it stand the names of the call.
  static func answer(in shown: String) -> String {
    let parts = shown.components(separatedBy: "\n\n")
    return parts.count > 1 ? oneLine(parts[1]) : ""
  }

  /// Where a text stands that is to stand nowhere.
  func places(of word: String) throws -> [String] {
    let rows = try extracted().values.joined()
    let isStored = try Data(contentsOf: URL(fileURLWithPath: database())).range(of: Data(word.utf8)) != nil
    return [
      try shown().output.contains(word) ? "show" : nil, isStored ? "the database" : nil,
      rows.contains { $0.description.contains(word) } ? "extract" : nil,
    ].compactMap { $0 }
  }

  /// The path of a database into which the files were imported.
  func database() throws -> String {
    try found.withLock { found in
      if let database = found.database { return database.path }
      let folder = try TemporaryFolder()
      let path = folder.url.appendingPathComponent("x.sqlite").path
      _ = try Self.rows(Tool.run(["import", "--json", "--quiet", "--db", path] + options + files))
      found.database = (folder, path)
      return path
    }
  }

  private func extracted() throws -> [String: [JSONValue]] {
    try found.withLock { found in
      if let extracted = found.extracted { return extracted }
      let rows = try Self.rows(Tool.run(["extract"] + options + files))
      let extracted = Dictionary(grouping: rows) { $0.at("type")?.text ?? "" }
      found.extracted = extracted
      return extracted
    }
  }

  /// Lines of JSON; a row with `t_ms` and `until_ms` also has `lasted_ms`.
  private static func rows(_ result: Tool.Result) throws -> [JSONValue] {
    guard [0, 1].contains(result.status) else {
      throw CaseError("\(result.what) exited with \(result.status): \(result.errors)")
    }
    return try result.lines.map { line in
      let row = try JSONValue(parsing: Data(line.utf8))
      guard var members = row.object, let from = row.at("t_ms")?.number,
        let until = row.at("until_ms")?.number
      else { return row }
      members["lasted_ms"] = .number(until - from)
      return .object(members)
    }
  }
}
