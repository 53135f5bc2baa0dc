import CallModel
import Foundation
import Testing

@testable import CallStore
@testable import SQLite

@Suite("quantiles_by: figures of groups in a single pass")
struct QuantilesTests {
  private let store: Store

  init() throws { store = try Store.inMemory() }

  private struct Group: Decodable, Equatable {
    var keys: [String?]
    var rows: Int
    var known: Int
    var mean, p10, p50, p90, max: Double?
  }

  private func groups(_ sql: String) throws -> [Group] {
    let text = try #require(try store.value(sql).string)
    return try JSONDecoder().decode([Group].self, from: Data(text.utf8))
  }

  @Test(
    "they are those of window functions, whatever the values and their order",
    arguments: 1...20 as ClosedRange<UInt64>)
  func asWindows(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try store.connection.execute("CREATE TEMP TABLE t (a TEXT, b, v REAL)")
    for _ in 0..<Int.random(in: 1...400, using: &random) {
      let value: Double? =
        Int.random(in: 0..<5, using: &random) == 0
        ? nil : Double(Int.random(in: -50...50, using: &random)) / 7
      try store.connection.run(
        "INSERT INTO t VALUES (?, ?, ?)", ["x", "y\"z", nil].randomElement(using: &random) ?? nil,
        Int.random(in: 1...3, using: &random), value)
    }
    let windows = try store.query(
      """
      SELECT a, CAST(b AS TEXT), max(rows), max(n), min(CASE WHEN k >= 0.1 * n THEN v END), min(CASE WHEN k >= 0.5 * n THEN v END),
        min(CASE WHEN k >= 0.9 * n THEN v END), max(v)
      FROM (SELECT a, b, v, count(*) OVER (PARTITION BY a, b) AS rows, count(v) OVER (PARTITION BY a, b) AS n,
        row_number() OVER (PARTITION BY a, b ORDER BY v IS NULL, v) AS k FROM t)
      GROUP BY a, b
      """
    ).rows.map { row in
      Group(
        keys: [row[0].string, row[1].string], rows: Int(row[2].integer ?? 0), known: Int(row[3].integer ?? 0),
        p10: row[4].number, p50: row[5].number, p90: row[6].number, max: row[7].number)
    }
    let computed = try groups("SELECT quantiles_by(a, b, v) FROM t").map { group in
      var group = group
      group.mean = nil
      return group
    }
    func order(_ one: Group, _ other: Group) -> Bool { "\(one.keys)" < "\(other.keys)" }
    #expect(computed.sorted(by: order) == windows.sorted(by: order))
  }

  @Test("a mean does not depend on the order of rows, and non-finite values are left out")
  func mean() throws {
    let values = "SELECT 0.1 AS v UNION ALL SELECT 1e16 UNION ALL SELECT -1e16 UNION ALL SELECT 0.3"
    let up = try groups("SELECT quantiles_by('k', v) FROM (SELECT v FROM (\(values)) ORDER BY v)")
    let down = try groups("SELECT quantiles_by('k', v) FROM (SELECT v FROM (\(values)) ORDER BY v DESC)")
    #expect(up == down)
    let endless = try groups("SELECT quantiles_by(v) FROM (SELECT 9e999 AS v)")
    #expect(endless == [Group(keys: [], rows: 1, known: 1)])
  }

  @Test("a group with many distinct values has the same figures")
  func many() throws {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
    let group = try groups("\(numbers) SELECT quantiles_by('k', (i * 7919) % 50021 / 4.0) FROM n")
    let windows = try store.query(
      """
      \(numbers), v AS (SELECT (i * 7919) % 50021 / 4.0 AS v FROM n), r AS (SELECT v, row_number() OVER (ORDER BY v) AS k FROM v)
      SELECT min(CASE WHEN k >= 5000 THEN v END), min(CASE WHEN k >= 25000 THEN v END), min(CASE WHEN k >= 45000 THEN v END), max(v) FROM r
      """
    ).rows[0].map(\.number)
    #expect(group.count == 1)
    #expect([group[0].p10, group[0].p50, group[0].p90, group[0].max] == windows)
    #expect(group[0].known == 50_000)
  }

  @Test("no rows give no group, no values give no figures")
  func empty() throws {
    #expect(try groups("SELECT quantiles_by('k', 1) WHERE 0").isEmpty)
    #expect(try groups("SELECT quantiles_by('k', NULL)") == [Group(keys: ["k"], rows: 1, known: 0)])
  }

  @Test("an abandoned query frees its groups")
  func givenUp() throws {
    #expect(throws: StoreError.self) {
      try store.within(seconds: 0.05) {
        _ = try store.query(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT quantiles_by(i % 10, i) FROM n"
        )
      }
    }
    #expect(try groups("SELECT quantiles_by('k', 2)").first?.p50 == 2)
  }
}
