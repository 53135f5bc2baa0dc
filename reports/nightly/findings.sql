-- Which findings are new, gone, or more frequent than in the baseline?
-- :run (or :since, :until)  what is reported · :baseline  what it is compared with
WITH now AS (
  SELECT f.code, f.severity, k.call_key, k.call_id FROM findings AS f JOIN calls AS k USING (call_key)
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.started_ms >= :since)
    AND (:until IS NULL OR k.started_ms < :until) AND k.excluded IS NULL
),
before AS (
  SELECT f.code, f.severity, k.call_key FROM findings AS f JOIN calls AS k USING (call_key)
  WHERE k.run_id = :baseline AND k.excluded IS NULL
)
SELECT code, max(severity) AS severity, sum(calls) AS calls, CASE WHEN :baseline IS NOT NULL THEN sum(earlier) END AS baseline_calls,
       max(example) AS example
FROM (
  SELECT code, severity, count(DISTINCT call_key) AS calls, 0 AS earlier, min(call_id) AS example FROM now GROUP BY code, severity
  UNION ALL
  SELECT code, severity, 0, count(DISTINCT call_key), NULL FROM before GROUP BY code, severity
)
GROUP BY code ORDER BY sum(calls) DESC, code
