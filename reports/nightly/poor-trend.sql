-- How did each SDK's share of poor calls move over the last 14 nights?
-- A night is a run; calls without one belong to the night that began at noon by the reader's clocks.
-- :until  look back from here, ms since the epoch: a night without a run ends there
-- :zone   the offsets of the reader's clocks, [[from when, how far ahead of UTC], …] in ms, in order; UTC where not given
WITH offsets AS MATERIALIZED (  -- before the first, its offset held too
  SELECT CASE WHEN z.key = 0 THEN -9e18 ELSE json_extract(z.value, '$[0]') END AS from_ms, json_extract(z.value, '$[1]') AS ahead_ms
  FROM json_each(coalesce(:zone, '[[0,0]]')) AS z
),
loose AS MATERIALIZED (  -- calls without a run, by the day at whose noon their night began
  SELECT call_key, night_ms, CAST((night_ms + coalesce((SELECT ahead_ms FROM offsets WHERE from_ms <= night_ms ORDER BY from_ms DESC LIMIT 1), 0)
    - 43200000) / 86400000 AS INTEGER) AS day
  FROM judged_calls WHERE run_id IS NULL AND started_ms IS NOT NULL AND (:until IS NULL OR night_ms < :until)
),
nights AS (
  SELECT run_id AS night, run_id, NULL AS day, began_ms FROM run_starts
  UNION ALL SELECT date(day * 86400, 'unixepoch'), NULL, day, min(night_ms) FROM loose GROUP BY day
),
last AS (
  SELECT * FROM nights WHERE began_ms IS NOT NULL AND (:until IS NULL OR began_ms < :until) ORDER BY began_ms DESC, night DESC LIMIT 14
),
members AS (
  SELECT n.night, n.run_id, k.call_key FROM last AS n JOIN calls AS k ON k.run_id = n.run_id
  UNION ALL SELECT n.night, NULL, l.call_key FROM last AS n JOIN loose AS l ON l.day = n.day
),
each AS (
  SELECT m.night, m.run_id, coalesce(k.sdk, 'unknown') AS sdk, count(*) AS calls, avg(k.poor) AS poor_call_share
  FROM members AS m JOIN judged_calls AS k USING (call_key)
  WHERE k.counted
  GROUP BY m.night, m.run_id, 3
)
-- A night without calls of an SDK has a row too, so that the lines of all SDKs have the nights below one another.
SELECT n.night, s.sdk, coalesce(e.calls, 0) AS calls, e.poor_call_share
FROM last AS n CROSS JOIN (SELECT DISTINCT sdk FROM each) AS s
  LEFT JOIN each AS e ON e.night = n.night AND e.run_id IS n.run_id AND e.sdk = s.sdk
ORDER BY n.began_ms, n.night, s.sdk
