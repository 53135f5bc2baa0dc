-- How did each SDK's share of poor calls move over the last 14 nights?
-- A night is a run; calls without one belong to the night that began at noon, UTC.
-- :until  look back from here, ms since the epoch
WITH nights AS (
  SELECT run_id AS night, run_id, NULL AS from_ms, began_ms FROM run_starts
  UNION ALL
  SELECT date(noon_ms / 1000.0, 'unixepoch'), NULL, noon_ms, noon_ms FROM (
    SELECT DISTINCT CAST((night_ms - 43200000) / 86400000 AS INTEGER) * 86400000 + 43200000 AS noon_ms
    FROM judged_calls WHERE run_id IS NULL AND started_ms IS NOT NULL)
),
last AS (
  SELECT * FROM nights WHERE began_ms IS NOT NULL AND (:until IS NULL OR began_ms < :until) ORDER BY began_ms DESC, night DESC LIMIT 14
),
each AS (
  SELECT n.night, coalesce(k.sdk, 'unknown') AS sdk, count(*) AS calls, avg(k.poor) AS poor_call_share
  FROM last AS n JOIN judged_calls AS k ON k.run_id = n.run_id OR (n.run_id IS NULL AND k.run_id IS NULL
    AND k.night_ms >= n.from_ms AND k.night_ms < n.from_ms + 86400000)
  WHERE k.counted
  GROUP BY n.night, n.run_id, 2
)
-- A night without calls of an SDK has a row too, so that the lines of all SDKs have the nights below one another.
SELECT n.night, s.sdk, coalesce(e.calls, 0) AS calls, e.poor_call_share
FROM last AS n CROSS JOIN (SELECT DISTINCT sdk FROM each) AS s LEFT JOIN each AS e ON e.night = n.night AND e.sdk = s.sdk
ORDER BY n.began_ms, n.night, s.sdk
