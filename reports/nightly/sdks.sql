-- What did each SDK do in this run?
-- :run (or :since, :until)  what is reported
WITH these AS (
  SELECT coalesce(k.sdk, 'unknown') AS name, k.* FROM calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.started_ms >= :since)
    AND (:until IS NULL OR k.started_ms < :until)
),
ran AS (SELECT * FROM these WHERE excluded IS NULL AND outcome <> 'missing'),
scores AS (
  SELECT name, score_mean AS v, row_number() OVER (PARTITION BY name ORDER BY score_mean) AS k,
         count(*) OVER (PARTITION BY name) AS n
  FROM ran WHERE score_mean IS NOT NULL
),
setups AS (
  SELECT name, setup_ms AS v, row_number() OVER (PARTITION BY name ORDER BY setup_ms) AS k,
         count(*) OVER (PARTITION BY name) AS n
  FROM ran WHERE setup_ms IS NOT NULL
),
score_ranks AS (
  SELECT name, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.1 * n THEN v END) AS p10
  FROM scores GROUP BY name
),
setup_ranks AS (
  SELECT name, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.9 * n THEN v END) AS p90
  FROM setups GROUP BY name
),
nights AS (
  SELECT r.run_id, r.started_ms FROM runs AS r JOIN runs AS this ON this.run_id = :run
  WHERE r.started_ms <= this.started_ms ORDER BY r.started_ms DESC LIMIT 14
),
trend AS (
  SELECT name, group_concat(coalesce(round(100.0 * poor, 2), ''), ',') AS poor_trend FROM (
    SELECT coalesce(k.sdk, 'unknown') AS name, avg(k.poor_share >= 0.1) AS poor
    FROM nights AS n JOIN calls AS k ON k.run_id = n.run_id
    WHERE k.excluded IS NULL AND k.outcome <> 'missing'
    GROUP BY name, n.run_id ORDER BY name, min(n.started_ms)
  ) GROUP BY name
),
causes AS (
  SELECT name, CASE max(avg(lost_loss), avg(lost_jitter), avg(lost_delay), avg(lost_freeze), avg(lost_framerate),
                        avg(lost_resolution), avg(lost_bitrate))
    WHEN 0 THEN NULL WHEN avg(lost_loss) THEN 'loss' WHEN avg(lost_jitter) THEN 'jitter' WHEN avg(lost_delay) THEN 'delay'
    WHEN avg(lost_freeze) THEN 'freeze' WHEN avg(lost_framerate) THEN 'framerate'
    WHEN avg(lost_resolution) THEN 'resolution' WHEN avg(lost_bitrate) THEN 'bitrate' END AS top_cause
  FROM ran GROUP BY name
)
SELECT t.name AS sdk,
       sum(t.excluded IS NULL AND t.outcome <> 'missing') AS ran,
       sum(t.excluded IS NULL) AS expected,
       sum(t.excluded IS NOT NULL) AS excluded,
       sum(t.excluded IS NULL AND t.outcome <> 'missing') || ' of ' || sum(t.excluded IS NULL)
         || CASE WHEN sum(t.excluded IS NOT NULL) > 0 THEN ', ' || sum(t.excluded IS NOT NULL) || ' put aside' ELSE '' END AS calls,
       avg(CASE WHEN t.excluded IS NULL AND t.outcome <> 'missing' THEN
         CASE WHEN t.known IS NOT NULL THEN 0 WHEN t.expected_outcome IS NOT NULL THEN t.outcome <> t.expected_outcome
              ELSE t.outcome IN ('dropped', 'failed') END END) AS broken_share,
       avg(CASE WHEN t.excluded IS NULL AND t.outcome <> 'missing' THEN t.poor_share >= 0.1 END) AS poor_share,
       s.p50 AS score_p50, s.p10 AS score_p10, u.p50 AS setup_p50_ms, u.p90 AS setup_p90_ms,
       d.poor_trend, c.top_cause
FROM these AS t LEFT JOIN score_ranks AS s USING (name) LEFT JOIN setup_ranks AS u USING (name)
  LEFT JOIN trend AS d USING (name) LEFT JOIN causes AS c USING (name)
GROUP BY t.name ORDER BY t.name
