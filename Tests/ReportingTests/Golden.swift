import Foundation
import Testing

/// Compares text with a golden file beside the tests; `RECORD_GOLDEN=1` writes it anew.
enum Golden {
  static func expect(
    _ text: String, equals name: String, file: String = #filePath,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let path = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
      try Data(text.utf8).write(to: path)
      return
    }
    let recorded = String(decoding: try Data(contentsOf: path), as: UTF8.self)
    #expect(
      text == recorded, "differs from Golden/\(name); `make golden` records it again",
      sourceLocation: location)
  }

  /// A folder for one test, removed after it.
  static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("callqa-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
