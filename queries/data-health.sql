-- What was unscored, truncated, refused, guessed or skewed, and in which files?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
WITH scope AS MATERIALIZED (
  SELECT k.* FROM judged_calls AS k
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
dated AS (  -- it is of the night of that call; with none, of that in which it came in
  SELECT s.*, coalesce((SELECT k.night_ms FROM beside AS b JOIN judged_calls AS k USING (call_key)
    WHERE b.source_id = s.source_id), s.imported_ms) AS night_ms FROM sources AS s),
files AS MATERIALIZED (
  SELECT s.* FROM dated AS s
  WHERE (:run IS NULL OR s.run_id = :run OR s.source_id IN (
      SELECT c.source_id FROM connections AS c JOIN scope AS k USING (call_key)))
    AND (:since IS NULL OR coalesce(s.last_ms, s.night_ms) >= :since)
    AND (:until IS NULL OR coalesce(s.first_ms, s.night_ms) < :until)),
met AS (  -- with how their names end, what packed them left away: jsonl of caller.stats.jsonl.gz
  SELECT *, lower(substr(name, length(rtrim(name, replace(name, '.', ''))) + 1)) AS ending FROM (
    SELECT *, CASE WHEN path LIKE '%.gz' OR path LIKE '%.br' THEN substr(path, 1, length(path) - 3)
      WHEN path LIKE '%.zst' THEN substr(path, 1, length(path) - 4) ELSE path END AS name FROM files)),
left_out AS (  -- skipped, and called as files of calls are called, or broken, or packed as callqa does not unpack; no README
  SELECT * FROM met WHERE status = 'skipped' AND (reason_code <> 'not-a-format'
    OR ending IN ('jsonl', 'ndjson', 'pcap', 'pcapng', 'cap')
    OR ending IN (SELECT ending FROM met WHERE status IN ('imported', 'partial'))))
SELECT trouble, place, detail, count FROM (
  SELECT 'refused' AS trouble, path AS place, reason AS detail, 1 AS count FROM files WHERE status = 'refused'
  UNION ALL
  SELECT CASE reason_code WHEN 'truncated' THEN 'truncated' ELSE 'partial' END, path,
    coalesce(reason, 'taken in part'), 1
  FROM files WHERE status = 'partial'
  UNION ALL
  SELECT 'skipped', min(path), reason, count(*) FROM left_out GROUP BY reason, ending
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
  FROM scope WHERE odd_clock
  UNION ALL
  SELECT 'unjudged', coalesce('run ' || run_id, 'no run'), 'its import was cut off or still runs: import again', count(*)
  FROM scope WHERE unjudged AND excluded IS NULL GROUP BY run_id
  UNION ALL
  SELECT 'missing', call_id, coalesce('scenario ' || scenario, 'named by the manifest'), 1 FROM scope
  WHERE outcome = 'missing' AND NOT unjudged AND excluded IS NULL
  UNION ALL
  SELECT 'unscored', call_id, CASE WHEN score_mean IS NULL THEN 'no window could be scored'
           ELSE printf('%.0f %% of the windows', 100 * unscored_share) END, 1
  FROM scope WHERE counted AND (score_mean IS NULL AND outcome = 'completed' OR unscored_share >= 0.2)
  UNION ALL
  SELECT 'rig fault', k.call_id, f.text, 1 FROM scope AS k JOIN findings AS f USING (call_key) WHERE f.code = 'rig-fault'
  UNION ALL
  SELECT 'excluded', call_id, excluded, 1 FROM scope WHERE excluded IS NOT NULL)
ORDER BY CASE trouble WHEN 'unjudged' THEN -1 WHEN 'missing' THEN 0 WHEN 'refused' THEN 1 WHEN 'skipped' THEN 1.5 WHEN 'truncated' THEN 2 WHEN 'partial' THEN 3
  WHEN 'rig fault' THEN 4 WHEN 'excluded' THEN 5 WHEN 'unscored' THEN 6 WHEN 'clock' THEN 7 WHEN 'skewed' THEN 8 WHEN 'rejected' THEN 9 ELSE 10 END,
  place, detail;
