-- How did each SDK's scenarios move over the last 14 runs?
-- One row per run, SDK and scenario; means of the calls that count.
-- :until  look back from here, ms since the epoch
WITH last AS (
  SELECT run_id, began_ms FROM run_starts WHERE began_ms IS NOT NULL AND (:until IS NULL OR began_ms < :until)
  ORDER BY began_ms DESC, run_id DESC LIMIT 14
)
SELECT n.run_id AS night, coalesce(k.sdk, 'unknown') AS sdk, k.scenario, count(k.score_mean) AS scored, avg(k.score_mean) AS score,
       count(k.setup_ms) AS set_up, avg(k.setup_ms) AS setup_ms
FROM last AS n JOIN judged_calls AS k ON k.run_id = n.run_id
WHERE k.counted
GROUP BY n.run_id, 2, 3
ORDER BY n.began_ms, n.run_id, 2, 3
