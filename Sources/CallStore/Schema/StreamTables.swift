import CallModel

/// Streams with their samples, their paths, and the events.
enum StreamTables {
  static let ddl = [streams, samples, paths].joined(separator: "\n")

  /// The columns of a path sample.
  static let pathColumns = TransportSample.columns + ["extra"]

  private static let streams = """
    CREATE TABLE streams (              -- one row a stream and source, with the figures of its whole life
      stream_key     INTEGER PRIMARY KEY,
      connection_key INTEGER NOT NULL REFERENCES source_views ON DELETE CASCADE,
      endpoint_key   INTEGER REFERENCES endpoints ON DELETE SET NULL,  -- as its connection's
      source         TEXT NOT NULL CHECK (source = 'stats' OR source = 'capture' OR source = 'figures'),   -- who looked
      chosen         INTEGER NOT NULL DEFAULT 0,  -- 1: of the source that judges the call
      direction      TEXT NOT NULL
        CHECK (direction = 'inbound' OR direction = 'outbound' OR direction = 'unknown'),
      kind           TEXT CHECK (kind IN ('audio', 'video')),
      ssrc           INTEGER,
      rtx_ssrc       INTEGER,
      mid            TEXT,
      rid            TEXT,
      track_identifier TEXT,            -- of the track that it carries: whose stream it is, where the far end's id is kept
      score          REAL,              -- 0-100 of this stream alone over the windows; NULL: not scored by itself
      encoding_index INTEGER,           -- which of its sender's encodings
      scalability_mode TEXT,            -- how it is layered: L1T3 ...
      codec          TEXT,              -- opus, VP8 ...
      fmtp           TEXT,
      payload_type   INTEGER,
      clock_rate     INTEGER,           -- Hz
      clock_rate_guessed INTEGER,       -- 1: inferred from the packets
      channels       INTEGER,
      screen         INTEGER,           -- 1: screen share
      implementation TEXT,              -- encoder or decoder
      interval_ms    REAL,              -- figures: the time that each sample is a mean of; NULL: moments
      local          TEXT,              -- ip:port
      remote         TEXT,
      first_ms       REAL,
      last_ms        REAL,
      samples        INTEGER NOT NULL DEFAULT 0,  -- rows in `samples` when it was imported
      metrics        TEXT,              -- the columns of `samples` that are not always NULL for it, with blanks between
      -- stats: what the counters came to, also where they began from zero again; a capture: the packets seen
      packets        INTEGER,
      bytes          INTEGER,           -- payload
      expected       INTEGER,
      lost           INTEGER,
      duplicates     INTEGER,
      reordered      INTEGER,
      late           INTEGER,
      restarts       INTEGER,
      fec            INTEGER,
      rtx            INTEGER,
      probes         INTEGER,
      capture_duplicates INTEGER,
      jitter_mean_ms REAL,
      jitter_max_ms  REAL,
      frame_jitter_mean_ms REAL,
      max_delta_ms   REAL,              -- longest gap between packets
      wireshark_packets        INTEGER, -- as Wireshark's RTP stream analysis counts
      wireshark_lost           INTEGER,
      wireshark_jitter_mean_ms REAL,
      wireshark_jitter_max_ms  REAL,
      burst_density  REAL,              -- RFC 3611
      gap_density    REAL,
      burst_ms       REAL,
      gap_ms         REAL,
      rtt_ms         REAL,              -- mean
      bitrate_mean_bps REAL,            -- payload
      loss_share_mean REAL,             -- 0-1, where shares were reported and packets not counted
      concealed_samples INTEGER,
      silent_concealed_samples INTEGER,
      total_samples  INTEGER,
      concealed_share REAL,
      freeze_count   INTEGER,
      freeze_ms      REAL,
      pause_count    INTEGER,
      pause_ms       REAL,
      frame_rate_mean REAL,
      width          INTEGER,           -- the last known
      height         INTEGER,
      nack           INTEGER,
      pli            INTEGER,
      fir            INTEGER,
      extra          TEXT,              -- JSON object of anything else
      sample_checksum INTEGER           -- over its samples, for `check`; NULL: not known
    );
    CREATE INDEX streams_by_connection ON streams (connection_key);
    CREATE INDEX streams_by_endpoint ON streams (endpoint_key);
    """

