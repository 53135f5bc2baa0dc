-- Which causes took the points, by SDK?
-- Mean points a scored call lost to each.
-- :run (or :since, :until)  what is reported
WITH these AS (
  SELECT coalesce(k.sdk, 'unknown') AS name, * FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted AND k.score_mean IS NOT NULL
)
SELECT name AS sdk, cause, points, calls FROM (
  SELECT 1 AS n, name, 'loss' AS cause, avg(lost_loss) AS points, count(*) AS calls FROM these GROUP BY name
  UNION ALL SELECT 2, name, 'jitter', avg(lost_jitter), count(*) FROM these GROUP BY name
  UNION ALL SELECT 3, name, 'delay', avg(lost_delay), count(*) FROM these GROUP BY name
  UNION ALL SELECT 4, name, 'freeze', avg(lost_freeze), count(*) FROM these GROUP BY name
  UNION ALL SELECT 5, name, 'framerate', avg(lost_framerate), count(*) FROM these GROUP BY name
  UNION ALL SELECT 6, name, 'resolution', avg(lost_resolution), count(*) FROM these GROUP BY name
  UNION ALL SELECT 7, name, 'bitrate', avg(lost_bitrate), count(*) FROM these GROUP BY name
  UNION ALL SELECT 8, name, 'coding', avg(lost_coding), count(*) FROM these GROUP BY name
) ORDER BY n, sdk
