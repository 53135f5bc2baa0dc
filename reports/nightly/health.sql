-- Can the figures be trusted: what did not come, was refused, could not be scored, or was guessed?
-- :run (or :since, :until)  what is reported
WITH these AS MATERIALIZED (
  SELECT * FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until)
),
beside AS (  -- a file without an instant of its own, with the call in its folder that came in next to it
  SELECT source_id, (SELECT call_key FROM (SELECT c.call_key, abs(o.source_id - s.source_id) AS apart FROM (
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path < s.path AND o.path >= s.folder ORDER BY o.path DESC LIMIT 64)
      UNION ALL
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path > s.path AND o.path < rtrim(s.folder, '/') || '0' ORDER BY o.path LIMIT 64)
    ) AS o JOIN connections AS c USING (source_id) WHERE c.call_key IS NOT NULL) ORDER BY apart, call_key LIMIT 1) AS call_key
  FROM (SELECT source_id, path, rtrim(path, replace(path, '/', '')) AS folder FROM sources
    WHERE first_ms IS NULL AND last_ms IS NULL AND (:since IS NOT NULL OR :until IS NOT NULL)) AS s WHERE folder <> ''),
dated AS (  -- it is of the night of that call; with none, of that in which it came in
  SELECT s.*, coalesce((SELECT k.night_ms FROM beside AS b JOIN judged_calls AS k USING (call_key)
    WHERE b.source_id = s.source_id), s.imported_ms) AS night_ms FROM sources AS s),
files AS MATERIALIZED (  -- as in queries/data-health.sql
  SELECT s.* FROM dated AS s
  WHERE (:run IS NULL OR s.run_id = :run OR s.source_id IN (
      SELECT c.source_id FROM connections AS c JOIN these AS k USING (call_key)))
    AND (:since IS NULL OR coalesce(s.last_ms, s.night_ms) >= :since)
    AND (:until IS NULL OR coalesce(s.first_ms, s.night_ms) < :until)
),
met AS (  -- with how their names end, what packed them left away: jsonl of caller.stats.jsonl.gz
  SELECT *, lower(substr(name, length(rtrim(name, replace(name, '.', ''))) + 1)) AS ending FROM (
    SELECT *, CASE WHEN path LIKE '%.gz' OR path LIKE '%.br' THEN substr(path, 1, length(path) - 3)
      WHEN path LIKE '%.zst' THEN substr(path, 1, length(path) - 4) ELSE path END AS name FROM files)),
left_out AS (  -- skipped, and called as files of calls are called, or broken, or packed as callqa does not unpack; no README
  SELECT * FROM met WHERE status = 'skipped' AND (reason_code <> 'not-a-format'
    OR ending IN ('jsonl', 'ndjson', 'pcap', 'pcapng', 'cap')
    OR ending IN (SELECT ending FROM met WHERE status IN ('imported', 'partial'))))
SELECT (SELECT count(*) FROM these WHERE unjudged AND excluded IS NULL) AS unjudged_calls,
       (SELECT count(*) FROM these WHERE outcome = 'missing' AND NOT unjudged AND excluded IS NULL) AS missing_calls,
       (SELECT count(*) FROM files WHERE status = 'refused') AS refused_files,
       (SELECT count(*) FROM left_out) AS skipped_files,
       (SELECT count(*) FROM files WHERE status = 'partial') AS truncated_files,
       (SELECT coalesce(sum(rejected), 0) FROM files) AS rejected_records,
       (SELECT count(*) FROM these WHERE counted AND outcome = 'completed' AND score_mean IS NULL) AS unscored_calls,
       (SELECT count(*) FROM these AS k WHERE counted AND outcome = 'unknown' AND score_mean IS NULL AND setup_ms IS NULL AND NOT broken AND EXISTS (
          SELECT 1 FROM connections AS c JOIN sources AS f USING (source_id) WHERE c.call_key = k.call_key AND f.status = 'partial'))
          AS cut_calls,
       (SELECT avg(unscored_share) FROM these WHERE counted) AS unscored_share,
       (SELECT count(*) FROM notes AS n JOIN files AS f USING (source_id) WHERE f.status IN ('imported', 'partial')) AS guesses,
       (SELECT count(*) FROM these WHERE odd_clock) AS odd_clocks,
       (SELECT count(*) FROM files WHERE abs(skew_ms) >= 100) AS skewed_files,
       (SELECT count(*) FROM these WHERE excluded IS NOT NULL) AS rig_faults,
       (SELECT count(*) FROM these WHERE known IS NOT NULL) AS known_failures,
       (SELECT count(*) FROM these WHERE verdict_marked IS NOT NULL AND verdict IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')
          AND verdict_marked NOT IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')) AS false_alarms,
       (SELECT count(*) FROM these WHERE counted AND said = 'unjudged') AS unjudged_verdicts
