/// Imported sources, their rejects, and their runs.
enum SourceTables {
  static let ddl = """
    CREATE TABLE runs (                 -- a night, a release candidate: calls that are judged together
      run_id         TEXT PRIMARY KEY,  -- the name given by run.json or --run
      started_ms     REAL,              -- first and last instant of its calls
      ended_ms       REAL,
      middle_ms      REAL,              -- the middle one of its calls' starts; NULL: to be worked out (view run_starts)
      expected_calls INTEGER,           -- calls its manifests name; NULL without a manifest
      labels         TEXT NOT NULL DEFAULT '{}',  -- JSON object: build, release, site ...
      accepted_ms    REAL,              -- when it was last accepted as a baseline, NULL if never
      verdict        TEXT,              -- of the last report or gate: pass, block, inconclusive
      verdict_reason TEXT
    );

    CREATE TABLE baselines (            -- which run an SDK is compared with: the latest acceptance counts
      run_id         TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
      sdk            TEXT NOT NULL,     -- '': calls whose SDK is unknown
      accepted_ms    REAL NOT NULL,
      PRIMARY KEY (run_id, sdk)
    ) WITHOUT ROWID;

    CREATE TABLE sources (              -- one row a file that was met, taken or not
      source_id      INTEGER PRIMARY KEY,
      sha256         TEXT UNIQUE,       -- of the file as it lies there, lower-case hex; NULL if it could not be read, or
                                        -- if nothing was taken of it and another row has that of the same content
      path           TEXT NOT NULL,     -- where it was met first
      ending         TEXT,              -- of its name, without what packed it: jsonl of caller.jsonl.gz
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
      excerpt        TEXT,              -- the text there, shortened, secrets removed; NULL without --keep-unknown
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
