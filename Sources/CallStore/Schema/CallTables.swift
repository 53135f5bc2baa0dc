import CallModel

/// Calls, their ends, and the connections that belong to them.
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
      pruned_ms      REAL,              -- samples, or people, before this instant were pruned, and it is not judged again; NULL if all is here
      stale          INTEGER NOT NULL DEFAULT 1,  -- 1: something came in since it was judged; 2: it cannot be judged
      verdict        TEXT AS (coalesce(verdict_marked, verdict_judged)) VIRTUAL,  -- the one that holds: good, fair, poor, silent ...
      verdict_judged TEXT,              -- what the rules say
      verdict_end    TEXT,              -- the end that suffered, NULL: the call as a whole
      verdict_medium TEXT,              -- audio or video
      verdict_cause  TEXT,              -- what is to blame: lost-on-path, not-sent, ice ...
      verdict_basis  TEXT,              -- what it rests on: both ends, one end, packets ...
      verdict_rule   TEXT,              -- the row of the table in docs/verdict.md
      verdict_version INTEGER,          -- of the rules
      verdict_from_ms REAL,             -- when the medium was missing
      verdict_until_ms REAL,
      place          TEXT AS (coalesce(place_marked, place_judged)) VIRTUAL,  -- where the fault was: sender-network, server ...; NULL: not known, or nothing is wrong
      place_end      TEXT AS (CASE WHEN place_marked IS NULL THEN place_end_judged ELSE place_end_marked END) VIRTUAL,  -- the end that it is of
      place_judged   TEXT,              -- what the rules say
      place_end_judged TEXT,
      place_rule     TEXT,              -- the rule that decided, in docs/verdict.md
      place_why      TEXT,              -- what shows it
      place_marked   TEXT,              -- what a person says instead (mark --place)
      place_end_marked TEXT,
      place_marked_why TEXT,            -- and why
      root_cause     TEXT,              -- what began it: capacity, source, processor ...
      root_end       TEXT,              -- the end that it is of, or that suffered from it
      root_from_ms   REAL,              -- from when to when
      root_until_ms  REAL,
      root_bps       REAL,              -- what a way carried meanwhile; NULL for other causes
      root_before_bps REAL,             -- and before; NULL: it held from the start
      root_share     REAL,              -- its part of all points that the end lost, 0-1
      verdict_marked TEXT,              -- what a person says instead (mark --verdict)
      verdict_why    TEXT,              -- and why
      reported_mean  REAL,              -- the client's own 0-100 of what came in, over time; nobody else's
      reported_min   REAL,
      reported_below_50_ms REAL,
      held_local_ms  REAL,              -- how long this end held the call; NULL: never
      held_remote_ms REAL,              -- how long the far end did
      network_out_ms REAL,              -- how long network, session or path were out, by the log; NULL: never
      has_audio      INTEGER,           -- 1: there was sound; NULL: unknown
      has_video      INTEGER,
      upgraded       INTEGER,           -- 1: video was added to the established call
      outcome_why    TEXT,              -- what the outcome rests on, in words
      lost_coding    REAL,
      reported_mos   REAL,              -- 1-5, of what came in, by a telephone, gateway or service; the lowest
      lost_silence   REAL,
      lost_playout   REAL
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
      relay          TEXT,              -- the address of the relay in use
      far_network    TEXT,              -- the network that media came from: an IPv4 /24, or an address
      audio_codec    TEXT,              -- of what came in, by the streams that judge this end
      video_codec    TEXT,
      verdict        TEXT,              -- on what this end got; NULL: not judged, or recorded too shortly
      verdict_medium TEXT,
      verdict_cause  TEXT,
      UNIQUE (call_key, endpoint)
    );
    CREATE INDEX endpoints_by_person ON endpoints (person) WHERE person IS NOT NULL;

    CREATE TABLE source_views (         -- what one source says of one end: a PeerConnection, an SDK session, one side of a capture
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
      last_ms        REAL,
      idle           INTEGER NOT NULL DEFAULT 0   -- 1: of a session, the network or the application, not of a call
    );
    CREATE INDEX connections_by_source ON source_views (source_id);
    CREATE INDEX connections_by_endpoint ON source_views (endpoint_key);
    CREATE INDEX connections_by_call ON source_views (call_key);

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
    \(movedConnections)
    """

  static let movedConnections = """
    CREATE TRIGGER connections_moved AFTER UPDATE OF call_key, endpoint_key ON source_views BEGIN
      UPDATE streams SET endpoint_key = new.endpoint_key WHERE connection_key = new.connection_key;
      UPDATE calls SET stale = 1 WHERE call_key = old.call_key AND stale <> 1;
      UPDATE calls SET stale = 1 WHERE call_key = new.call_key AND stale <> 1;
    END;
    """
}

/// The identifiers of connections.
enum AliasTables {
  /// Ids are stored in the order of import, and indexed by short hashes (`Aliases`).
  static let ddl = """
    CREATE TABLE aliases (              -- every id by which a connection, and so a call, can be found
      connection_key INTEGER NOT NULL REFERENCES source_views ON DELETE CASCADE,
      kind           TEXT NOT NULL,     -- call, session, sip, ufrag-local, fingerprint-local, ssrc-in, address-local, person ...
      value          TEXT NOT NULL,
      hash           INTEGER NOT NULL,  -- alias_hash(value): where to look it up in alias_hashes
      PRIMARY KEY (connection_key, hash, kind, value)
    ) WITHOUT ROWID;

    CREATE TABLE recent_alias_hashes (  -- those that came in last: few, so that they lie together
      hash           INTEGER NOT NULL,
      connection_key INTEGER NOT NULL,
      PRIMARY KEY (hash, connection_key)
    ) WITHOUT ROWID;
    CREATE TABLE settled_alias_hashes ( -- what came in before recent_alias_hashes
      hash           INTEGER NOT NULL,
      connection_key INTEGER NOT NULL,
      PRIMARY KEY (hash, connection_key)
    ) WITHOUT ROWID;

    -- The hashes follow the ids. One may belong to two ids of a connection.
    CREATE TRIGGER aliases_come AFTER INSERT ON aliases BEGIN
      INSERT OR IGNORE INTO recent_alias_hashes (hash, connection_key) VALUES (new.hash, new.connection_key);
    END;
    CREATE TRIGGER aliases_go AFTER DELETE ON aliases
    WHEN NOT EXISTS (SELECT 1 FROM aliases AS a WHERE a.connection_key = old.connection_key AND a.hash = old.hash) BEGIN
      DELETE FROM recent_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
      DELETE FROM settled_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
    END;
    """
}

/// The purpose and origin of calls, as stated by people.
enum AttributeTables {
  static let ddl = """
    CREATE TABLE attribute_rules (      -- what files of attributes said (import --attributes); outlives a re-import
      subject        TEXT NOT NULL,     -- an id of a call, or a subnet
      run_id         TEXT NOT NULL DEFAULT '',  -- only of this run; '': of every run
      name           TEXT NOT NULL,     -- queue, agent_group, carrier, trunk, tenant, site, country, role, rating
      value          TEXT NOT NULL,
      subnet         INTEGER NOT NULL DEFAULT 0,  -- 1: the subject is a subnet
      PRIMARY KEY (subject, run_id, name)
    ) WITHOUT ROWID;
    CREATE INDEX attribute_subnets ON attribute_rules (subnet) WHERE subnet;

    CREATE TABLE call_attributes (      -- what of it holds for a call: an id goes before a subnet, a small subnet before a large one
      call_key       INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
      name           TEXT NOT NULL,
      value          TEXT NOT NULL,
      subject        TEXT NOT NULL,     -- by what the call was known
      PRIMARY KEY (call_key, name)
    ) WITHOUT ROWID;
    CREATE INDEX call_attributes_by_value ON call_attributes (name, value);
    """

  /// Calls with a column for each attribute and trait, for use in conditions.
  static let view = """
    CREATE VIEW attributed_calls AS     -- calls, with what people said of them (import --attributes), and the traits that compare tries
    SELECT \(CallColumns.all),
           \(CallAttribute.allCases.map(column).joined(separator: ",\n           ")),
           \(CallTrait.columns),
           \(Views.failureCode) AS failure_code  -- of a call that came to nothing
    FROM calls AS k
    """

  private static func column(_ attribute: CallAttribute) -> String {
    "(SELECT a.value FROM call_attributes AS a WHERE a.call_key = k.call_key AND a.name = '\(attribute.rawValue)') AS \(attribute.rawValue)"
  }
}
