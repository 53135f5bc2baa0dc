import CallModel
import Testing

@testable import CallStore

@Suite("Times of runs")
struct RunTimeTests {
  private static let day = 86_400_000.0
  /// The first of the nights, and the instant of every import after it.
  private static let firstMs = 1.7952e12
  private let store: Store

  init() throws { store = try Store.inMemory() }

  /// A judged call of a run; gives its key.
  @discardableResult
  private func call(_ id: String, of run: String, at startedMs: Double?) throws -> Int64 {
    var header = SourceHeader(
      path: "\(run)/\(id)", sha256: "\(run)/\(id)", importedMs: Self.firstMs + 10 * Self.day)
    (header.run, header.call) = (run, id)
    try store.write(header) { writer in
      try writer.connection(0, end("caller"))
      try writer.event(EventRecord(timeMs: startedMs ?? 0, event: .callCreated, raw: "r"), of: 0)
      return .imported
    }
    let key = try #require(
      try store.value("SELECT call_key FROM calls WHERE run_id = '\(run)' AND call_id = '\(id)'").integer)
    try judge(key, at: startedMs)
    return key
  }

  private func judge(_ key: Int64, at startedMs: Double?) throws {
    var summary = CallSummary(outcome: .completed)
    (summary.startedMs, summary.durationMs) = (startedMs, 10_000)
    let runs = try store.query("SELECT run_id FROM calls WHERE call_key = \(key)").rows.compactMap {
      $0.first?.string
    }
    try store.updateCall(key, summary)
    try store.dateRuns(runs)
  }

  private func nights() throws {
    for night in 0..<3 {
      for number in 1...3 {
        try call(
          "c\(number)", of: "night-\(night)",
          at: Self.firstMs + Double(night) * Self.day + Double(number) * 60_000)
      }
    }
  }

  private var sources: SourceKeys {
    get throws {
      var keys = SourceKeys()
      for row in try store.query("SELECT source_id FROM sources").rows {
        if let key = row.first?.integer { keys.insert(key) }
      }
      return keys
    }
  }

  private var order: [String] {
    get throws {
      try store.query("SELECT run_id FROM run_starts ORDER BY began_ms").rows.compactMap { $0.first?.string }
    }
  }

  @Test(
    "one call whose clock cannot be moves no run, neither does one whose clock is a year slow",
    arguments: [6206, 2.2e12, firstMs - 365 * day])
  func outlier(startedMs: Double) throws {
    try nights()
    try call("odd", of: "night-2", at: startedMs)
    try call("odd", of: "night-0", at: startedMs)
    #expect(try order == ["night-0", "night-1", "night-2"])
  }

  @Test(
    "a call with an implausible clock does not date its run, is reported, is not the last one, and belongs to its run's night"
  )
  func named() throws {
    try nights()
    try call("boot", of: "night-1", at: 6206)
    try call("ahead", of: "night-1", at: 2.2e12)
    var clocks = try store.oddClocks(of: sources, most: 5)
    #expect(clocks.count == 2 && clocks.first == ["ahead", "boot"])
    clocks = try store.oddClocks(of: sources, most: 1)
    #expect(clocks.count == 2 && clocks.first == ["ahead"])
    #expect(
      try store.query("SELECT started_ms, ended_ms FROM runs WHERE run_id = 'night-1'").rows == [
        [.real(Self.firstMs + Self.day + 60_000), .real(Self.firstMs + Self.day + 190_000)]
      ])
    #expect(
      try store.query("SELECT DISTINCT night_ms FROM judged_calls WHERE odd_clock").rows == [
        [.real(Self.firstMs + Self.day + 60_000)]
      ])
    let last = try store.resolve(CallReference("last"))
    #expect(
      try store.value("SELECT run_id || '/' || call_id FROM calls WHERE call_key = \(last)")
        == .text("night-2/c3"))
  }

  @Test(
    "a run of such calls only took place when it was imported; one that is judged by a better clock is dated by it"
  )
  func healed() throws {
    try nights()
    let key = try call("only", of: "late", at: 6206)
    #expect(
      try store.value("SELECT began_ms FROM run_starts WHERE run_id = 'late'")
        == .real(Self.firstMs + 10 * Self.day))
    #expect(try store.value("SELECT started_ms FROM runs WHERE run_id = 'late'") == .null)
    try judge(key, at: Self.firstMs + 5 * Self.day)
    #expect(try store.oddClocks(of: sources, most: 5).count == 0)
    #expect(
      try store.value("SELECT began_ms FROM run_starts WHERE run_id = 'late'")
        == .real(Self.firstMs + 5 * Self.day))
  }

  @Test("excluded calls do not count for the time of their run")
  func excluded() throws {
    try nights()
    for number in 0..<7 {
      let key = try call("old\(number)", of: "night-2", at: Self.firstMs - 9 * Self.day)
      try store.exclude(call: key, reason: "an old recording")
    }
    #expect(try order == ["night-0", "night-1", "night-2"])
  }

  @Test("the stored time follows from the run's calls after any change", arguments: 0..<20)
  func kept(seed: UInt64) throws {
    try nights()
    var random = SplitMix64(seed: seed)
    for step in 0..<12 {
      let run = "night-\(Int.random(in: 0...2, using: &random))"
      let key = try #require(
        try store.query("SELECT call_key FROM calls WHERE run_id = '\(run)' ORDER BY call_key").rows
          .randomElement(using: &random)?.first?.integer)
      switch Int.random(in: 0...4, using: &random) {
      case 0:
        try call(
          "new \(step)", of: run, at: Self.firstMs + Double.random(in: 0...9, using: &random) * Self.day)
      case 1: try store.exclude(call: key, reason: Bool.random(using: &random) ? "an echo test" : nil)
      case 2: try judge(key, at: Self.firstMs + Double.random(in: -400...9, using: &random) * Self.day)
      case 3 where step > 6: try store.connection.execute("DELETE FROM calls WHERE call_key = \(key)")
      default: try store.dateRuns([run])
      }
      let kept = try store.query("SELECT * FROM run_starts ORDER BY run_id").rows
      try store.connection.execute("SAVEPOINT before; UPDATE runs SET middle_ms = NULL")
      #expect(try store.query("SELECT * FROM run_starts ORDER BY run_id").rows == kept)
      try store.connection.execute("ROLLBACK TO before; RELEASE before")
    }
    let runs = ["night-0", "night-1", "night-2"]
    try store.dateRuns(runs)
    #expect(try store.value("SELECT count(middle_ms) FROM runs") == .integer(3))
  }
}
