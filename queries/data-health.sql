-- What was unscored, truncated, refused, guessed or skewed, and in which files?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :most            so many places of one trouble by name, and a row that counts the others; NULL: all
WITH these AS MATERIALIZED (
  SELECT k.call_key, k.call_id, k.run_id, k.scenario, k.started_ms, k.unjudged, k.excluded, k.outcome, k.counted, k.score_mean,
         k.unscored_share, k.odd_clock
  FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)),
beside AS (  -- a file without an instant of its own, with the call in its folder that came in next to it
  SELECT source_id, (SELECT call_key FROM (SELECT c.call_key, abs(o.source_id - s.source_id) AS apart FROM (
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path < s.path AND o.path >= s.folder ORDER BY o.path DESC LIMIT 64)
      UNION ALL
      SELECT * FROM (SELECT o.source_id FROM sources AS o WHERE o.path > s.path AND o.path < rtrim(s.folder, '/') || '0' ORDER BY o.path LIMIT 64)
    ) AS o JOIN connections AS c USING (source_id) WHERE c.call_key IS NOT NULL) ORDER BY apart, call_key LIMIT 1) AS call_key
  FROM (SELECT source_id, path, rtrim(path, replace(path, '/', '')) AS folder FROM sources
    WHERE first_ms IS NULL AND last_ms IS NULL AND (:since IS NOT NULL OR :until IS NOT NULL)) AS s WHERE folder <> ''),
files AS NOT MATERIALIZED (  -- as in reports/nightly/health.sql: a file is of the night of that call; with none, of that in which it came in
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
troubles AS (
  SELECT 'refused' AS trouble, path AS place, reason AS detail, 1 AS count FROM files WHERE status = 'refused'
  UNION ALL
  SELECT CASE reason_code WHEN 'truncated' THEN 'truncated' ELSE 'partial' END, path,
    coalesce(reason, 'taken in part'), 1
  FROM files WHERE status = 'partial'
  UNION ALL
  SELECT 'skipped', min(path), reason, sum(files) FROM left_out GROUP BY reason, ending
  UNION ALL
  SELECT 'rejected', f.path, r.reason, sum(r.count) FROM files AS f JOIN rejects AS r USING (source_id) GROUP BY f.source_id, r.reason
  UNION ALL
  SELECT 'guessed', f.path, n.note, n.count FROM files AS f JOIN notes AS n USING (source_id)
  WHERE f.status IN ('imported', 'partial')
  UNION ALL
  SELECT 'skewed', path, printf('clock off by %.0f ms', skew_ms), 1 FROM files WHERE abs(skew_ms) >= 100
  UNION ALL
  SELECT 'clock', call_id, 'its clock cannot be: it says that the call began at '
    || coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', started_ms / 1000.0, 'unixepoch'), 'no date there is'), 1
  FROM these WHERE odd_clock
  UNION ALL
  SELECT 'unjudged', coalesce('run ' || run_id, 'no run'), 'its import was cut off or still runs: import again', count(*)
  FROM these WHERE unjudged AND excluded IS NULL GROUP BY run_id
  UNION ALL
  SELECT 'missing', call_id, coalesce('scenario ' || scenario, 'named by the manifest'), 1 FROM these
  WHERE outcome = 'missing' AND NOT unjudged AND excluded IS NULL
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
ORDER BY CASE trouble WHEN 'unjudged' THEN -1 WHEN 'missing' THEN 0 WHEN 'refused' THEN 1 WHEN 'skipped' THEN 1.5 WHEN 'truncated' THEN 2 WHEN 'partial' THEN 3
  WHEN 'rig fault' THEN 4 WHEN 'excluded' THEN 5 WHEN 'unscored' THEN 6 WHEN 'clock' THEN 7 WHEN 'skewed' THEN 8 WHEN 'rejected' THEN 9 ELSE 10 END,
  last, place, detail;
