-- Can the figures be trusted: what did not come, was refused, could not be scored, or was guessed?
-- :run (or :since, :until)  what is reported
WITH these AS MATERIALIZED (
  SELECT k.call_key, k.unjudged, k.excluded, k.outcome, k.counted, k.score_mean, k.setup_ms, k.broken, k.unscored_share, k.odd_clock,
         k.known, k.verdict_marked, k.verdict, k.said
  FROM judged_calls AS k
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
files AS NOT MATERIALIZED (  -- as in queries/data-health.sql: a file is of the night of that call; with none, of that in which it came in
  SELECT s.* FROM sources AS s
  WHERE (:run IS NULL OR s.run_id = :run OR EXISTS (
      SELECT 1 FROM connections AS c WHERE c.source_id = s.source_id AND c.call_key IN (SELECT call_key FROM these)))
    AND (:since IS NULL OR coalesce(s.last_ms, (SELECT k.night_ms FROM beside AS b JOIN judged_calls AS k USING (call_key)
      WHERE b.source_id = s.source_id), s.imported_ms) >= :since)
    AND (:until IS NULL OR coalesce(s.first_ms, (SELECT k.night_ms FROM beside AS b JOIN judged_calls AS k USING (call_key)
      WHERE b.source_id = s.source_id), s.imported_ms) < :until)),
tails AS MATERIALIZED (  -- how the names of files end: few texts for many files
  SELECT 'skipped' AS status, reason_code, reason, tail, min(path) AS path, count(*) AS files
  FROM (SELECT reason_code, reason, lower(substr(path, -16)) AS tail, path FROM files WHERE status = 'skipped') GROUP BY 2, 3, 4
  UNION ALL
  SELECT DISTINCT 'taken', NULL, NULL, lower(substr(path, -16)), NULL, 1 FROM files WHERE status IN ('imported', 'partial')),
unpacked AS MATERIALIZED (  -- without what packed them
  SELECT *, CASE WHEN substr(tail, -3) IN ('.gz', '.br') THEN substr(tail, 1, length(tail) - 3)
    WHEN substr(tail, -4) = '.zst' THEN substr(tail, 1, length(tail) - 4) ELSE tail END AS name FROM tails),
named AS MATERIALIZED (  -- jsonl of caller.stats.jsonl.gz
  SELECT *, CASE WHEN instr(name, '.') THEN substr(name, length(rtrim(name, replace(name, '.', ''))) + 1) END AS ending FROM unpacked),
left_out AS (  -- skipped, and called as files of calls are called, or broken, or packed as callqa does not unpack; no README
  SELECT * FROM named WHERE status = 'skipped' AND (reason_code <> 'not-a-format' OR ending IN ('jsonl', 'ndjson', 'pcap', 'pcapng', 'cap')
    OR ending IN (SELECT ending FROM named WHERE status = 'taken'))),
taken AS MATERIALIZED (  -- every file looked at once
  SELECT count(*) FILTER (WHERE status = 'refused') AS refused, count(*) FILTER (WHERE status = 'partial') AS partial,
         coalesce(sum(rejected), 0) AS rejected, count(*) FILTER (WHERE abs(skew_ms) >= 100) AS skewed,
         coalesce(sum((SELECT count(*) FROM notes AS n WHERE n.source_id = f.source_id)) FILTER (WHERE status IN ('imported', 'partial')), 0) AS guesses
  FROM files AS f)
SELECT count(*) FILTER (WHERE unjudged AND excluded IS NULL) AS unjudged_calls,
       count(*) FILTER (WHERE outcome = 'missing' AND NOT unjudged AND excluded IS NULL) AS missing_calls,
       (SELECT refused FROM taken) AS refused_files,
       (SELECT coalesce(sum(files), 0) FROM left_out) AS skipped_files,
       (SELECT partial FROM taken) AS truncated_files,
       (SELECT rejected FROM taken) AS rejected_records,
       count(*) FILTER (WHERE counted AND outcome = 'completed' AND score_mean IS NULL) AS unscored_calls,
       count(*) FILTER (WHERE counted AND outcome = 'unknown' AND score_mean IS NULL AND setup_ms IS NULL AND NOT broken AND EXISTS (
          SELECT 1 FROM connections AS c JOIN sources AS f USING (source_id) WHERE c.call_key = k.call_key AND f.status = 'partial'))
          AS cut_calls,
       avg(unscored_share) FILTER (WHERE counted) AS unscored_share,
       (SELECT guesses FROM taken) AS guesses,
       count(*) FILTER (WHERE odd_clock) AS odd_clocks,
       (SELECT skewed FROM taken) AS skewed_files,
       count(excluded) AS rig_faults,
       count(known) AS known_failures,
       count(*) FILTER (WHERE verdict_marked IS NOT NULL AND verdict IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')
          AND verdict_marked NOT IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')) AS false_alarms,
       count(*) FILTER (WHERE counted AND said = 'unjudged') AS unjudged_verdicts
FROM these AS k
