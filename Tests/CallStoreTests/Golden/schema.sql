CREATE INDEX attribute_subnets ON attribute_rules (subnet) WHERE subnet;
CREATE INDEX call_attributes_by_value ON call_attributes (name, value);
CREATE INDEX calls_by_call_id ON calls (call_id);
CREATE INDEX calls_by_folder ON calls (folder) WHERE folder IS NOT NULL;
CREATE UNIQUE INDEX calls_by_id ON calls (coalesce(run_id, ''), call_id);
CREATE INDEX calls_by_run ON calls (run_id);
CREATE INDEX calls_stale ON calls (stale) WHERE stale;
CREATE INDEX connections_by_call ON connections (call_key);
CREATE INDEX connections_by_endpoint ON connections (endpoint_key);
CREATE INDEX connections_by_source ON connections (source_id);
CREATE INDEX endpoints_by_person ON endpoints (person) WHERE person IS NOT NULL;
CREATE INDEX findings_by_call ON findings (call_key);
CREATE INDEX findings_by_endpoint ON findings (endpoint_key);
CREATE INDEX part_calls_by_part ON part_calls (part_key);
CREATE INDEX part_sources_by_part ON part_sources (part_key);
CREATE INDEX paths_by_connection ON paths (connection_key);
CREATE INDEX sources_by_path ON sources (path);
CREATE INDEX sources_by_run ON sources (run_id);
CREATE INDEX spans_by_endpoint ON spans (endpoint_key);
CREATE INDEX streams_by_connection ON streams (connection_key);
CREATE INDEX streams_by_endpoint ON streams (endpoint_key);
CREATE TABLE aliases (
 connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
 kind TEXT NOT NULL,
 value TEXT NOT NULL,
 hash INTEGER NOT NULL,
 PRIMARY KEY (connection_key, hash, kind, value)
) WITHOUT ROWID;
CREATE TABLE attribute_rules (
 subject TEXT NOT NULL,
 run_id TEXT NOT NULL DEFAULT '',
 name TEXT NOT NULL,
 value TEXT NOT NULL,
 subnet INTEGER NOT NULL DEFAULT 0,
 PRIMARY KEY (subject, run_id, name)
) WITHOUT ROWID;
CREATE TABLE baselines (
 run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
 sdk TEXT NOT NULL,
 accepted_ms REAL NOT NULL,
 PRIMARY KEY (run_id, sdk)
) WITHOUT ROWID;
CREATE TABLE call_attributes (
 call_key INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
 name TEXT NOT NULL,
 value TEXT NOT NULL,
 subject TEXT NOT NULL,
 PRIMARY KEY (call_key, name)
) WITHOUT ROWID;
CREATE TABLE calls (
 call_key INTEGER PRIMARY KEY,
 call_id TEXT NOT NULL,
 named_by TEXT
 CHECK (named_by = 'given' OR named_by = 'log' OR named_by = 'folder' OR named_by = 'keys'),
 folder TEXT,
 run_id TEXT REFERENCES runs ON DELETE CASCADE,
 scenario TEXT,
 sdk TEXT,
 sdk_version TEXT,
 labels TEXT NOT NULL DEFAULT '{}',
 started_ms REAL,
 started TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', started_ms / 1000.0, 'unixepoch')) VIRTUAL,
 duration_ms REAL,
 outcome TEXT NOT NULL DEFAULT 'unknown'
 CHECK (outcome = 'completed' OR outcome = 'dropped' OR outcome = 'failed' OR outcome = 'rejected'
 OR outcome = 'busy' OR outcome = 'no-answer' OR outcome = 'cancelled' OR outcome = 'missing'
 OR outcome = 'unknown'),
 end_code TEXT,
 end_reason TEXT,
 setup_ms REAL,
 ringing_ms REAL,
 score_endpoint TEXT,
 score_mean REAL,
 score_p10 REAL,
 score_min REAL,
 mos REAL,
 mos_scale TEXT,
 poor_share REAL,
 unscored_share REAL,
 lost_loss REAL,
 lost_jitter REAL,
 lost_delay REAL,
 lost_freeze REAL,
 lost_framerate REAL,
 lost_resolution REAL,
 lost_bitrate REAL,
 top_cause TEXT,
 model TEXT,
 expected INTEGER NOT NULL DEFAULT 0,
 expected_outcome TEXT,
 min_score REAL,
 max_setup_ms REAL,
 held_against TEXT,
 excluded TEXT,
 known TEXT,
 pruned_ms REAL,
 stale INTEGER NOT NULL DEFAULT 1,
 verdict TEXT AS (coalesce(verdict_marked, verdict_judged)) VIRTUAL,
 verdict_judged TEXT,
 verdict_end TEXT,
 verdict_medium TEXT,
 verdict_cause TEXT,
 verdict_basis TEXT,
 verdict_rule TEXT,
 verdict_version INTEGER,
 verdict_from_ms REAL,
 verdict_until_ms REAL,
 verdict_marked TEXT,
 verdict_why TEXT,
 reported_mean REAL,
 reported_min REAL,
 reported_below_50_ms REAL,
 held_local_ms REAL,
 held_remote_ms REAL,
 network_out_ms REAL,
 has_audio INTEGER,
 has_video INTEGER,
 upgraded INTEGER,
 outcome_why TEXT,
 lost_coding REAL,
 reported_mos REAL
);
CREATE TABLE connections (
 connection_key INTEGER PRIMARY KEY,
 source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
 call_key INTEGER REFERENCES calls ON DELETE SET NULL,
 endpoint_key INTEGER REFERENCES endpoints ON DELETE SET NULL,
 whole INTEGER NOT NULL DEFAULT 0,
 name TEXT,
 endpoint TEXT,
 call TEXT,
 sdk TEXT,
 sdk_version TEXT,
 direction TEXT,
 person TEXT,
 user_agent TEXT,
 system TEXT,
 first_ms REAL,
 last_ms REAL,
 idle INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE corrections (
 correction_key INTEGER PRIMARY KEY,
 action TEXT NOT NULL CHECK (action IN ('link', 'split')),
 left_sha256 TEXT NOT NULL,
 left_name TEXT NOT NULL DEFAULT '',
 right_sha256 TEXT NOT NULL,
 right_name TEXT NOT NULL DEFAULT '',
 made_ms REAL NOT NULL,
 UNIQUE (left_sha256, left_name, right_sha256, right_name)
);
CREATE TABLE endpoints (
 endpoint_key INTEGER PRIMARY KEY,
 call_key INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
 endpoint TEXT NOT NULL,
 direction TEXT,
 person TEXT,
 user_agent TEXT,
 os TEXT,
 sdk TEXT,
 sdk_version TEXT,
 network_type TEXT,
 candidate_type TEXT,
 relay_protocol TEXT,
 relay TEXT,
 far_network TEXT,
 audio_codec TEXT,
 video_codec TEXT,
 UNIQUE (call_key, endpoint)
);
CREATE TABLE events (
 event_key INTEGER PRIMARY KEY,
 connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
 t_ms REAL,
 until_ms REAL,
 event TEXT NOT NULL,
 raw TEXT NOT NULL,
 sdk TEXT,
 args TEXT NOT NULL DEFAULT '{}',
 line INTEGER,
 anomaly TEXT
);
CREATE TABLE findings (
 finding_key INTEGER PRIMARY KEY,
 call_key INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
 endpoint_key INTEGER REFERENCES endpoints ON DELETE CASCADE,
 code TEXT NOT NULL,
 severity TEXT NOT NULL CHECK (severity = 'info' OR severity = 'warning' OR severity = 'error'),
 start_ms REAL,
 end_ms REAL,
 evidence TEXT NOT NULL DEFAULT '{}',
 text TEXT NOT NULL
);
CREATE TABLE notes (
 source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
 note TEXT NOT NULL,
 count INTEGER NOT NULL DEFAULT 1,
 PRIMARY KEY (source_id, note)
) WITHOUT ROWID;
CREATE TABLE odd_clocks (
 call_key INTEGER PRIMARY KEY REFERENCES calls ON DELETE CASCADE
);
CREATE TABLE part_calls (
 call_key INTEGER PRIMARY KEY REFERENCES calls ON DELETE CASCADE,
 part_key INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE
);
CREATE TABLE part_sources (
 source_id INTEGER PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
 part_key INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE
);
CREATE TABLE parts (
 part_key INTEGER PRIMARY KEY,
 name TEXT NOT NULL UNIQUE,
 digest TEXT NOT NULL,
 calls INTEGER NOT NULL,
 gathered_ms REAL NOT NULL
);
CREATE TABLE path_samples (
 path_key INTEGER NOT NULL REFERENCES paths ON DELETE CASCADE,
 t_ms REAL NOT NULL,
 rtt_ms REAL,
 available_out_bps REAL,
 available_in_bps REAL,
 bytes_sent INTEGER,
 bytes_received INTEGER,
 last_packet_ms REAL,
 requests_sent INTEGER,
 responses_received INTEGER,
 requests_received INTEGER,
 responses_sent INTEGER,
 total_rtt_ms REAL,
 pair_changes INTEGER,
 extra TEXT,
 PRIMARY KEY (path_key, t_ms)
) WITHOUT ROWID;
CREATE TABLE paths (
 path_key INTEGER PRIMARY KEY,
 connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
 pair TEXT,
 local TEXT,
 remote TEXT,
 local_type TEXT,
 remote_type TEXT,
 protocol TEXT,
 relay_protocol TEXT,
 network_type TEXT,
 ice_state TEXT,
 dtls_state TEXT,
 sample_checksum INTEGER
);
CREATE TABLE phases (
 endpoint_key INTEGER NOT NULL,
 attempt INTEGER NOT NULL,
 phase TEXT NOT NULL,
 state TEXT NOT NULL CHECK (state = 'measured' OR state = 'absent' OR state = 'unknown'),
 start_ms REAL,
 duration_ms REAL,
 from_event TEXT,
 to_event TEXT,
 cause TEXT,
 PRIMARY KEY (endpoint_key, attempt, phase),
 FOREIGN KEY (endpoint_key, attempt) REFERENCES setups ON DELETE CASCADE,
 CHECK ((state = 'measured') = (duration_ms IS NOT NULL))
) WITHOUT ROWID;
CREATE TABLE recent_alias_hashes (
 hash INTEGER NOT NULL,
 connection_key INTEGER NOT NULL,
 PRIMARY KEY (hash, connection_key)
) WITHOUT ROWID;
CREATE TABLE rejects (
 source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
 reject_index INTEGER NOT NULL,
 line INTEGER,
 frame INTEGER,
 byte INTEGER,
 reason TEXT NOT NULL,
 count INTEGER NOT NULL DEFAULT 1,
 excerpt TEXT,
 PRIMARY KEY (source_id, reject_index)
) WITHOUT ROWID;
CREATE TABLE runs (
 run_id TEXT PRIMARY KEY,
 started_ms REAL,
 ended_ms REAL,
 middle_ms REAL,
 expected_calls INTEGER,
 labels TEXT NOT NULL DEFAULT '{}',
 accepted_ms REAL,
 verdict TEXT,
 verdict_reason TEXT
);
CREATE TABLE samples (
 stream_key INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE,
 t_ms REAL NOT NULL,
 packets INTEGER,
 bytes INTEGER,
 header_bytes INTEGER,
 lost INTEGER,
 expected INTEGER,
 duplicates INTEGER,
 reordered INTEGER,
 late INTEGER,
 discarded INTEGER,
 rtx_packets INTEGER,
 rtx_bytes INTEGER,
 fec_packets INTEGER,
 fec_discarded INTEGER,
 jitter_ms REAL,
 rtt_ms REAL,
 fraction_lost REAL,
 last_packet_ms REAL,
 nack INTEGER,
 pli INTEGER,
 fir INTEGER,
 total_samples INTEGER,
 concealed_samples INTEGER,
 silent_concealed_samples INTEGER,
 concealment_events INTEGER,
 inserted_samples INTEGER,
 removed_samples INTEGER,
 total_samples_duration_ms REAL,
 audio_level REAL,
 total_audio_energy REAL,
 jitter_buffer_delay_ms REAL,
 jitter_buffer_target_delay_ms REAL,
 jitter_buffer_minimum_delay_ms REAL,
 jitter_buffer_emitted INTEGER,
 processing_delay_ms REAL,
 synthesized_ms REAL,
 frames_received INTEGER,
 frames INTEGER,
 frames_dropped INTEGER,
 frames_rendered INTEGER,
 frames_sent INTEGER,
 key_frames INTEGER,
 huge_frames INTEGER,
 width INTEGER,
 height INTEGER,
 frame_rate REAL,
 freeze_count INTEGER,
 freeze_ms REAL,
 pause_count INTEGER,
 pause_ms REAL,
 inter_frame_delay_ms REAL,
 squared_inter_frame_delay_s2 REAL,
 decode_ms REAL,
 qp_sum INTEGER,
 target_bps REAL,
 packet_send_delay_ms REAL,
 limited_by INTEGER,
 limited_by_cpu_ms REAL,
 limited_by_bandwidth_ms REAL,
 resolution_changes INTEGER,
 active INTEGER,
 expand_rate REAL,
 speech_expand_rate REAL,
 secondary_decoded_rate REAL,
 accelerate_rate REAL,
 preemptive_expand_rate REAL,
 current_delay_ms REAL,
 jitter_buffer_ms REAL,
 preferred_jitter_buffer_ms REAL,
 decoding_normal INTEGER,
 decoding_plc INTEGER,
 decoding_cng INTEGER,
 decoding_plc_cng INTEGER,
 decoding_muted INTEGER,
 frame_rate_output REAL,
 far_packets INTEGER,
 far_packets_ms REAL,
 frames_captured INTEGER,
 estimated_playout_ms REAL,
 playout_delay_ms REAL,
 playout_samples INTEGER,
 corruption_sum REAL,
 corruption_measurements INTEGER,
 echo_return_loss REAL,
 echo_return_loss_enhancement REAL,
 jitter_buffer_flushes INTEGER,
 far_report_ms REAL,
 psnr_sum REAL,
 psnr_measurements INTEGER,
 extra TEXT,
 PRIMARY KEY (stream_key, t_ms)
);
CREATE TABLE settled_alias_hashes (
 hash INTEGER NOT NULL,
 connection_key INTEGER NOT NULL,
 PRIMARY KEY (hash, connection_key)
) WITHOUT ROWID;
CREATE TABLE setups (
 endpoint_key INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
 attempt INTEGER NOT NULL,
 direction TEXT NOT NULL,
 outcome TEXT NOT NULL,
 setup_ms REAL,
 setup_wall_ms REAL,
 post_dial_delay_ms REAL,
 start_ms REAL,
 from_event TEXT,
 PRIMARY KEY (endpoint_key, attempt)
) WITHOUT ROWID;
CREATE TABLE sources (
 source_id INTEGER PRIMARY KEY,
 sha256 TEXT UNIQUE,
 path TEXT NOT NULL,
 ending TEXT,
 format TEXT,
 bytes INTEGER,
 status TEXT NOT NULL
 CHECK (status = 'imported' OR status = 'partial' OR status = 'refused' OR status = 'skipped'),
 reason_code TEXT,
 reason TEXT,
 byte INTEGER,
 line INTEGER,
 run_id TEXT REFERENCES runs ON DELETE SET NULL,
 given_call TEXT,
 labels TEXT NOT NULL DEFAULT '{}',
 imported_ms REAL NOT NULL,
 first_ms REAL,
 last_ms REAL,
 skew_ms REAL,
 streams INTEGER NOT NULL DEFAULT 0,
 samples INTEGER NOT NULL DEFAULT 0,
 events INTEGER NOT NULL DEFAULT 0,
 packets INTEGER NOT NULL DEFAULT 0,
 rejected INTEGER NOT NULL DEFAULT 0,
 pruned_ms REAL
);
CREATE TABLE spans (
 span_key INTEGER PRIMARY KEY,
 endpoint_key INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
 kind TEXT NOT NULL
 CHECK (kind = 'outage' OR kind = 'not-sent' OR kind = 'hold' OR kind = 'freeze' OR kind = 'gap'),
 medium TEXT,
 start_ms REAL NOT NULL,
 end_ms REAL NOT NULL,
 proof TEXT,
 concealed_samples REAL
);
CREATE TABLE streams (
 stream_key INTEGER PRIMARY KEY,
 connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
 endpoint_key INTEGER REFERENCES endpoints ON DELETE SET NULL,
 source TEXT NOT NULL CHECK (source IN ('stats', 'capture')),
 chosen INTEGER NOT NULL DEFAULT 0,
 direction TEXT NOT NULL
 CHECK (direction = 'inbound' OR direction = 'outbound' OR direction = 'unknown'),
 kind TEXT CHECK (kind IN ('audio', 'video')),
 ssrc INTEGER,
 rtx_ssrc INTEGER,
 mid TEXT,
 rid TEXT,
 encoding_index INTEGER,
 scalability_mode TEXT,
 codec TEXT,
 fmtp TEXT,
 payload_type INTEGER,
 clock_rate INTEGER,
 clock_rate_guessed INTEGER,
 channels INTEGER,
 screen INTEGER,
 implementation TEXT,
 local TEXT,
 remote TEXT,
 first_ms REAL,
 last_ms REAL,
 samples INTEGER NOT NULL DEFAULT 0,
 metrics TEXT,
 packets INTEGER,
 bytes INTEGER,
 expected INTEGER,
 lost INTEGER,
 duplicates INTEGER,
 reordered INTEGER,
 late INTEGER,
 restarts INTEGER,
 fec INTEGER,
 rtx INTEGER,
 probes INTEGER,
 capture_duplicates INTEGER,
 jitter_mean_ms REAL,
 jitter_max_ms REAL,
 frame_jitter_mean_ms REAL,
 max_delta_ms REAL,
 wireshark_packets INTEGER,
 wireshark_lost INTEGER,
 wireshark_jitter_mean_ms REAL,
 wireshark_jitter_max_ms REAL,
 burst_density REAL,
 gap_density REAL,
 burst_ms REAL,
 gap_ms REAL,
 rtt_ms REAL,
 bitrate_mean_bps REAL,
 concealed_samples INTEGER,
 silent_concealed_samples INTEGER,
 total_samples INTEGER,
 concealed_share REAL,
 freeze_count INTEGER,
 freeze_ms REAL,
 pause_count INTEGER,
 pause_ms REAL,
 frame_rate_mean REAL,
 width INTEGER,
 height INTEGER,
 nack INTEGER,
 pli INTEGER,
 fir INTEGER,
 extra TEXT,
 sample_checksum INTEGER
);
CREATE TABLE windows (
 endpoint_key INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
 model TEXT NOT NULL,
 source TEXT NOT NULL CHECK (source IN ('stats', 'capture')),
 window_index INTEGER NOT NULL,
 start_ms REAL NOT NULL,
 end_ms REAL NOT NULL,
 state TEXT NOT NULL
 CHECK (state = 'active' OR state = 'silent' OR state = 'stalled' OR state = 'unscored'),
 score INTEGER,
 audio_cq REAL,
 audio_lq REAL,
 video REAL,
 lost_loss INTEGER,
 lost_jitter INTEGER,
 lost_delay INTEGER,
 lost_freeze INTEGER,
 lost_framerate INTEGER,
 lost_resolution INTEGER,
 lost_bitrate INTEGER,
 lost_coding INTEGER,
 loss_share REAL,
 concealed_share REAL,
 delay_ms REAL,
 rtt_ms REAL,
 freeze_share REAL,
 frame_rate REAL,
 height REAL,
 bitrate_bps REAL,
 client_score REAL,
 confidence REAL,
 changed INTEGER NOT NULL DEFAULT 0,
 chosen INTEGER NOT NULL DEFAULT 1,
 mouth_to_ear_ms REAL,
 glass_to_glass_ms REAL,
 audio_minus_video_ms REAL,
 delay_source TEXT,
 frame_quality REAL,
 PRIMARY KEY (endpoint_key, model, source, window_index),
 CHECK ((state IN ('active', 'stalled')) = (score IS NOT NULL))
) WITHOUT ROWID;
CREATE TRIGGER aliases_come AFTER INSERT ON aliases BEGIN
 INSERT OR IGNORE INTO recent_alias_hashes (hash, connection_key) VALUES (new.hash, new.connection_key);
END;
CREATE TRIGGER aliases_go AFTER DELETE ON aliases
WHEN NOT EXISTS (SELECT 1 FROM aliases AS a WHERE a.connection_key = old.connection_key AND a.hash = old.hash) BEGIN
 DELETE FROM recent_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
 DELETE FROM settled_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
END;
CREATE TRIGGER calls_come AFTER INSERT ON calls WHEN new.started_ms IS NOT NULL BEGIN
 UPDATE runs SET middle_ms = NULL WHERE run_id = new.run_id AND middle_ms IS NOT NULL;
END;
CREATE TRIGGER calls_dated AFTER UPDATE OF started_ms, excluded, run_id ON calls BEGIN
 UPDATE runs SET middle_ms = NULL WHERE run_id IN (old.run_id, new.run_id) AND middle_ms IS NOT NULL;
END;
CREATE TRIGGER calls_go AFTER DELETE ON calls BEGIN
 UPDATE runs SET middle_ms = NULL WHERE run_id = old.run_id AND middle_ms IS NOT NULL;
END;
CREATE TRIGGER connections_moved AFTER UPDATE OF call_key, endpoint_key ON connections BEGIN
 UPDATE streams SET endpoint_key = new.endpoint_key WHERE connection_key = new.connection_key;
 UPDATE calls SET stale = 1 WHERE call_key IN (old.call_key, new.call_key) AND NOT stale;
END;
