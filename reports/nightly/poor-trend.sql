-- How did each SDK's share of poor calls move over the last 14 nights? Per cent, oldest first, comma-separated.
-- :until  look back from here, ms since the epoch
WITH nights AS (
  SELECT coalesce(run_id, date(started_ms / 1000.0 - 43200, 'unixepoch')) AS night, min(night_ms) AS began_ms
  FROM judged_calls WHERE (:until IS NULL OR night_ms < :until)
  GROUP BY 1 HAVING night IS NOT NULL ORDER BY began_ms DESC, night DESC LIMIT 14
)
SELECT sdk, group_concat(coalesce(round(100.0 * poor, 2), ''), ',') AS poor_trend FROM (
  SELECT coalesce(k.sdk, 'unknown') AS sdk, avg(k.poor) AS poor
  FROM judged_calls AS k JOIN nights AS n ON n.night = coalesce(k.run_id, date(k.started_ms / 1000.0 - 43200, 'unixepoch'))
  WHERE k.counted GROUP BY 1, n.night ORDER BY 1, n.began_ms
) GROUP BY sdk ORDER BY sdk