  /// The widest table: one column per metric, in the order of `Metric`.
  ///
  /// With a rowid: streams are stored interleaved, and appending rows this wide is better than inserting them in the
  /// middle of a tree by key. Reading by the index is still mostly sequential, as samples of a stream are written in
  /// runs.
  private static var samples: String {
    let columns = Metric.allCases.map { metric in
      let info = metric.info
      let column = info.column.padding(to: 30) + (info.storage == .integer ? "INTEGER," : "REAL,   ")
      return "  \(column) -- \(info.unit) (\(info.behaviour.rawValue)): \(info.summary)"
    }
    return """
      CREATE TABLE samples (              -- what a stream reported at an instant; NULL: the source did not say
        stream_key  INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE,
        t_ms        REAL NOT NULL,        -- the report's own clock
      \(columns.joined(separator: "\n"))
        extra       TEXT,                 -- JSON object of members that have no column, known ones where they changed
        PRIMARY KEY (stream_key, t_ms)
      );
      """
  }

  private static let paths = """
    CREATE TABLE paths (                -- a network path of a connection; see view transports
      path_key       INTEGER PRIMARY KEY,
      connection_key INTEGER NOT NULL REFERENCES source_views ON DELETE CASCADE,
      pair           TEXT,              -- id of the selected candidate pair
      local          TEXT,              -- ip:port
      remote         TEXT,
      local_type     TEXT,              -- host, srflx, prflx, relay
      remote_type    TEXT,
      protocol       TEXT,              -- udp, tcp
      relay_protocol TEXT,              -- between client and relay: udp, tcp, tls
      network_type   TEXT,              -- wifi, cellular, ethernet, vpn ...
      ice_state      TEXT,
      dtls_state     TEXT,
      sample_checksum INTEGER           -- over its path_samples; NULL: not known
    );
    CREATE INDEX paths_by_connection ON paths (connection_key);

    CREATE TABLE path_samples (         -- how a path did at an instant
      path_key       INTEGER NOT NULL REFERENCES paths ON DELETE CASCADE,
      t_ms           REAL NOT NULL,
      rtt_ms         REAL,              -- of the connectivity checks
      available_out_bps REAL,
      available_in_bps  REAL,
      bytes_sent     INTEGER,
      bytes_received INTEGER,
      last_packet_ms REAL,              -- ms since epoch: when the last packet of any kind had come, but for connectivity checks
      requests_sent  INTEGER,           -- connectivity checks of the pair, from its beginning
      responses_received INTEGER,
      requests_received  INTEGER,
      responses_sent INTEGER,
      total_rtt_ms   REAL,              -- sum over the checks that were answered
      pair_changes   INTEGER,           -- how often the transport took another pair
      extra          TEXT,              -- JSON object of members that have no column, where they changed
      PRIMARY KEY (path_key, t_ms)
    ) WITHOUT ROWID;

    CREATE TABLE events (               -- what happened, in the order of the source
      event_key      INTEGER PRIMARY KEY,
      connection_key INTEGER NOT NULL REFERENCES source_views ON DELETE CASCADE,
      t_ms           REAL,              -- NULL where the log has no time
      until_ms       REAL,              -- end of what lasts
      event          TEXT NOT NULL,     -- canonical name with its group: call.ringing; or unknown
      raw            TEXT NOT NULL,     -- the name in the source
      sdk            TEXT,
      args           TEXT NOT NULL DEFAULT '{}',  -- JSON object, secrets removed
      line           INTEGER,           -- 1-based in the source
      anomaly        TEXT               -- why it should not have come here
    );
    CREATE INDEX events_by_connection ON events (connection_key, t_ms);
    """
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, width - count))
  }
}
