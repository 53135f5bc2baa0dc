-- What did each SDK do in this run?
-- :run (or :since, :until)  what is reported
WITH these AS (
  SELECT coalesce(k.sdk, 'unknown') AS name, k.* FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until)
),
scores AS (
  SELECT name, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.1 * n THEN v END) AS p10
  FROM (SELECT name, score_mean AS v, row_number() OVER (PARTITION BY name ORDER BY score_mean) AS k,
               count(*) OVER (PARTITION BY name) AS n
        FROM these WHERE counted AND score_mean IS NOT NULL)
  GROUP BY name
),
setups AS (
  SELECT name, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.9 * n THEN v END) AS p90
  FROM (SELECT name, setup_ms AS v, row_number() OVER (PARTITION BY name ORDER BY setup_ms) AS k,
               count(*) OVER (PARTITION BY name) AS n
        FROM these WHERE counted AND setup_ms IS NOT NULL)
  GROUP BY name
),
causes AS (
  SELECT name, CASE max(avg(lost_loss), avg(lost_jitter), avg(lost_delay), avg(lost_freeze), avg(lost_framerate),
                        avg(lost_resolution), avg(lost_bitrate), avg(lost_coding))
    WHEN 0 THEN NULL WHEN avg(lost_loss) THEN 'loss' WHEN avg(lost_jitter) THEN 'jitter' WHEN avg(lost_delay) THEN 'delay'
    WHEN avg(lost_freeze) THEN 'freeze' WHEN avg(lost_framerate) THEN 'framerate'
    WHEN avg(lost_resolution) THEN 'resolution' WHEN avg(lost_bitrate) THEN 'bitrate'
    WHEN avg(lost_coding) THEN 'coding' END AS top_cause
  FROM these WHERE counted GROUP BY name
)
SELECT t.name AS sdk, sum(t.counted) AS ran, sum(t.excluded IS NULL) AS expected, sum(t.excluded IS NOT NULL) AS excluded,
       sum(t.counted) || ' of ' || sum(t.excluded IS NULL)
         || CASE WHEN sum(t.unjudged AND t.excluded IS NULL) > 0
              THEN ', ' || sum(t.unjudged AND t.excluded IS NULL) || ' not judged' ELSE '' END
         || CASE WHEN sum(t.excluded IS NOT NULL) > 0 THEN ', ' || sum(t.excluded IS NOT NULL) || ' put aside' ELSE '' END AS calls,
       avg(CASE WHEN t.counted THEN t.broken END) AS broken_share, avg(CASE WHEN t.counted THEN t.poor END) AS poor_call_share,
       s.p50 AS score_p50, s.p10 AS score_p10, u.p50 AS setup_p50_ms, u.p90 AS setup_p90_ms, c.top_cause
FROM these AS t LEFT JOIN scores AS s USING (name) LEFT JOIN setups AS u USING (name) LEFT JOIN causes AS c USING (name)
GROUP BY t.name ORDER BY t.name
