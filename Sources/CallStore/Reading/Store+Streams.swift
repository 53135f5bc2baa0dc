import CallModel
import SQLite

extension Store {
  /// The streams of each end of a call, by the end's key, in the order of import.
  public func streams(ofCall call: Int64) throws -> [Int64: [StoredStream]] {
    let streams = try exclusive {
      try connection.rows(Self.streamsOfCall, call, body: Self.stream).sorted { $0.key < $1.key }
    }
    var byEnd: [Int64: [StoredStream]] = [:]
    for stream in streams { byEnd[stream.endpoint ?? 0, default: []].append(stream) }
    return byEnd
  }

  // Sorted in SQL, or joined in any order, SQLite would read the streams of all calls.
  private static let streamsOfCall =
    "\(columns) FROM endpoints AS e CROSS JOIN streams AS s USING (endpoint_key) \(sources) WHERE e.call_key = ?"

  private static let columns = """
    SELECT stream_key, connection_key, s.endpoint_key, source_id, chosen, s.samples,
      source, s.direction, kind, ssrc, rtx_ssrc, mid, rid, codec, fmtp, payload_type, clock_rate, clock_rate_guessed,
      channels, local, remote, screen, implementation,
      s.first_ms, s.last_ms, s.packets, s.bytes, expected, lost, duplicates, reordered, late, restarts, fec, rtx, probes,
      capture_duplicates, jitter_mean_ms, jitter_max_ms, frame_jitter_mean_ms, max_delta_ms, wireshark_packets,
      wireshark_lost, wireshark_jitter_mean_ms, wireshark_jitter_max_ms, burst_density, gap_density, burst_ms, gap_ms,
      rtt_ms, extra, f.first_ms, f.last_ms, f.sha256, encoding_index, scalability_mode, track_identifier,
      interval_ms, loss_share_mean, bitrate_mean_bps, concealed_share
    """
  private static let sources =
    "CROSS JOIN source_views AS c USING (connection_key) CROSS JOIN sources AS f USING (source_id)"

  private static func stream(_ row: Statement) -> StoredStream {
    StoredStream(
      key: row.int64(0), connection: row.int64(1), endpoint: row.optionalInt64(2), source: row.int64(3),
      chosen: row.int64(4) != 0, facts: facts(row), totals: totals(row), samples: Int(row.int64(5)),
      sourceSpan: row.optionalDouble(51).flatMap { first in
        row.optionalDouble(52).map { first...max(first, $0) }
      }, sourceDigest: row.optionalText(53) ?? "")
  }

  private static func facts(_ row: Statement) -> StreamFacts {
    var facts = StreamFacts()
    facts.source = StreamSource(rawValue: row.text(6)) ?? .stats
    facts.direction = StreamDirection(rawValue: row.text(7)) ?? .unknown
    facts.kind = row.optionalText(8).flatMap(MediaKind.init)
    facts.ssrc = row.optionalInt64(9).flatMap(UInt32.init(exactly:))
    facts.rtxSsrc = row.optionalInt64(10).flatMap(UInt32.init(exactly:))
    facts.mid = row.optionalText(11)
    facts.rid = row.optionalText(12)
    facts.codec = row.optionalText(13)
    facts.fmtp = row.optionalText(14)
    facts.payloadType = row.optionalInt(15)
    facts.clockRate = row.optionalInt(16)
    facts.clockRateGuessed = row.optionalInt(17).map { $0 != 0 }
    facts.channels = row.optionalInt(18)
    facts.local = row.optionalText(19)
    facts.remote = row.optionalText(20)
    facts.screen = row.optionalInt(21).map { $0 != 0 }
    facts.implementation = row.optionalText(22)
    facts.encodingIndex = row.optionalInt(54)
    facts.scalabilityMode = row.optionalText(55)
    facts.trackIdentifier = row.optionalText(56)
    facts.intervalMs = row.optionalDouble(57)
    return facts
  }

