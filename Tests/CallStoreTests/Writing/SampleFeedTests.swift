import CallModel
import Testing

@testable import CallStore

@Suite("Samples are inserted from memory in place")
struct SampleFeedTests {
  let store: Store

  init() throws { store = try Store.inMemory() }

  private func write(_ samples: [(Sample, extra: String?)]) throws {
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for (sample, extra) in samples { try writer.sample(sample, of: 0, extra: extra) }
      return .imported
    }
  }

  private func column(_ name: String) throws -> [Cell] {
    try store.query("SELECT \(name) FROM samples ORDER BY t_ms").rows.compactMap(\.first)
  }

  @Test("each row of a run has its own figures, and NULL for unknown ones")
  func ownFigures() throws {
    try write([
      (Sample(1000, [.packets: 1, .jitterMs: 2.5]), nil),
      (Sample(2000, [.packets: 2]), "{\"é\":\"\"}"),
      (Sample(3000, [.bytes: 7]), nil),
    ])
    #expect(try column("packets") == [.integer(1), .integer(2), .null])
    #expect(try column("bytes") == [.null, .null, .integer(7)])
    #expect(try column("jitter_ms") == [.real(2.5), .null, .null])
    #expect(try column("extra") == [.null, .text("{\"é\":\"\"}"), .null])
  }

  @Test("integral counters are integers, and NaN is unknown")
  func kinds() throws {
    let odd: [Double] = [0, -0.0, -3, 0.5, 9_007_199_254_740_992, 1e300, .infinity, .nan]
    try write(odd.enumerated().map { (Sample(Double($0) * 1000, [.packets: $1]), nil) })
    #expect(
      try column("packets") == [
        .integer(0), .integer(0), .integer(-3), .real(0.5), .integer(9_007_199_254_740_992), .real(1e300),
        .null,
        .null,
      ])
  }

  @Test("a late sample is merged with the one at its time")
  func late() throws {
    let many = (0..<2000).map { (Sample(Double($0) * 1000, [.packets: Double($0)]), extra: String?.none) }
    try write(many + [(Sample(5000, [.bytes: 50]), nil), (Sample(5500, [.packets: 5]), nil)])
    #expect(try store.count("samples") == 2001)
    #expect(try store.value("SELECT packets || ' ' || bytes FROM samples WHERE t_ms = 5000") == .text("5 50"))
    #expect(try store.value("SELECT packets FROM samples WHERE t_ms = 5500") == .integer(5))
  }

  @Test("outside of a run the table is empty")
  func nothing() throws {
    try write([(Sample(1000, [.packets: 1]), nil)])
    #expect(try store.value("SELECT count(*) FROM sample_feed") == .integer(0))
  }
}
