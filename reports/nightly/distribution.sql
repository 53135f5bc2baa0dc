-- How are the calls' scores spread: what share of calls scores so much or less?
-- :run (or :since, :until)  what is reported · :baseline  what it is compared with
WITH these AS (
  SELECT coalesce(sdk, 'unknown') AS who, score_mean FROM calls
  WHERE (:run IS NULL OR run_id = :run) AND (:since IS NULL OR started_ms >= :since)
    AND (:until IS NULL OR started_ms < :until) AND excluded IS NULL AND score_mean IS NOT NULL
  UNION ALL
  SELECT 'baseline, all', score_mean FROM calls WHERE run_id = :baseline AND excluded IS NULL AND score_mean IS NOT NULL
),
steps AS (
  SELECT who, CAST(score_mean + 0.999999 AS INTEGER) AS score, count(*) AS calls FROM these GROUP BY 1, 2
  UNION ALL
  SELECT DISTINCT who, 0, 0 FROM these
)
SELECT who, score, sum(calls) AS calls,
       sum(sum(calls)) OVER (PARTITION BY who ORDER BY score) * 1.0 / sum(sum(calls)) OVER (PARTITION BY who) AS share
FROM steps GROUP BY who, score ORDER BY who = 'baseline, all', who, score
