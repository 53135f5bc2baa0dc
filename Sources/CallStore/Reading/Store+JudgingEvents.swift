import CallModel

extension Store {
  /// How many of the first and of the last background events are looked at.
  static let backgroundEvents: Int64 = 2000

  /// The events of a call that a judgement needs, in the order of time, in bounded memory whatever the log.
  ///
  /// Of what a conference streams all day (rosters, stages, layouts) and of what nobody knows, the first and the last two
  /// thousand stand for the rest; long payloads are left out, but for descriptions.
  public func judgingEvents(ofCall call: Int64) throws -> [StoredEvent] {
    let background = """
      (e.event LIKE 'conference.%' OR e.event IN ('unknown', 'media.dropout', 'media.recovered', 'media.silent',
        'media.quality-limited', 'media.resolution-changed', 'call.muted', 'call.unmuted', 'ice.candidate', 'ice.remote-candidate'))
      """
    let some = """
      SELECT e.event_key FROM connections AS c JOIN events AS e USING (connection_key)
      WHERE c.call_key = ?1 AND \(background) ORDER BY e.event_key
      """
    return try exclusive {
      // Where there are no more than the first and the last of them, none needs to be looked at for what it is.
      let count = try connection.first(
        "SELECT count(*) FROM connections AS c JOIN events AS e USING (connection_key) WHERE c.call_key = ?",
        call)
      let isFew = (count?.integer ?? 0) <= 2 * Self.backgroundEvents
      return try connection.rows(
        """
        SELECT c.endpoint_key, c.source_id, e.t_ms, e.until_ms, e.event, e.raw, e.sdk,
          CASE WHEN length(e.args) > 2048 AND e.event NOT LIKE 'sdp.%' THEN json_remove(e.args, '$.data')
            ELSE e.args END,
          e.line, e.anomaly
        FROM connections AS c JOIN events AS e USING (connection_key)
        WHERE c.call_key = ?1 AND (?2 OR NOT \(background)
          OR e.event_key IN (SELECT event_key FROM (\(some) LIMIT \(Self.backgroundEvents)))
          OR e.event_key IN (SELECT event_key FROM (\(some) DESC LIMIT \(Self.backgroundEvents))))
        ORDER BY e.t_ms, e.event_key LIMIT 100000
        """, call, isFew
      ) { row in
        var record = EventRecord(
          timeMs: row.optionalDouble(2), event: row.text(4), raw: row.text(5), sdk: row.optionalText(6),
          args: row.text(7), line: row.optionalInt(8))
        record.untilMs = row.optionalDouble(3)
        record.anomaly = row.optionalText(9)
        return StoredEvent(record: record, endpoint: row.optionalInt64(0), source: row.int64(1))
      }
    }
  }
}
