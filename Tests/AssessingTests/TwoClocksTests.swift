import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("How long a call lasted is told by one clock")
struct TwoClocksTests {
  /// A call of 25 s as its two ends log it: seconds and events, the callee's clock ahead.
  private func judge(_ caller: [(Double, String)], _ callee: [(Double, String)], aheadMs: Double) throws
    -> Store
  {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    for (end, events, shift) in [("caller", caller, 0), ("callee", callee, aheadMs)] {
      var header = SourceHeader(path: end, sha256: end, format: .runLog, importedMs: 1)
      header.call = "one"
      try queue.write(header, stored: { _ in }) { writer in
        var facts = ConnectionFacts()
        facts.endpoint = end
        try writer.connection(0, facts)
        for (second, name) in events {
          try writer.event(
            EventRecord(timeMs: 1_000_000_000 + second * 1000 + shift, event: name, raw: name), of: 0)
        }
        return SourceStatus(.imported)
      }
    }
    try queue.flush()
    try Assessor(store: store).assessStale()
    return store
  }

  private let caller: [(Double, String)] = [
    (0, "call.created"), (0.5, "call.ringing"), (4, "call.answered"), (4.8, "call.established"),
    (30, "call.ended"),
  ]
  private let callee: [(Double, String)] = [
    (0.45, "call.incoming"), (3.9, "call.answered"), (4.7, "call.established"), (30.1, "call.ended"),
  ]

  @Test(
    "the difference of the clocks is told where beginning and end bear witness",
    arguments: [7000.0, 3_600_000])
  func skew(aheadMs: Double) throws {
    let store = try judge(caller, callee, aheadMs: aheadMs)
    let call = try store.query("SELECT duration_ms, setup_ms FROM calls").rows.first
    #expect(call?.map(\.number) == [25_400, 1300])
    let said = try store.query("SELECT text FROM findings WHERE code = 'clock-skew'").rows.first?.first?
      .string
    #expect(said?.contains("when both ends say that the call was established and over") == true)
  }

  @Test("clocks that agree are left alone")
  func noSkew() throws {
    let store = try judge(caller, callee, aheadMs: 300)
    #expect(try store.query("SELECT 1 FROM findings").rows.isEmpty)
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == 25_400)
  }

  @Test("where nothing bears witness, a contradiction is told and nothing is computed across")
  func contradiction() throws {
    // The callee was cut off later: beginning and end do not agree on one difference.
    let late = callee.dropLast() + [(48, "call.ended")]
    let store = try judge(caller, Array(late), aheadMs: 3_600_000)
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == 43_300)
    let said = try store.query("SELECT text FROM findings WHERE code = 'clock-skew'").rows.first?.first?
      .string
    #expect(said?.contains("by how much is unknown") == true)
  }
}
