import CallModel

/// What callqa concludes: all of it can be dropped and made again from samples and events.
enum JudgementTables {
  /// Step 15: what the picture's score of version 4 and the timestamps of playout give.
  static let picture = """
    ALTER TABLE windows ADD COLUMN lost_coding INTEGER;
    ALTER TABLE windows ADD COLUMN mouth_to_ear_ms REAL /* of playout timestamps: all of the way */;
    ALTER TABLE windows ADD COLUMN glass_to_glass_ms REAL;
    ALTER TABLE windows ADD COLUMN audio_minus_video_ms REAL /* lip-sync: over 0 where sound comes later */;
    ALTER TABLE windows ADD COLUMN delay_source TEXT /* playout or round-trip: what delay_ms rests on */;
    ALTER TABLE windows ADD COLUMN frame_quality REAL /* 0-100: what coding and size left of the frames themselves */;
    ALTER TABLE calls ADD COLUMN lost_coding REAL;
    UPDATE windows SET lost_coding = 0 WHERE lost_loss IS NOT NULL;
    UPDATE calls SET lost_coding = 0 WHERE lost_loss IS NOT NULL
    """

  /// Step 3: the table is made anew, so that its comments stand where their columns do.
  static let setupStarts = """
    CREATE TABLE setups_with_start (    -- one attempt of one end to set the call up
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
      attempt        INTEGER NOT NULL,  -- from 1
      direction      TEXT NOT NULL,     -- outgoing, incoming, unknown
      outcome        TEXT NOT NULL,
      setup_ms       REAL,              -- created to established, less ringing and permission; NULL: cannot be known
      setup_wall_ms  REAL,              -- with them
      post_dial_delay_ms REAL,          -- created to ringing
      start_ms       REAL,              -- where setup_wall_ms begins
      from_event     TEXT,              -- the event that begins it; an sdp one: what came before is not known
      PRIMARY KEY (endpoint_key, attempt)
    ) WITHOUT ROWID;
    INSERT INTO setups_with_start (endpoint_key, attempt, direction, outcome, setup_ms, setup_wall_ms, post_dial_delay_ms)
      SELECT endpoint_key, attempt, direction, outcome, setup_ms, setup_wall_ms, post_dial_delay_ms FROM setups;
    DROP TABLE setups;
    ALTER TABLE setups_with_start RENAME TO setups;
    """

  /// Step 5: the table is made anew without the stream of a finding, which nothing ever said: evidence names its SSRC.
  static let findingsOfEnds = """
    CREATE TABLE findings_of_ends (     -- what is wrong beside the score, with its evidence
      finding_key    INTEGER PRIMARY KEY,
      call_key       INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
      endpoint_key   INTEGER REFERENCES endpoints ON DELETE CASCADE,
      code           TEXT NOT NULL,     -- stable: one-way-audio, ice-never-connected ...
      severity       TEXT NOT NULL CHECK (severity = 'info' OR severity = 'warning' OR severity = 'error'),
      start_ms       REAL,
      end_ms         REAL,
      evidence       TEXT NOT NULL DEFAULT '{}',  -- JSON object
      text           TEXT NOT NULL
    );
    INSERT INTO findings_of_ends (finding_key, call_key, endpoint_key, code, severity, start_ms, end_ms, evidence, text)
      SELECT finding_key, call_key, endpoint_key, code, severity, start_ms, end_ms, evidence, text FROM findings;
    DROP TABLE findings;
    ALTER TABLE findings_of_ends RENAME TO findings;
    CREATE INDEX findings_by_call ON findings (call_key);
    CREATE INDEX findings_by_endpoint ON findings (endpoint_key);
    """

