import Foundation
import SharedRecordings

/// The captures among the shared recordings.
enum SharedCaptures {
  static let folder = SharedRecordings.folder("pcaps")
  static let calls = SharedRecordings.folder("calls")

  /// Names of the captures for which TShark's answer is at hand.
  static var names: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".tshark.txt") }.map { String($0.dropLast(11)) }.sorted()
  }

  /// Names of the recorded calls that have captures.
  static var callNames: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: calls.path)) ?? []
    return files.filter {
      FileManager.default.fileExists(atPath: calls.appendingPathComponent("\($0)/callee.pcap.gz").path)
    }.sorted()
  }

  static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
  static func bytes(_ name: String) throws -> [UInt8] {
    try bytes(folder.appendingPathComponent(name))
  }
}
