import Foundation
import Testing

/// A call whose right verdict is known, kept in `JudgedCalls`, with what the built binary makes of it.
struct JudgedCall {
  static let folder = Tool.root.appendingPathComponent("Tests/CommandTests/JudgedCalls")

  let files: [String]

  /// - Parameter name: its folder, such as `field/call-01`.
  init(_ name: String, in folder: URL = Self.folder) throws {
    let place = folder.appendingPathComponent(name)
    files = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map {
      place.appendingPathComponent($0).path
    }
    try #require(!files.isEmpty, "nothing in \(name)")
  }

  /// Its row, as `calls --json` would have it.
  func row() throws -> [String: Any] {
    let rows = try Tool.run(["extract", "--only", "calls"] + files).objects()
    #expect(rows.count == 1, "one call")
    return try #require(rows.first)
  }

  func findings() throws -> [String] {
    try Tool.run(["extract", "--only", "findings"] + files).objects().compactMap { $0["code"] as? String }
  }

  /// What `show` says, in one line.
  func shown() throws -> String {
    let result = try Tool.run(["show", "--tz", "UTC"] + files)
    #expect(result.status == 0, "\(result.errors)")
    return Self.oneLine(result.output)
  }

  /// The paragraph of the verdict, in one line.
  func answer() throws -> String { Self.answer(in: try Tool.run(["show", "--tz", "UTC"] + files).output) }

  /// The second paragraph: above it stand the names of the call.
  static func answer(in shown: String) -> String {
    let parts = shown.components(separatedBy: "\n\n")
    return parts.count > 1 ? oneLine(parts[1]) : ""
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