  static let ddl = """
    CREATE TABLE setups (               -- one attempt of one end to set the call up
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
      attempt        INTEGER NOT NULL,  -- from 1
      direction      TEXT NOT NULL,     -- outgoing, incoming, unknown
      outcome        TEXT NOT NULL,
      setup_ms       REAL,              -- created to established, less ringing and permission; NULL: cannot be known
      setup_wall_ms  REAL,              -- with them
      post_dial_delay_ms REAL,          -- created to ringing
      PRIMARY KEY (endpoint_key, attempt)
    ) WITHOUT ROWID;

    CREATE TABLE phases (               -- the parts of an attempt; they may overlap
      endpoint_key   INTEGER NOT NULL,
      attempt        INTEGER NOT NULL,
      phase          TEXT NOT NULL,     -- capture, gathering, signalling, ringing, negotiation, ice, dtls, first-packet ...
      state          TEXT NOT NULL CHECK (state = 'measured' OR state = 'absent' OR state = 'unknown'),
      start_ms       REAL,
      duration_ms    REAL,
      from_event     TEXT,
      to_event       TEXT,
      cause          TEXT,              -- why it took long, where that is evident
      PRIMARY KEY (endpoint_key, attempt, phase),
      FOREIGN KEY (endpoint_key, attempt) REFERENCES setups ON DELETE CASCADE,
      CHECK ((state = 'measured') = (duration_ms IS NOT NULL))
    ) WITHOUT ROWID;

    CREATE TABLE windows (              -- one scored interval of one end
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
      model          TEXT NOT NULL,     -- score model and version
      source         TEXT NOT NULL CHECK (source IN ('stats', 'capture')),
      window_index   INTEGER NOT NULL,  -- from 0, anchored at the first remote media
      start_ms       REAL NOT NULL,
      end_ms         REAL NOT NULL,
      state          TEXT NOT NULL
        CHECK (state = 'active' OR state = 'silent' OR state = 'stalled' OR state = 'unscored'),
      score          INTEGER,           -- 0-100; NULL if silent or unscored
      audio_cq       REAL,              -- audio alone, conversational (with delay) and listening
      audio_lq       REAL,
      video          REAL,
      lost_loss       INTEGER,          -- points by cause; they add up to 100 - score
      lost_jitter     INTEGER,
      lost_delay      INTEGER,
      lost_freeze     INTEGER,
      lost_framerate  INTEGER,
      lost_resolution INTEGER,
      lost_bitrate    INTEGER,
      loss_share      REAL,             -- what was measured
      concealed_share REAL,
      delay_ms        REAL,             -- mouth to ear
      rtt_ms          REAL,
      freeze_share    REAL,
      frame_rate      REAL,
      height          REAL,
      bitrate_bps     REAL,
      client_score    REAL,             -- the SDK's own 0-100 that held at the end
      confidence      REAL,             -- 0-1
      changed        INTEGER NOT NULL DEFAULT 0,  -- 1: a client's callback would have reported here
      chosen         INTEGER NOT NULL DEFAULT 1,  -- 1: of the source that judges this end
      PRIMARY KEY (endpoint_key, model, source, window_index),
      CHECK ((state IN ('active', 'stalled')) = (score IS NOT NULL))
    ) WITHOUT ROWID;

    CREATE TABLE findings (             -- what is wrong beside the score, with its evidence
      finding_key    INTEGER PRIMARY KEY,
      call_key       INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
      endpoint_key   INTEGER REFERENCES endpoints ON DELETE CASCADE,
      stream_key     INTEGER REFERENCES streams ON DELETE SET NULL,
      code           TEXT NOT NULL,     -- stable: one-way-audio, ice-never-connected ...
      severity       TEXT NOT NULL CHECK (severity = 'info' OR severity = 'warning' OR severity = 'error'),
      start_ms       REAL,
      end_ms         REAL,
      evidence       TEXT NOT NULL DEFAULT '{}',  -- JSON object
      text           TEXT NOT NULL
    );
    CREATE INDEX findings_by_call ON findings (call_key);
    CREATE INDEX findings_by_endpoint ON findings (endpoint_key);
    CREATE INDEX findings_by_stream ON findings (stream_key) WHERE stream_key IS NOT NULL;
    """

