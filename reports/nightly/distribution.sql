-- How are the calls' scores spread: what share of calls scores so much or less?
-- :run (or :since, :until)  what is reported
-- :baseline (or :baseline_since, :baseline_until)  what it is compared with; else the run accepted last for each SDK
WITH accepted AS (
  SELECT sdk, run_id FROM (
    SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC, run_id DESC) AS n
    FROM baselines WHERE run_id IS NOT :run)
  WHERE n = 1
),
these AS (
  SELECT coalesce(k.sdk, 'unknown') AS who, k.score_mean FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted AND k.score_mean IS NOT NULL
  UNION ALL
  SELECT 'baseline, all', k.score_mean FROM judged_calls AS k
  WHERE k.counted AND k.score_mean IS NOT NULL AND CASE
    WHEN :baseline IS NOT NULL THEN k.run_id = :baseline
    WHEN :baseline_since IS NOT NULL THEN k.night_ms >= :baseline_since AND (:baseline_until IS NULL OR k.night_ms < :baseline_until)
    ELSE k.run_id = (SELECT a.run_id FROM accepted AS a WHERE a.sdk = coalesce(k.sdk, '')) END
),
steps AS (
  SELECT who, CAST(score_mean + 0.999999 AS INTEGER) AS score, count(*) AS calls FROM these GROUP BY 1, 2
  UNION ALL
  SELECT DISTINCT who, 0, 0 FROM these
)
SELECT who, score, sum(calls) AS calls,
       sum(sum(calls)) OVER (PARTITION BY who ORDER BY score) * 1.0 / sum(sum(calls)) OVER (PARTITION BY who) AS share
FROM steps GROUP BY who, score ORDER BY who = 'baseline, all', who, score
