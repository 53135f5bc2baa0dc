import CallModel
import SQLite

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
    try exclusive {
      // If there are no more than these, events need not be classified.
      let count = try connection.first(Self.eventCount, call)?.integer ?? 0
      let captures = try captures(ofCall: call)
      func event(_ row: Statement) -> StoredEvent {
        var event = Self.event(row)
        event.record.isOfCapture = captures.contains(event.source)
        return event
      }
      guard count > 2 * min(Self.backgroundEvents, most) else {
        return try connection.rows(Self.allEvents, call, body: event)
      }
      return try connection.rows(
        Self.someEvents, call, Self.backgroundEvents, most, count <= 2 * most, body: event)
    }
  }

  /// The event of a row of the columns that both selections of events have.
  static func event(_ row: Statement) -> StoredEvent {
    var record = EventRecord(
      timeMs: row.optionalDouble(2), named: row.text(4), raw: row.text(5), sdk: row.optionalText(6),
      args: row.text(7), line: row.optionalInt(8))
    record.untilMs = row.optionalDouble(3)
    record.anomaly = row.optionalText(9)
    return StoredEvent(
      record: record, endpoint: row.optionalInt64(0), source: row.int64(1), connection: row.int64(10))
  }

  /// The captures among a call's sources, whose events refer to frames, not lines.
  private func captures(ofCall call: Int64) throws -> Set<Int64> {
    let keys = try connection.rows(
      """
      SELECT source_id FROM source_views CROSS JOIN sources AS s USING (source_id)
      WHERE call_key = ?1 AND (s.format = ?2 OR s.format = ?3)
      """, call, SourceFormat.pcap.rawValue, SourceFormat.pcapng.rawValue
    ) { $0.int64(0) }
    return Set(keys)
  }

  private static let eventsOfCall =
    "source_views AS c CROSS JOIN events AS e USING (connection_key) WHERE c.call_key = ?1"
  private static let eventCount = "SELECT count(*) FROM \(eventsOfCall)"
  private static let allEvents = "\(judged) \(inOrder)"
  private static let someEvents = """
    \(judged) AND (NOT \(background) OR \(ends(of: background, most: "?2")))
      AND (?4 OR \(background) OR \(ends(of: "NOT \(background)", most: "?3"))) \(inOrder)
    """
  private static let judged = """
    SELECT c.endpoint_key, c.source_id, e.t_ms, e.until_ms, e.event, e.raw, e.sdk, \(shortArguments), e.line, e.anomaly, e.connection_key
    FROM \(eventsOfCall) AND e.event <> '\(EventName.mediaPathPairs)'
    """
  private static let inOrder = "ORDER BY e.t_ms, e.event_key"
  private static let background = """
    (e.event LIKE 'conference.%' OR e.event LIKE 'app.message%' OR e.event IN ('unknown', 'media.dropout', 'media.recovered',
      'media.silent', 'media.quality-limited', 'media.resolution-changed', 'call.muted', 'call.unmuted', 'ice.candidate',
      'ice.remote-candidate', 'session.keepalive', 'session.frame', 'network.retry'))
    """

  // Whether an event is among the first or last of its kind.
  private static func ends(of kind: String, most: String) -> String {
    let ends = ["ASC", "DESC"].map { way in
      """
      e.event_key IN (SELECT e.event_key FROM \(eventsOfCall) AND \(kind)
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