  /// Before, reports looked for these times in the samples.
  static let spans = """
    CREATE TABLE spans (                -- times in which a medium was missing, held, frozen or not recorded
      span_key       INTEGER PRIMARY KEY,
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
      kind           TEXT NOT NULL      -- outage: lost; not-sent; hold; freeze; gap: no reports
        CHECK (kind = 'outage' OR kind = 'not-sent' OR kind = 'hold' OR kind = 'freeze' OR kind = 'gap'),
      medium         TEXT,              -- audio or video, NULL: all
      start_ms       REAL NOT NULL,
      end_ms         REAL NOT NULL,
      proof          TEXT,              -- what shows that it was sent, or not: sequence numbers, sender reports ...
      concealed_samples REAL            -- what the receiver made up meanwhile, where nobody had sent any
    );
    CREATE INDEX spans_by_endpoint ON spans (endpoint_key)
    """
}

/// What came in: sources, what of them was not taken, and the runs they belong to.
enum SourceTables {
  static let ddl = """
    CREATE TABLE runs (                 -- a night, a release candidate: calls that are judged together
      run_id         TEXT PRIMARY KEY,  -- the name given by run.json or --run
      started_ms     REAL,              -- first and last instant of its calls
      ended_ms       REAL,
      expected_calls INTEGER,           -- calls its manifests name; NULL without a manifest
      labels         TEXT NOT NULL DEFAULT '{}',  -- JSON object: build, release, site ...
      accepted_ms    REAL,              -- when it was last accepted as a baseline, NULL if never
      verdict        TEXT,              -- of the last report or gate: pass, block, inconclusive
      verdict_reason TEXT
    );

    CREATE TABLE baselines (            -- which run an SDK is compared with: the latest acceptance counts
      run_id         TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
      sdk            TEXT NOT NULL,     -- '' stands for calls whose SDK is unknown
      accepted_ms    REAL NOT NULL,
      PRIMARY KEY (run_id, sdk)
    ) WITHOUT ROWID;

    CREATE TABLE sources (              -- one row a file that was met, taken or not
      source_id      INTEGER PRIMARY KEY,
      sha256         TEXT UNIQUE,       -- of the file as it lies there, lower-case hex; NULL if it could not be read, or
                                        -- if nothing was taken of it and another row has that of the same content
      path           TEXT NOT NULL,     -- where it was met first
      format         TEXT,              -- as in `callqa formats`; NULL if none was recognised
      bytes          INTEGER,           -- size of the file
      status         TEXT NOT NULL
        CHECK (status = 'imported' OR status = 'partial' OR status = 'refused' OR status = 'skipped'),
      reason_code    TEXT,              -- why not imported whole: missing, empty, truncated, not-json ...
      reason         TEXT,              -- the same in words
      byte           INTEGER,           -- 0-based place of the trouble in the decompressed file
      line           INTEGER,           -- 1-based
      run_id         TEXT REFERENCES runs ON DELETE SET NULL,
      given_call     TEXT,              -- call id given by --call or a manifest
      labels         TEXT NOT NULL DEFAULT '{}',  -- JSON object given by --label or its folder's run.json
      imported_ms    REAL NOT NULL,
      first_ms       REAL,              -- first and last instant the source speaks of
      last_ms        REAL,
      skew_ms        REAL,              -- how far its clock is ahead of the other sources of its calls, where that is sure and matters
      streams        INTEGER NOT NULL DEFAULT 0,
      samples        INTEGER NOT NULL DEFAULT 0,  -- rows, after samples of one stream and instant were merged
      events         INTEGER NOT NULL DEFAULT 0,
      packets        INTEGER NOT NULL DEFAULT 0,  -- captures: packets read
      rejected       INTEGER NOT NULL DEFAULT 0,  -- lines, records or packets not taken
      pruned_ms      REAL               -- when its samples were pruned, NULL if they are all here
    );
    CREATE INDEX sources_by_run ON sources (run_id);
    CREATE INDEX sources_by_path ON sources (path);

    CREATE TABLE rejects (              -- what of a source was not taken
      source_id      INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
      reject_index   INTEGER NOT NULL,
      line           INTEGER,           -- 1-based; of the first, where several are counted together
      frame          INTEGER,           -- 1-based number of the packet
      byte           INTEGER,           -- 0-based, decompressed
      reason         TEXT NOT NULL,
      count          INTEGER NOT NULL DEFAULT 1,
      excerpt        TEXT,              -- what stood there, shortened, secrets removed
      PRIMARY KEY (source_id, reject_index)
    ) WITHOUT ROWID;

    CREATE TABLE notes (                -- what was guessed, recomputed or dropped, in words
      source_id      INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
      note           TEXT NOT NULL,
      count          INTEGER NOT NULL DEFAULT 1,
      PRIMARY KEY (source_id, note)
    ) WITHOUT ROWID;
    """
}

