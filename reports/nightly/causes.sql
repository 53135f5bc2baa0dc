-- Which causes took the points, by SDK?
-- Mean points a scored call lost to each.
-- :run (or :since, :until)  what is reported
WITH these AS MATERIALIZED (  -- one row per SDK
  SELECT coalesce(k.sdk, 'unknown') AS name, count(*) AS calls, avg(lost_loss) AS lost_loss, avg(lost_jitter) AS lost_jitter,
         avg(lost_delay) AS lost_delay, avg(lost_freeze) AS lost_freeze, avg(lost_framerate) AS lost_framerate,
         avg(lost_resolution) AS lost_resolution, avg(lost_bitrate) AS lost_bitrate, avg(lost_coding) AS lost_coding,
         avg(lost_silence) AS lost_silence, avg(lost_playout) AS lost_playout
  FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted AND k.score_mean IS NOT NULL
  GROUP BY 1
)
SELECT name AS sdk, cause, points, calls FROM (
  SELECT 1 AS n, name, 'loss' AS cause, lost_loss AS points, calls FROM these
  UNION ALL SELECT 2, name, 'jitter', lost_jitter, calls FROM these
  UNION ALL SELECT 3, name, 'delay', lost_delay, calls FROM these
  UNION ALL SELECT 4, name, 'freeze', lost_freeze, calls FROM these
  UNION ALL SELECT 5, name, 'framerate', lost_framerate, calls FROM these
  UNION ALL SELECT 6, name, 'resolution', lost_resolution, calls FROM these
  UNION ALL SELECT 7, name, 'bitrate', lost_bitrate, calls FROM these
  UNION ALL SELECT 8, name, 'coding', lost_coding, calls FROM these
  UNION ALL SELECT 9, name, 'silence', lost_silence, calls FROM these
  UNION ALL SELECT 10, name, 'playout', lost_playout, calls FROM these
) ORDER BY n, sdk
