import CallModel
import CSQLite
import Testing

@testable import Assessing
@testable import CallStore

@Suite("Statements that run for each call")
struct StatementsPerCallTests {
  private static let calls = 40

  /// Many calls of two ends, imported and judged.
  private let store: Store

  init() throws {
    store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    for call in 0..<Self.calls {
      for end in ["caller", "callee"] {
        let path = "\(call)/\(end)"
        var header = SourceHeader(path: path, sha256: path, format: .getstatsLines, importedMs: 1)
        header.call = "call-\(call)"
        try queue.write(header, stored: { _ in }) { writer in
          var facts = ConnectionFacts()
          facts.endpoint = end
          try writer.connection(0, facts)
          for number in 0..<4 {
            var facts = StreamFacts()
            (facts.direction, facts.kind) = (number < 2 ? .inbound : .outbound, .audio)
            facts.ssrc = UInt32(call * 8 + number + (end == "caller" ? 1 : 5))
            try writer.stream(number, of: 0, facts)
          }
          let startMs = MinuteOfCall.startMs + Double(call) * 60_000
          for second in stride(from: 1.0, through: 12, by: 1) {
            for number in 0..<4 {
              var sample = Sample(timeMs: startMs + second * 1000)
              sample[.packets] = second * 50
              try writer.sample(sample, of: number, extra: nil)
            }
          }
          try writer.addEvents([(0, .callEstablished), (12, .callEnded)], from: startMs)
          return SourceStatus(.imported)
        }
      }
    }
    try queue.flush()
    try Assessor(store: store).assessStale()
  }

  @Test("read the rows of that call, not those of all calls")
  func readNoOthers() throws {
    var seen = 0
    var statement = sqlite3_next_stmt(store.connection.handle, nil)
    while let one = statement {
      statement = sqlite3_next_stmt(store.connection.handle, one)
      let runs = sqlite3_stmt_status(one, SQLITE_STMTSTATUS_RUN, 0)
      guard runs >= Self.calls else { continue }
      seen += 1
      let scanned = Double(sqlite3_stmt_status(one, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)) / Double(runs)
      #expect(scanned < 8, "\(scanned) rows a run: \(String(cString: sqlite3_sql(one)))")
    }
    #expect(seen > 20)
  }

  @Test("do not read a whole table of calls for each, after statistics were made of a store with one file")
  func afterOneFile() throws {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    func add(_ calls: Range<Int>) throws {
      let path = "\(calls)"
      let header = SourceHeader(path: path, sha256: path, format: .getstatsLines, importedMs: 1)
      try queue.write(header, stored: { _ in }) { writer in
        for (number, call) in calls.enumerated() {
          var facts = ConnectionFacts()
          facts.endpoint = "caller"
          facts.call = "call-\(call)"
          try writer.connection(number, facts)
          var stream = StreamFacts()
          (stream.direction, stream.kind, stream.ssrc) = (.inbound, .audio, UInt32(call))
          try writer.stream(number, of: number, stream)
          for second in stride(from: 1.0, through: 12, by: 1) {
            var sample = Sample(timeMs: MinuteOfCall.startMs + Double(call) * 60_000 + second * 1000)
            sample[.packets] = second * 50
            try writer.sample(sample, of: number, extra: nil)
          }
        }
        return SourceStatus(.imported)
      }
      try queue.flush()
      try Assessor(store: store).assessStale()
      try store.finishImport()
    }
    let many = 400
    try add(0..<1)
    try add(1..<1 + many)
    var statement = sqlite3_next_stmt(store.connection.handle, nil)
    while let one = statement {
      statement = sqlite3_next_stmt(store.connection.handle, one)
      let runs = Int(sqlite3_stmt_status(one, SQLITE_STMTSTATUS_RUN, 0))
      guard runs >= many else { continue }
      let steps = Int(sqlite3_stmt_status(one, SQLITE_STMTSTATUS_VM_STEP, 0)) / runs
      #expect(steps < many, "\(steps) steps a run: \(String(cString: sqlite3_sql(one)))")
    }
    #expect(try store.query("SELECT count(*) FROM calls").rows.first?.first?.integer == Int64(1 + many))
  }

  @Test("insert a row without a temporary table for its constraints")
  func insertPlainly() throws {
    let tables = try store.query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for table in tables.rows.compactMap(\.first?.string) {
      let plan = try store.connection.rows("EXPLAIN INSERT INTO \"\(table)\" DEFAULT VALUES") { $0.text(1) }
      #expect(!plan.contains("OpenEphemeral"), "\(table)")
    }
  }
}