/// What a connection can be found by.
enum AliasTables {
  /// Of the versions before the ninth: in the order of their texts, so that each new one came to a place of its own.
  static let inOrderOfValues = """
    CREATE TABLE aliases (              -- every id by which a connection, and so a call, can be found
      value          TEXT NOT NULL,
      kind           TEXT NOT NULL,     -- call, session, sip, ufrag-local, fingerprint-local, ssrc-in, address-local, person ...
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
      PRIMARY KEY (value, kind, connection_key)
    ) WITHOUT ROWID;
    CREATE INDEX aliases_by_connection ON aliases (connection_key);
    """

  /// Ids lie in the order in which they came in, and short hashes of them lead there (`Aliases`).
  static let ddl = """
    CREATE TABLE aliases (              -- every id by which a connection, and so a call, can be found
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
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
    """

  /// The hashes follow the ids. One may stand for two ids of a connection.
  static let triggers = """
    CREATE TRIGGER aliases_come AFTER INSERT ON aliases BEGIN
      INSERT OR IGNORE INTO recent_alias_hashes (hash, connection_key) VALUES (new.hash, new.connection_key);
    END;
    CREATE TRIGGER aliases_go AFTER DELETE ON aliases
    WHEN NOT EXISTS (SELECT 1 FROM aliases AS a WHERE a.connection_key = old.connection_key AND a.hash = old.hash) BEGIN
      DELETE FROM recent_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
      DELETE FROM settled_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
    END;
    """

  /// Needs function `alias_hash`.
  static let inOrderOfConnections = """
    ALTER TABLE aliases RENAME TO earlier_aliases;
    DROP INDEX aliases_by_connection;
    \(ddl)
    INSERT INTO aliases (connection_key, kind, value, hash)
      SELECT connection_key, kind, value, alias_hash(value) FROM earlier_aliases ORDER BY connection_key, 4;
    DROP TABLE earlier_aliases;
    INSERT INTO settled_alias_hashes (hash, connection_key)
      SELECT DISTINCT hash, connection_key FROM aliases ORDER BY hash, connection_key;
    \(triggers)
    """
}

/// What people say that calls were for and where they came from.
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

  /// Calls with a column for each attribute and trait, which a condition may name.
  static let view = """
    CREATE VIEW attributed_calls AS     -- calls, with what people said of them (import --attributes), and the traits that compare tries
    SELECT k.*, \(CallAttribute.allCases.map(column).joined(separator: ",\n           ")),
           \(CallTrait.columns)
    FROM calls AS k
    """

  private static func column(_ attribute: CallAttribute) -> String {
    "(SELECT a.value FROM call_attributes AS a WHERE a.call_key = k.call_key AND a.name = '\(attribute.rawValue)') AS \(attribute.rawValue)"
  }
}
