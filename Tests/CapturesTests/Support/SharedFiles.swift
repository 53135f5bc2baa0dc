import Foundation

/// Recordings kept beside the project, where there are any: tests that need them say so and are skipped elsewhere.
enum SharedFiles {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared")
  static let reason = "needs the recordings in ../shared"
  static var captures: URL { root.appendingPathComponent("pcaps") }
  static var calls: URL { root.appendingPathComponent("calls") }
  static var areThere: Bool { FileManager.default.fileExists(atPath: captures.path) }

  /// Names of the captures for which TShark's answer is at hand.
  static var captureNames: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: captures.path)) ?? []
    return names.filter { $0.hasSuffix(".tshark.txt") }.map { String($0.dropLast(11)) }.sorted()
  }

  /// Names of the recorded calls that have captures.
  static var callNames: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: calls.path)) ?? []
    return names.filter {
      FileManager.default.fileExists(atPath: calls.appendingPathComponent("\($0)/callee.pcap.gz").path)
    }.sorted()
  }

  static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
  static func capture(_ name: String) throws -> [UInt8] {
    try bytes(captures.appendingPathComponent(name))
  }
}