  private static func totals(_ row: Statement) -> StreamTotals {
    var totals = StreamTotals()
    totals.firstMs = row.optionalDouble(23)
    totals.lastMs = row.optionalDouble(24)
    totals.packets = row.optionalInt(25)
    totals.bytes = row.optionalInt(26)
    totals.expected = row.optionalInt(27)
    totals.lost = row.optionalInt(28)
    totals.duplicates = row.optionalInt(29)
    totals.reordered = row.optionalInt(30)
    totals.late = row.optionalInt(31)
    totals.restarts = row.optionalInt(32)
    totals.fec = row.optionalInt(33)
    totals.rtx = row.optionalInt(34)
    totals.probes = row.optionalInt(35)
    totals.captureDuplicates = row.optionalInt(36)
    totals.jitterMeanMs = row.optionalDouble(37)
    totals.jitterMaxMs = row.optionalDouble(38)
    totals.frameJitterMeanMs = row.optionalDouble(39)
    totals.maxDeltaMs = row.optionalDouble(40)
    totals.wiresharkPackets = row.optionalInt(41)
    totals.wiresharkLost = row.optionalInt(42)
    totals.wiresharkJitterMeanMs = row.optionalDouble(43)
    totals.wiresharkJitterMaxMs = row.optionalDouble(44)
    totals.burstDensity = row.optionalDouble(45)
    totals.gapDensity = row.optionalDouble(46)
    totals.burstMs = row.optionalDouble(47)
    totals.gapMs = row.optionalDouble(48)
    totals.rttMs = row.optionalDouble(49)
    totals.extra = row.optionalText(50)
    totals.lossShare = row.optionalDouble(58)
    totals.bitrateMeanBps = row.optionalDouble(59)
    totals.concealedShare = row.optionalDouble(60)
    return totals
  }
}

extension Store {
  /// Whether a connection has all streams and paths that its source has for an end.
  public func isAlone(_ connection: Int64, at endpoint: Int64) throws -> Bool {
    try exclusive {
      try self.connection.first(
        """
        SELECT count(*) FROM source_views WHERE endpoint_key = ?1 AND NOT whole
          AND source_id = (SELECT source_id FROM source_views WHERE connection_key = ?2)
        """, endpoint, connection)?.integer == 1
    }
  }

  /// Number of rows in table `samples` of all streams of a call.
  public func sampleCount(ofCall call: Int64) throws -> Int {
    try exclusive {
      let count = try connection.first(
        "SELECT sum(s.samples) FROM source_views JOIN streams AS s USING (connection_key) WHERE call_key = ?",
        call)
      return Int(count?.integer ?? 0)
    }
  }

  /// The first and last time at which the sources of an end have path samples; nil if they have none.
  public func pathSpan(ofEndpoint endpoint: Int64) throws -> ClosedRange<Double>? {
    try exclusive {
      try connection.rows(
        """
        SELECT min(t_ms), max(t_ms) FROM path_samples JOIN paths USING (path_key)
          JOIN source_views USING (connection_key) WHERE endpoint_key = ?
        """, endpoint
      ) { row in
        row.optionalDouble(0).flatMap { first in row.optionalDouble(1).map { first...max(first, $0) } }
      }.first ?? nil
    }
  }

  /// Sources of an end that were imported only in part: the file's name and the reason.
  public func brokenSources(ofEndpoint endpoint: Int64) throws -> [String] {
    try exclusive {
      let broken = try connection.rows(
        """
        SELECT s.path, coalesce(s.reason, 'taken in part')
        FROM source_views AS c CROSS JOIN sources AS s USING (source_id)
        WHERE c.endpoint_key = ? AND s.status = 'partial'
        """, endpoint
      ) { "\($0.text(0).split(separator: "/").last ?? ""): \($0.text(1))" }
      return Set(broken).sorted()
    }
  }

  /// Whether a log line between the first and last line about an end was rejected: it may have been about the end, too.
  public func missesLines(ofEndpoint endpoint: Int64) throws -> Bool {
    try exclusive {
      try connection.rows(
        """
        SELECT 1 FROM source_views AS c JOIN rejects AS r USING (source_id)
        WHERE c.endpoint_key = ?
          AND r.line > (SELECT min(e.line) FROM events AS e WHERE e.connection_key = c.connection_key)
          AND r.line < (SELECT max(e.line) FROM events AS e WHERE e.connection_key = c.connection_key)
        LIMIT 1
        """, endpoint
      ) { _ in true }.first ?? false
    }
  }

  /// Keys of the sources of a call with a note.
  public func sources(ofCall call: Int64, noting note: String) throws -> Set<Int64> {
    try exclusive {
      Set(
        try connection.rows(
          "SELECT source_id FROM source_views JOIN notes USING (source_id) WHERE call_key = ? AND note = ?",
          call, note
        ) { $0.int64(0) })
    }
  }

  /// Keys of the captures among the sources of a call that contain media of any call: a capture of signalling alone
  /// cannot show that media was missing. A DTLS handshake counts, as media takes the same path.
  public func mediaCaptures(ofCall call: Int64) throws -> Set<Int64> {
    try exclusive {
      Set(
        try connection.rows(
          """
          SELECT s.source_id FROM source_views AS c CROSS JOIN sources AS s USING (source_id)
          WHERE c.call_key = ? AND s.format LIKE 'pcap%' AND (s.streams > 0 OR EXISTS (
            SELECT 1 FROM events AS e WHERE e.connection_key = c.connection_key AND e.event = 'dtls.connected'))
          """, call
        ) { row in row.int64(0) })
    }
  }
}
