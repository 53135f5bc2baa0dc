-- Which causes took the points, by SDK, codec and candidate type?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- Mean points a scored window lost, over the worse ends of the calls that ran and count.
SELECT coalesce(k.sdk, 'unknown') AS sdk,
       (SELECT s.codec FROM streams AS s WHERE s.endpoint_key = e.endpoint_key AND s.direction = 'inbound' AND s.chosen
          AND s.kind = 'video' ORDER BY s.packets DESC, s.stream_key LIMIT 1) AS video_codec,
       (SELECT s.codec FROM streams AS s WHERE s.endpoint_key = e.endpoint_key AND s.direction = 'inbound' AND s.chosen
          AND s.kind = 'audio' ORDER BY s.packets DESC, s.stream_key LIMIT 1) AS audio_codec,
       e.candidate_type, count(*) AS calls, 100 - avg(k.score_mean) AS points_lost,
       avg(k.lost_loss) AS lost_loss, avg(k.lost_jitter) AS lost_jitter, avg(k.lost_delay) AS lost_delay,
       avg(k.lost_freeze) AS lost_freeze, avg(k.lost_framerate) AS lost_framerate, avg(k.lost_resolution) AS lost_resolution,
       avg(k.lost_bitrate) AS lost_bitrate, avg(k.lost_coding) AS lost_coding,
       avg(k.lost_silence) AS lost_silence, avg(k.lost_playout) AS lost_playout
FROM judged_calls AS k LEFT JOIN endpoints AS e ON e.call_key = k.call_key AND e.endpoint = k.score_endpoint
WHERE k.counted AND k.score_mean IS NOT NULL
  AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
GROUP BY 1, 2, 3, 4
ORDER BY points_lost DESC, 1, 2, 3, 4;
