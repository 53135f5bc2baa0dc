import CallModel

extension Store {
  /// How many of the first and of the last background events are read.
  static let backgroundEvents = Int64(Limit.backgroundEvents.value)
  static let maxEvents = Int64(Limit.judgedEvents.value)

  /// The events of a call needed for judging, in order of time, in bounded memory.
  ///
  /// Only the first and last two thousand background events are read: those that a conference streams all day (rosters,
  /// stages, layouts), messages of the application, and unknown events. Of all others, the first and last fifty
  /// thousand are read. Long arguments are reduced to their short members, except descriptions. Summaries of candidate
  /// pairs from statistics are only for display and are left out.
  public func judgingEvents(ofCall call: Int64) throws -> [StoredEvent] {
    try judgingEvents(ofCall: call, most: Self.maxEvents)
  }

  func judgingEvents(ofCall call: Int64, most: Int64) throws -> [StoredEvent] {
    let background = """
      (e.event LIKE 'conference.%' OR e.event LIKE 'app.message%' OR e.event IN ('unknown', 'media.dropout', 'media.recovered',
        'media.silent', 'media.quality-limited', 'media.resolution-changed', 'call.muted', 'call.unmuted', 'ice.candidate',
        'ice.remote-candidate', 'session.keepalive', 'session.frame', 'network.retry'))
      """
    return try exclusive {
      // If there are no more than these, events need not be classified.
      let count =
        try connection.first("SELECT count(*) FROM \(Self.eventsOfCall) WHERE c.call_key = ?1", call)?.integer
        ?? 0
      let captures = try captures(ofCall: call)
      return try connection.rows(
        """
        SELECT c.endpoint_key, c.source_id, e.t_ms, e.until_ms, e.event, e.raw, e.sdk, \(Self.shortArguments), e.line, e.anomaly, e.connection_key
        FROM \(Self.eventsOfCall)
        WHERE c.call_key = ?1 AND e.event <> '\(EventName.mediaPathPairs)'
          AND (?2 OR NOT \(background) OR \(Self.ends(of: background, most: Self.backgroundEvents)))
          AND (?3 OR \(background) OR \(Self.ends(of: "NOT \(background)", most: most)))
        ORDER BY e.t_ms, e.event_key
        """, call, count <= 2 * Self.backgroundEvents, count <= 2 * most
      ) { row in
        var record = EventRecord(
          timeMs: row.optionalDouble(2), named: row.text(4), raw: row.text(5), sdk: row.optionalText(6),
          args: row.text(7), line: row.optionalInt(8))
        record.untilMs = row.optionalDouble(3)
        record.anomaly = row.optionalText(9)
        record.isOfCapture = captures.contains(row.int64(1))
        return StoredEvent(
          record: record, endpoint: row.optionalInt64(0), source: row.int64(1), connection: row.int64(10))
      }
    }
  }

  /// The captures among a call's sources, whose events refer to frames, not lines.
  private func captures(ofCall call: Int64) throws -> Set<Int64> {
    let keys = try connection.rows(
      """
      SELECT source_id FROM sources WHERE format IN (?2, ?3)
        AND source_id IN (SELECT source_id FROM source_views WHERE call_key = ?1)
      """, call, SourceFormat.pcap.rawValue, SourceFormat.pcapng.rawValue
    ) { $0.int64(0) }
    return Set(keys)
  }

  private static let eventsOfCall = "source_views AS c JOIN events AS e USING (connection_key)"

  // Whether an event is among the first or last of its kind.
  private static func ends(of kind: String, most: Int64) -> String {
    let ends = ["ASC", "DESC"].map { way in
      """
      e.event_key IN (SELECT e.event_key FROM \(eventsOfCall) WHERE c.call_key = ?1 AND \(kind)
        ORDER BY e.t_ms \(way), e.event_key \(way) LIMIT \(most))
      """
    }
    return "(\(ends.joined(separator: " OR ")))"
  }

  // The arguments; of long ones the short members, last members first, as readers append theirs.
  private static let shortArguments = """
    CASE WHEN length(e.args) > \(Limit.judgedArguments.value) AND e.event NOT LIKE 'sdp.%' THEN (
      SELECT json_group_object(key, CASE WHEN type IN ('true', 'false') THEN json(type)
        WHEN type IN ('object', 'array') THEN json(value) ELSE value END)
      FROM (SELECT key, type, value FROM json_each(e.args)
        WHERE length(key) <= 64 AND ifnull(length(value), 0) <= \(Limit.judgedMember.value) ORDER BY id DESC LIMIT \(Limit.judgedMembers.value)))
    ELSE e.args END
    """
}
