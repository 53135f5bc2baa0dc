import CallModel

/// Streams with their samples, the path they took, and what happened meanwhile.
enum StreamTables {
  static let streams = """
    CREATE TABLE streams (              -- one row a stream and source, with the figures of its whole life
      stream_key     INTEGER PRIMARY KEY,
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
      endpoint_key   INTEGER REFERENCES endpoints ON DELETE SET NULL,  -- as its connection's
      source         TEXT NOT NULL CHECK (source IN ('stats', 'capture')),   -- who looked
      chosen         INTEGER NOT NULL DEFAULT 0,  -- 1: of the source that judges the call
      direction      TEXT NOT NULL
        CHECK (direction = 'inbound' OR direction = 'outbound' OR direction = 'unknown'),
      kind           TEXT CHECK (kind IN ('audio', 'video')),
      ssrc           INTEGER,
      rtx_ssrc       INTEGER,
      mid            TEXT,
      rid            TEXT,
      codec          TEXT,              -- opus, VP8 ...
      fmtp           TEXT,
      payload_type   INTEGER,
      clock_rate     INTEGER,           -- Hz
      clock_rate_guessed INTEGER,       -- 1: inferred from the packets
      channels       INTEGER,
      screen         INTEGER,           -- 1: screen share
      implementation TEXT,              -- encoder or decoder
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
      extra          TEXT               -- JSON object of anything else
    );
    CREATE INDEX streams_by_connection ON streams (connection_key);
    CREATE INDEX streams_by_endpoint ON streams (endpoint_key);
    """

  /// Metrics that came after the first version of the schema, whose columns are added to the table of before.
  private static let later = farEnd + source + playout
  private static let farEnd: [Metric] = [.farPackets, .farPacketsMs]
  private static let source: [Metric] = [.framesCaptured]
  private static let playout: [Metric] = [
    .estimatedPlayoutMs, .playoutDelayMs, .playoutSamples, .corruptionSum, .corruptionMeasurements,
    .echoReturnLoss, .echoReturnLossEnhancement, .jitterBufferFlushes, .farReportMs,
  ]

  /// Step 6.
  static var sentByTheFarEnd: String { added(farEnd) }
  /// Step 7.
  static var givenBySources: String { added(source) }
  /// Step 15.
  static var playedOut: String { added(playout) }
  /// Step 18.
  static let checksums = """
    ALTER TABLE streams ADD COLUMN sample_checksum INTEGER /* over its samples, for `check`; NULL: not known */;
    ALTER TABLE paths ADD COLUMN sample_checksum INTEGER /* over its path_samples; NULL: not known */
    """

  /// Step 8.
  static let lastOnPaths = """
    ALTER TABLE path_samples ADD COLUMN last_packet_ms
      /* ms since epoch: when the last packet of any kind had come, connectivity checks left out */ REAL
    """

  // SQLite keeps what stands between name and type.
  private static func added(_ metrics: [Metric]) -> String {
    metrics.map { metric in
      let info = metric.info
      let meaning = "/* \(info.unit) (\(info.behaviour.rawValue)): \(info.summary) */"
      return "ALTER TABLE samples ADD COLUMN \(info.column) \(meaning) \(info.storage.rawValue.uppercased())"
    }.joined(separator: ";\n")
  }

  /// The widest table: a column for every metric of the first version, in the order of `Metric`.
  ///
  /// With a rowid: streams are stored side by side, and rows this wide are better appended than squeezed into the middle
  /// of a tree by their key. Read by the index they lie in its order all the same, for runs of a stream come together.
  static var samples: String {
    let columns = Metric.allCases.filter { !later.contains($0) }.map { metric in
      let info = metric.info
      let column = info.column.padding(to: 30) + (info.storage == .integer ? "INTEGER," : "REAL,   ")
      return "  \(column) -- \(info.unit) (\(info.behaviour.rawValue)): \(info.summary)"
    }
    return """
      CREATE TABLE samples (              -- what a stream reported at an instant; NULL: the source did not say
        stream_key  INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE,
        t_ms        REAL NOT NULL,        -- the report's own clock
      \(columns.joined(separator: "\n"))
        extra       TEXT,                 -- JSON object of members that have no column
        PRIMARY KEY (stream_key, t_ms)
      );
      """
  }

