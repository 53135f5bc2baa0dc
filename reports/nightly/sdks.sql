-- What did each SDK do in this run?
-- :run (or :since, :until)  what is reported
WITH these AS MATERIALIZED (
  SELECT k.call_key, coalesce(k.sdk, 'unknown') AS name, k.counted, k.excluded, k.unfinished, k.broken, k.poor, k.score_mean, k.setup_ms, k.lost_loss,
         k.lost_jitter, k.lost_delay, k.lost_freeze, k.lost_framerate, k.lost_resolution, k.lost_bitrate, k.lost_coding,
         k.lost_silence, k.lost_playout
  FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until)
),
scores AS (
  SELECT s.value ->> '$.keys[0]' AS name, s.value ->> 'p50' AS p50, s.value ->> 'p10' AS p10
  FROM json_each((SELECT quantiles_by(name, score_mean) FROM these WHERE counted)) AS s
),
setups AS (
  SELECT s.value ->> '$.keys[0]' AS name, s.value ->> 'p50' AS p50, s.value ->> 'p90' AS p90
  FROM json_each((SELECT quantiles_by(name, setup_ms) FROM these WHERE counted)) AS s
),
causes AS (
  -- Earlier models know no loss to coding, silence and playout, and the greatest of some values and NULL is NULL.
  SELECT name, CASE max(avg(lost_loss), avg(lost_jitter), avg(lost_delay), avg(lost_freeze), avg(lost_framerate),
                        avg(lost_resolution), avg(lost_bitrate), coalesce(avg(lost_coding), 0),
                        coalesce(avg(lost_silence), 0), coalesce(avg(lost_playout), 0))
    WHEN 0 THEN NULL WHEN avg(lost_loss) THEN 'loss' WHEN avg(lost_jitter) THEN 'jitter' WHEN avg(lost_delay) THEN 'delay'
    WHEN avg(lost_freeze) THEN 'freeze' WHEN avg(lost_framerate) THEN 'framerate'
    WHEN avg(lost_resolution) THEN 'resolution' WHEN avg(lost_bitrate) THEN 'bitrate'
    WHEN avg(lost_coding) THEN 'coding' WHEN avg(lost_silence) THEN 'silence'
    WHEN avg(lost_playout) THEN 'playout' END AS top_cause
  FROM these WHERE counted GROUP BY name
),
ends AS (  -- a conference is one call, and as many ends as were judged
  SELECT t.name, count(*) AS ends, avg(e.verdict IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')) AS poor_end_share
  FROM these AS t JOIN endpoints AS e USING (call_key) WHERE t.counted AND e.verdict IS NOT NULL GROUP BY t.name
),
totals AS MATERIALIZED (
  SELECT name, sum(counted) AS ran, sum(excluded IS NULL) AS expected, sum(excluded IS NOT NULL) AS excluded,
         sum(unfinished AND excluded IS NULL) AS unfinished, avg(CASE WHEN counted THEN broken END) AS broken_share,
         avg(CASE WHEN counted THEN poor END) AS poor_call_share
  FROM these GROUP BY name
)
SELECT t.name AS sdk, t.ran, t.expected, t.excluded,
       t.ran || ' of ' || t.expected || CASE WHEN t.unfinished > 0 THEN ', ' || t.unfinished || ' not judged' ELSE '' END
         || CASE WHEN t.excluded > 0 THEN ', ' || t.excluded || ' put aside' ELSE '' END AS calls,
       t.broken_share, t.poor_call_share, s.p50 AS score_p50, s.p10 AS score_p10, u.p50 AS setup_p50_ms, u.p90 AS setup_p90_ms, c.top_cause,
       e.ends, e.poor_end_share
FROM totals AS t LEFT JOIN scores AS s USING (name) LEFT JOIN setups AS u USING (name) LEFT JOIN causes AS c USING (name) LEFT JOIN ends AS e USING (name)
ORDER BY t.name
