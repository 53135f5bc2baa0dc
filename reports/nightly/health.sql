-- Can the figures be trusted: what did not come, was refused, could not be scored, or was guessed?
-- :run (or :since, :until)  what is reported
WITH these AS NOT MATERIALIZED (
  SELECT k.call_key, k.unfinished, k.excluded, k.outcome, k.counted, k.score_mean, k.setup_ms, k.broken, k.unscored_share, k.odd_clock,
         k.known, k.verdict_marked, k.verdict_judged, k.verdict
  FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until)
),
beside AS (  -- a file without an instant of its own, with the call in its folder that came in next to it
  SELECT source_id, (SELECT call_key FROM (SELECT c.call_key, abs(o.source_id - s.source_id) AS apart FROM (
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path < s.path AND o.path >= s.folder ORDER BY o.path DESC LIMIT 64)
      UNION ALL
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path > s.path AND o.path < rtrim(s.folder, '/') || '0' ORDER BY o.path LIMIT 64)
    ) AS o JOIN source_views AS c USING (source_id) WHERE c.call_key IS NOT NULL) ORDER BY apart, call_key LIMIT 1) AS call_key
  FROM (SELECT source_id, path, rtrim(path, replace(path, '/', '')) AS folder FROM sources
    WHERE first_ms IS NULL AND last_ms IS NULL AND (:since IS NOT NULL OR :until IS NOT NULL)) AS s WHERE folder <> ''),
files AS NOT MATERIALIZED (  -- as in queries/data-health.sql: a file is of the night of that call; with none, of that in which it came in
  SELECT s.* FROM sources AS s
  WHERE (:run IS NULL OR s.run_id = :run OR EXISTS (
      SELECT 1 FROM source_views AS c WHERE c.source_id = s.source_id AND c.call_key IN (SELECT call_key FROM these)))
    AND (:since IS NULL OR coalesce(s.last_ms, (SELECT k.night_ms FROM beside AS b JOIN judged_calls AS k USING (call_key)
      WHERE b.source_id = s.source_id), s.imported_ms) >= :since)
    AND (:until IS NULL OR coalesce(s.first_ms, (SELECT k.night_ms FROM beside AS b JOIN judged_calls AS k USING (call_key)
      WHERE b.source_id = s.source_id), s.imported_ms) < :until)),
left_out AS MATERIALIZED (  -- skipped, and called as files of calls are called, or broken, or packed as callqa does not unpack; no README
  SELECT reason, ending, min(path) AS path, count(*) AS files FROM files
  WHERE status = 'skipped' AND (reason_code <> 'not-a-format' OR ending IN ('jsonl', 'ndjson', 'pcap', 'pcapng', 'cap')
    OR ending IN (SELECT DISTINCT ending FROM files WHERE status IN ('imported', 'partial')))
  GROUP BY reason, ending),
taken AS MATERIALIZED (  -- every file looked at once
  SELECT count(*) FILTER (WHERE status = 'refused') AS refused, count(*) FILTER (WHERE status = 'partial') AS partial,
         coalesce(sum(rejected), 0) AS rejected, count(*) FILTER (WHERE abs(skew_ms) >= 100) AS skewed
  FROM files)
SELECT count(*) FILTER (WHERE unfinished AND excluded IS NULL) AS unfinished_calls,
       count(*) FILTER (WHERE outcome = 'missing' AND NOT unfinished AND excluded IS NULL) AS missing_calls,
       (SELECT refused FROM taken) AS refused_files,
       (SELECT coalesce(sum(files), 0) FROM left_out) AS skipped_files,
       (SELECT partial FROM taken) AS truncated_files,
       (SELECT rejected FROM taken) AS rejected_records,
       count(*) FILTER (WHERE counted AND outcome = 'completed' AND score_mean IS NULL) AS unscored_calls,
       count(*) FILTER (WHERE counted AND outcome = 'unknown' AND score_mean IS NULL AND setup_ms IS NULL AND NOT broken AND EXISTS (
          SELECT 1 FROM source_views AS c JOIN sources AS f USING (source_id) WHERE c.call_key = k.call_key AND f.status = 'partial'))
          AS cut_calls,
       avg(unscored_share) FILTER (WHERE counted) AS unscored_share,
       (SELECT count(*) FROM notes AS n CROSS JOIN files AS f USING (source_id) WHERE f.status IN ('imported', 'partial')) AS guesses,
       count(*) FILTER (WHERE odd_clock) AS odd_clocks,
       (SELECT skewed FROM taken) AS skewed_files,
       count(excluded) AS rig_faults,
       count(known) AS known_failures,
       count(*) FILTER (WHERE verdict_marked IS NOT NULL AND verdict_judged IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')
          AND verdict_marked NOT IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')) AS false_alarms,
       count(*) FILTER (WHERE counted AND verdict = 'unjudged') AS unjudged_verdicts
FROM these AS k
