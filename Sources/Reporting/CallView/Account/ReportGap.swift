import CallModel
import CallStore

/// A time between two reports of what an end received that came further apart than its windows are long.
public struct ReportGap: Sendable, Equatable {
  public var fromMs: Double
  public var untilMs: Double

  var lengthMs: Double { untilMs - fromMs }

  /// Those of an end, in order of time, by the reports of all streams that it is judged by.
  static func find(ofEnd key: Int64, in store: Store) throws -> [ReportGap] {
    try NamedRow.rows(
      store,
      """
      SELECT from_ms, until_ms FROM (
        SELECT lag(t_ms) OVER (ORDER BY t_ms) AS from_ms, t_ms AS until_ms FROM samples
        WHERE stream_key IN (
          SELECT stream_key FROM streams
          WHERE endpoint_key = :end AND chosen AND source = 'stats' AND direction = 'inbound'))
      WHERE until_ms - from_ms > :close ORDER BY from_ms
      """, ["end": .integer(key), "close": .real(EndAccount.closeReportsMs)]
    ).compactMap { row in
      row.number("from_ms").flatMap { from in
        row.number("until_ms").map { ReportGap(fromMs: from, untilMs: $0) }
      }
    }
  }
}