  static let paths = """
    CREATE TABLE paths (                -- a way the packets of a connection went; see view transports
      path_key       INTEGER PRIMARY KEY,
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
      pair           TEXT,              -- id of the selected candidate pair
      local          TEXT,              -- ip:port
      remote         TEXT,
      local_type     TEXT,              -- host, srflx, prflx, relay
      remote_type    TEXT,
      protocol       TEXT,              -- udp, tcp
      relay_protocol TEXT,              -- between client and relay: udp, tcp, tls
      network_type   TEXT,              -- wifi, cellular, ethernet, vpn ...
      ice_state      TEXT,
      dtls_state     TEXT
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
      PRIMARY KEY (path_key, t_ms)
    ) WITHOUT ROWID;

    CREATE TABLE events (               -- what happened, in the order of the source
      event_key      INTEGER PRIMARY KEY,
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
      t_ms           REAL,              -- NULL where the log has no time
      until_ms       REAL,              -- end of what lasts
      event          TEXT NOT NULL,     -- canonical name with its group: call.ringing; or unknown
      raw            TEXT NOT NULL,     -- the name in the source
      sdk            TEXT,
      args           TEXT NOT NULL DEFAULT '{}',  -- JSON object, secrets removed
      line           INTEGER,           -- 1-based in the source
      anomaly        TEXT               -- why it should not have come here
    );
    """
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, width - count))
  }
}

/// Calls, their ends, and the parts of sources that were found to belong to them.
enum CallTables {
  static let ddl = """
    CREATE TABLE calls (                -- one row a call, with its verdict
      call_key       INTEGER PRIMARY KEY,
      call_id        TEXT NOT NULL,     -- unique in its run
      named_by       TEXT               -- where the id comes from; NULL: announced only
        CHECK (named_by = 'given' OR named_by = 'log' OR named_by = 'folder' OR named_by = 'keys'),
      folder         TEXT,              -- the folder it is named after
      run_id         TEXT REFERENCES runs ON DELETE CASCADE,
      scenario       TEXT,              -- from the manifest
      sdk            TEXT,              -- cisco-rem, kandy-link, oracle-wsc, pexip, rebtel, w3c ...
      sdk_version    TEXT,
      labels         TEXT NOT NULL DEFAULT '{}',  -- JSON object
      started_ms     REAL,
      started        TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', started_ms / 1000.0, 'unixepoch')) VIRTUAL,
      duration_ms    REAL,
      outcome        TEXT NOT NULL DEFAULT 'unknown'
        CHECK (outcome = 'completed' OR outcome = 'dropped' OR outcome = 'failed' OR outcome = 'rejected'
          OR outcome = 'busy' OR outcome = 'no-answer' OR outcome = 'cancelled' OR outcome = 'missing'
          OR outcome = 'unknown'),
      end_code       TEXT,              -- as the SDK or SIP gave it
      end_reason     TEXT,              -- in words
      setup_ms       REAL,              -- created to established, less ringing and permission
      ringing_ms     REAL,
      score_endpoint TEXT,              -- the worse end (lower mean): whose scores these are
      score_mean     REAL,              -- 0-100 over active and stalled windows
      score_p10      REAL,              -- nearest rank
      score_min      REAL,
      mos            REAL,              -- E-model, beside the score
      mos_scale      TEXT,              -- NB, WB or FB
      poor_share     REAL,              -- share of active and stalled windows under 60
      unscored_share REAL,              -- share of windows that could not be scored
      lost_loss       REAL,             -- mean points lost a scored window, by cause
      lost_jitter     REAL,
      lost_delay      REAL,
      lost_freeze     REAL,
      lost_framerate  REAL,
      lost_resolution REAL,
      lost_bitrate    REAL,
      top_cause      TEXT,              -- the cause that took most, NULL if none took any
      model          TEXT,              -- which score model and version said so
      expected       INTEGER NOT NULL DEFAULT 0,  -- 1: named by the run's manifest
      expected_outcome TEXT,            -- what the manifest expects
      min_score      REAL,
      max_setup_ms   REAL,
      held_against   TEXT,              -- JSON object of references: render_width, render_height, frame_rate, target_bps ...
      excluded       TEXT,              -- why it does not count (mark --exclude), NULL if it does
      known          TEXT,              -- ticket of a known failure (mark --known)
      pruned_ms      REAL,              -- samples before this instant were pruned; NULL if they are all here
      stale          INTEGER NOT NULL DEFAULT 1   -- 1: something came in since it was judged
    );
    CREATE UNIQUE INDEX calls_by_id ON calls (coalesce(run_id, ''), call_id);
    CREATE INDEX calls_by_call_id ON calls (call_id);
    CREATE INDEX calls_by_run ON calls (run_id);
    CREATE INDEX calls_by_folder ON calls (folder) WHERE folder IS NOT NULL;
    CREATE INDEX calls_stale ON calls (stale) WHERE stale;

    CREATE TABLE endpoints (            -- one side of a call
      endpoint_key   INTEGER PRIMARY KEY,
      call_key       INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
      endpoint       TEXT NOT NULL,     -- caller, callee, a participant
      direction      TEXT,              -- outgoing or incoming, NULL unknown
      person         TEXT,
      user_agent     TEXT,
      os             TEXT,
      sdk            TEXT,
      sdk_version    TEXT,
      network_type   TEXT,              -- wifi, cellular, ethernet, vpn ...: the last known
      candidate_type TEXT,              -- host, srflx, prflx, relay: of this end's candidate in use
      relay_protocol TEXT,              -- udp, tcp, tls: between client and relay
      UNIQUE (call_key, endpoint)
    );
    CREATE INDEX endpoints_by_person ON endpoints (person) WHERE person IS NOT NULL;

    CREATE TABLE connections (          -- what one source says of one end: a PeerConnection, an SDK session, one side of a capture
      connection_key INTEGER PRIMARY KEY,
      source_id      INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
      call_key       INTEGER REFERENCES calls ON DELETE SET NULL,          -- found by grouping
      endpoint_key   INTEGER REFERENCES endpoints ON DELETE SET NULL,      -- NULL for what concerns the call as a whole
      whole          INTEGER NOT NULL DEFAULT 0,  -- 1: not an end, but what the source says of no end in particular
      name           TEXT,              -- its name in the source (column pc of `callqa streams`)
      endpoint       TEXT,              -- the end's name in the source
      call           TEXT,              -- the call's id in the source
      sdk            TEXT,
      sdk_version    TEXT,
      direction      TEXT,
      person         TEXT,
      user_agent     TEXT,
      system         TEXT,
      first_ms       REAL,
      last_ms        REAL
    );
    CREATE INDEX connections_by_source ON connections (source_id);
    CREATE INDEX connections_by_endpoint ON connections (endpoint_key);
    CREATE INDEX connections_by_call ON connections (call_key);

    CREATE TABLE corrections (          -- what people said of the grouping (`link`, `split`); outlives a re-import
      correction_key INTEGER PRIMARY KEY,
      action         TEXT NOT NULL CHECK (action IN ('link', 'split')),
      left_sha256    TEXT NOT NULL,     -- a part: digest of its source and its name there
      left_name      TEXT NOT NULL DEFAULT '',
      right_sha256   TEXT NOT NULL,
      right_name     TEXT NOT NULL DEFAULT '',
      made_ms        REAL NOT NULL,
      UNIQUE (left_sha256, left_name, right_sha256, right_name)
    );

    -- Streams follow their connection to its endpoint, and a call that gains or loses a part is to be judged again.
    CREATE TRIGGER connections_moved AFTER UPDATE OF call_key, endpoint_key ON connections BEGIN
      UPDATE streams SET endpoint_key = new.endpoint_key WHERE connection_key = new.connection_key;
      UPDATE calls SET stale = 1 WHERE call_key IN (old.call_key, new.call_key) AND NOT stale;
    END;
    """

