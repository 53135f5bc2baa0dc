/// Judgements: all of them can be deleted and recomputed from samples and events.
enum JudgementTables {
  static let ddl = """
    CREATE TABLE setups (               -- one attempt of one end to set the call up
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
      waited_ms      REAL,              -- how much of duration_ms the setup waited for
      PRIMARY KEY (endpoint_key, attempt, phase),
      FOREIGN KEY (endpoint_key, attempt) REFERENCES setups ON DELETE CASCADE,
      CHECK ((state = 'measured') = (duration_ms IS NOT NULL))
    ) WITHOUT ROWID;

    CREATE TABLE windows (              -- one scored interval of one end
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
      model          TEXT NOT NULL,     -- score model and version
      source         TEXT NOT NULL CHECK (source = 'stats' OR source = 'capture' OR source = 'figures'),
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
      lost_coding     INTEGER,
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
      changed         INTEGER NOT NULL DEFAULT 0,  -- 1: a client's callback would have reported here
      chosen          INTEGER NOT NULL DEFAULT 1,  -- 1: of the source that judges this end
      mouth_to_ear_ms   REAL,           -- from playout timestamps: the whole path
      glass_to_glass_ms REAL,
      audio_minus_video_ms REAL,        -- lip-sync: over 0 where sound comes later
      delay_source    TEXT,             -- playout or round-trip: what delay_ms rests on
      frame_quality   REAL,             -- 0-100: what coding and size left of the frames themselves
      lost_silence    INTEGER,          -- these two from callqa-5 on: what was meant to be heard and was silent,
      lost_playout    INTEGER,          -- and what had come and was not played
      PRIMARY KEY (endpoint_key, model, source, window_index),
      CHECK ((state IN ('active', 'stalled')) = (score IS NOT NULL))
    ) WITHOUT ROWID;

    CREATE TABLE findings (             -- what is wrong beside the score, with its evidence
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
    CREATE INDEX findings_by_call ON findings (call_key);
    CREATE INDEX findings_by_endpoint ON findings (endpoint_key);

    CREATE TABLE spans (                -- times in which a medium was missing, held, frozen or not recorded
      span_key       INTEGER PRIMARY KEY,
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
      kind           TEXT NOT NULL      -- outage: lost; not-sent; hold; freeze; gap: no reports
        CHECK (kind = 'outage' OR kind = 'not-sent' OR kind = 'hold' OR kind = 'freeze' OR kind = 'gap'),
      medium         TEXT,              -- audio or video, NULL: all
      start_ms       REAL NOT NULL,
      end_ms         REAL NOT NULL,
      proof          TEXT,              -- what shows that it was sent, or not: sequence numbers, sender reports ...
      concealed_samples REAL            -- concealed meanwhile by the receiver, though none had been sent
    );
    CREATE INDEX spans_by_endpoint ON spans (endpoint_key);

    CREATE TABLE fates (                -- what became of each medium for its listener: periods without holes or overlaps
      fate_key       INTEGER PRIMARY KEY,
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,  -- the listener, or by far_end the only end on record
      far_end        INTEGER NOT NULL DEFAULT 0,  -- 1: the listener is the other end, which has no record
      medium         TEXT NOT NULL,     -- audio or video
      start_ms       REAL NOT NULL,
      end_ms         REAL NOT NULL,
      what           TEXT NOT NULL,     -- arrived, lost, not-sent, silent-source, not-played ...: docs/verdict.md
      proof          TEXT,              -- what shows that it was sent, or not: sequence numbers, sender reports ...
      rule           TEXT NOT NULL,     -- the rule that decided, in docs/verdict.md
      witnesses      TEXT NOT NULL DEFAULT '[]',  -- JSON list of what says so
      place          TEXT               -- where the fault was: sender-network, server ...; NULL: not known, nothing is wrong, or it cost little
    );
    CREATE INDEX fates_by_endpoint ON fates (endpoint_key);

    CREATE TABLE impairments (          -- what was wrong with media that arrived; only what cost 5 points a window or more
      impairment_key INTEGER PRIMARY KEY,
      endpoint_key   INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,  -- the listener
      medium         TEXT NOT NULL,     -- audio or video
      start_ms       REAL NOT NULL,
      end_ms         REAL NOT NULL,
      what           TEXT NOT NULL,     -- a cause of lost points: loss, jitter, delay, freeze ...
      figure         REAL,              -- its mean: shares 0-1 of loss, late sound and freezes; ms, frames/s, lines, bit/s
      points         REAL NOT NULL,     -- lost to it on average meanwhile, 0-100
      share          REAL NOT NULL,     -- of all points that this end lost in the call, 0-1
      place          TEXT               -- where the fault was; NULL: not known, or it cost little
    );
    CREATE INDEX impairments_by_endpoint ON impairments (endpoint_key);
    """
}
