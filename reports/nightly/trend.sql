-- How did the share of poor calls, p10 of the score and p90 of setup move over the last 14 runs?
-- :run  the last of them
WITH nights AS (
  SELECT r.run_id, r.started_ms FROM runs AS r JOIN runs AS this ON this.run_id = :run
  WHERE r.started_ms <= this.started_ms ORDER BY r.started_ms DESC LIMIT 14
),
ranked AS (
  SELECT n.run_id, n.started_ms, coalesce(k.sdk, 'unknown') AS sdk, k.poor_share, k.score_mean, k.setup_ms,
         row_number() OVER (PARTITION BY n.run_id, k.sdk ORDER BY k.score_mean IS NULL, k.score_mean) AS score_k,
         count(k.score_mean) OVER (PARTITION BY n.run_id, k.sdk) AS score_n,
         row_number() OVER (PARTITION BY n.run_id, k.sdk ORDER BY k.setup_ms IS NULL, k.setup_ms) AS setup_k,
         count(k.setup_ms) OVER (PARTITION BY n.run_id, k.sdk) AS setup_n
  FROM nights AS n JOIN calls AS k ON k.run_id = n.run_id WHERE k.excluded IS NULL AND k.outcome <> 'missing'
)
SELECT run_id, sdk, count(*) AS calls, avg(poor_share >= 0.1) AS poor_share,
       min(CASE WHEN score_k >= 0.1 * score_n THEN score_mean END) AS score_p10,
       min(CASE WHEN setup_k >= 0.9 * setup_n THEN setup_ms END) AS setup_p90_ms
FROM ranked GROUP BY run_id, sdk ORDER BY min(started_ms), sdk