  /// Calls of before are judged by the next import; of those whose samples were pruned the row has to do.
  static let verdicts = """
    ALTER TABLE calls ADD COLUMN verdict /* what the call was like: good, fair, poor, silent, failed ... */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_end /* the end that suffered, NULL: the call as a whole */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_medium /* audio or video */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_cause /* what is to blame: lost-on-path, not-sent, ice ... */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_basis /* what it rests on: both ends, one end, packets ... */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_rule /* the row of the table in docs/verdict.md */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_version /* of the rules */ INTEGER;
    ALTER TABLE calls ADD COLUMN verdict_from_ms /* when the medium was missing */ REAL;
    ALTER TABLE calls ADD COLUMN verdict_until_ms REAL;
    ALTER TABLE calls ADD COLUMN verdict_marked /* what a person says instead (mark --verdict) */ TEXT;
    ALTER TABLE calls ADD COLUMN verdict_why /* and why */ TEXT;
    UPDATE calls SET stale = 1 WHERE pruned_ms IS NULL AND outcome <> 'missing';
    UPDATE calls SET verdict_version = 0, verdict_rule = 'before-verdicts', verdict = CASE
      WHEN outcome IN ('failed', 'dropped') THEN outcome
      WHEN outcome IN ('rejected', 'busy', 'no-answer', 'cancelled') THEN 'not-set-up'
      WHEN poor_share >= 0.1 THEN 'poor' WHEN score_mean IS NOT NULL THEN 'good' ELSE 'unjudged' END
    WHERE pruned_ms IS NOT NULL
    """

  /// Of what came in before, nobody knows any more.
  static let idleConnections = """
    ALTER TABLE connections ADD COLUMN idle /* 1: tells of a session, the network or the application, and of no call */
      INTEGER NOT NULL DEFAULT 0
    """
}
