-- What was unscored, truncated, refused, guessed or skewed, and in which files?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :most            so many places of one trouble by name, and a row that counts the others; NULL: all
WITH these AS MATERIALIZED (
  SELECT k.call_key, k.call_id, k.run_id, k.scenario, k.started_ms, k.unfinished, k.unjudgeable, k.excluded, k.outcome, k.counted, k.score_mean,
         k.unscored_share, k.odd_clock
  FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)),
beside AS (  -- a file without an instant of its own, with the call in its folder that came in next to it
  SELECT source_id, (SELECT call_key FROM (SELECT c.call_key, abs(o.source_id - s.source_id) AS apart FROM (
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path < s.path AND o.path >= s.folder ORDER BY o.path DESC LIMIT 64)
      UNION ALL
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path > s.path AND o.path < rtrim(s.folder, '/') || '0' ORDER BY o.path LIMIT 64)
    ) AS o JOIN source_views AS c USING (source_id) WHERE c.call_key IS NOT NULL) ORDER BY apart, call_key LIMIT 1) AS call_key
  FROM (SELECT source_id, path, rtrim(path, replace(path, '/', '')) AS folder FROM sources
    WHERE first_ms IS NULL AND last_ms IS NULL AND (:since IS NOT NULL OR :until IS NOT NULL)) AS s WHERE folder <> ''),
files AS NOT MATERIALIZED (  -- as in reports/nightly/health.sql: a file is of the night of that call; with none, of that in which it came in
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
troubles AS (
  SELECT CASE WHEN status = 'refused' THEN 'refused' WHEN reason_code = 'truncated' THEN 'truncated' ELSE 'partial' END AS trouble,
    path AS place, CASE WHEN status = 'refused' THEN reason ELSE coalesce(reason, 'taken in part') END AS detail, 1 AS count
  FROM files WHERE status IN ('refused', 'partial')
  UNION ALL
  SELECT 'skipped', path, reason, files FROM left_out
  UNION ALL
  SELECT 'rejected', f.path, r.reason, sum(r.count) FROM rejects AS r CROSS JOIN files AS f USING (source_id) GROUP BY f.source_id, r.reason
  UNION ALL
  SELECT 'guessed', f.path, n.note, n.count FROM notes AS n CROSS JOIN files AS f USING (source_id)
  WHERE f.status IN ('imported', 'partial')
  UNION ALL
  SELECT 'skewed', path, printf('clock off by %.0f ms', skew_ms), 1 FROM files WHERE abs(skew_ms) >= 100
  UNION ALL
  SELECT 'clock', call_id, 'its clock is impossible: it says that the call began at '
    || coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', started_ms / 1000.0, 'unixepoch'), 'no date there is'), 1
  FROM these WHERE odd_clock
  UNION ALL
  SELECT 'unfinished', coalesce('run ' || run_id, 'no run'), 'its import was cut off or is still running: import again', count(*)
  FROM these WHERE unfinished AND excluded IS NULL GROUP BY run_id
  UNION ALL
  SELECT 'unjudgeable', call_id, 'it cannot be judged: `callqa check` says why', 1 FROM these WHERE unjudgeable AND excluded IS NULL
  UNION ALL
  SELECT 'missing', call_id, coalesce('scenario ' || scenario, 'named by the manifest'), 1 FROM these
  WHERE outcome = 'missing' AND NOT unfinished AND excluded IS NULL
  UNION ALL
  SELECT 'unscored', call_id, CASE WHEN score_mean IS NULL THEN 'no window could be scored'
           ELSE printf('%.0f %% of the windows', 100 * unscored_share) END, 1
  FROM these WHERE counted AND (score_mean IS NULL AND outcome = 'completed' OR unscored_share >= 0.2)
  UNION ALL
  SELECT 'rig fault', k.call_id, f.text, 1 FROM these AS k JOIN findings AS f USING (call_key) WHERE f.code = 'rig-fault'
  UNION ALL
  SELECT 'excluded', call_id, excluded, 1 FROM these WHERE excluded IS NOT NULL),
placed AS (
  SELECT *, CASE WHEN :most IS NOT NULL THEN row_number() OVER (PARTITION BY trouble, detail ORDER BY place) END AS n FROM troubles)
SELECT trouble, place, detail, count FROM (
  SELECT trouble, place, detail, count, 0 AS last FROM placed WHERE :most IS NULL OR n <= :most
  UNION ALL
  SELECT trouble, 'and ' || count(*) || ' more', detail, sum(count), 1 FROM placed WHERE n > :most GROUP BY trouble, detail)
ORDER BY CASE trouble WHEN 'unfinished' THEN -1 WHEN 'unjudgeable' THEN -0.5 WHEN 'missing' THEN 0 WHEN 'refused' THEN 1 WHEN 'skipped' THEN 1.5 WHEN 'truncated' THEN 2 WHEN 'partial' THEN 3
  WHEN 'rig fault' THEN 4 WHEN 'excluded' THEN 5 WHEN 'unscored' THEN 6 WHEN 'clock' THEN 7 WHEN 'skewed' THEN 8 WHEN 'rejected' THEN 9 ELSE 10 END,
  last, place, detail;
