import Foundation
import Testing

/// A log as an application printed it, with what the built binary makes of it.
struct FieldLog {
  private let path: String

  init(_ name: String) { path = Tool.root.appendingPathComponent("Tests/CommandTests/Field/\(name)").path }

  private func rows(_ layer: String) throws -> [[String: Any]] {
    try Tool.run("extract", "--only", layer, path).objects()
  }

  /// Its calls, the first one first.
  func calls() throws -> [[String: Any]] { try rows("calls") }

  /// Its only call.
  func call() throws -> [String: Any] {
    let calls = try calls()
    #expect(calls.count == 1)
    return try #require(calls.first)
  }

  func events(_ name: String? = nil) throws -> [[String: Any]] {
    try rows("events").filter { name == nil || $0["event"] as? String == name }
  }

  /// The arguments of the first event of a name.
  func arguments(_ event: String) throws -> [String: Any] {
    try #require(try events(event).first?["args"] as? [String: Any])
  }

  func setup() throws -> [String: Any] { try #require(try rows("setup").first) }

  func findings() throws -> [String] { try rows("findings").compactMap { $0["code"] as? String } }

  /// What `show` says first.
  func story() throws -> String {
    try Tool.run("show", path).output.replacingOccurrences(of: "\n", with: " ")
  }

  /// How long an event lasted, ms.
  func lasted(_ event: String) throws -> Double? {
    guard let row = try events(event).first, let from = row["t_ms"] as? Double,
      let until = row["until_ms"] as? Double
    else { return nil }
    return until - from
  }
}
