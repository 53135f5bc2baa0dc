-- Per SDK: what ran, what broke, what was poor or slow, and how was that in the baseline?
-- :run                              the run; or, where it is not given:
-- :since, :until                    its first instant and the end, ms since the epoch
-- :baseline                         the run to compare with; or
-- :baseline_since, :baseline_until  its time; where none is given: the last run accepted for the SDK
-- Shares are of the calls that ran and count; percentiles are by nearest rank.
WITH accepted AS (
  SELECT sdk, run_id FROM (
    SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC, run_id DESC) AS n
    FROM baselines WHERE run_id IS NOT :run)
  WHERE n = 1),
sliced AS (
  SELECT 'now' AS slice, coalesce(k.sdk, 'unknown') AS sdk_name, k.* FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run)
    AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
  UNION ALL
  SELECT 'baseline', coalesce(k.sdk, 'unknown'), k.* FROM judged_calls AS k
  WHERE CASE
    WHEN :baseline IS NOT NULL THEN k.run_id = :baseline
    WHEN :baseline_since IS NOT NULL THEN k.night_ms >= :baseline_since
      AND (:baseline_until IS NULL OR k.night_ms < :baseline_until)
    ELSE k.run_id = (SELECT a.run_id FROM accepted AS a WHERE a.sdk = coalesce(k.sdk, '')) END),
counts AS (
  SELECT slice, sdk_name, sum(counted) AS calls, sum(expected) AS expected,
         sum(outcome = 'missing' AND NOT unfinished AND excluded IS NULL) AS missing, sum(excluded IS NOT NULL) AS excluded,
         sum(known IS NOT NULL AND excluded IS NULL) AS known, sum(counted AND broken) AS broken,
         sum(counted AND coalesce(poor, 0)) AS poor, sum(counted AND poor IS NOT NULL) AS scored,
         sum(counted AND verdict IS 'silent' AND known IS NULL) AS silent, sum(counted AND verdict IS 'not-sent') AS not_sent,
         sum(counted AND coalesce(verdict, 'unjudged') = 'unjudged') AS no_verdict,
         sum(counted AND setup_ms > max_setup_ms) AS over_max_setup, sum(counted AND score_mean < min_score) AS under_min_score,
         avg(CASE WHEN counted THEN score_mean END) AS score_mean
  FROM sliced GROUP BY slice, sdk_name),
scores AS (
  SELECT slice, sdk_name, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.1 * n THEN v END) AS p10
  FROM (SELECT slice, sdk_name, score_mean AS v,
               row_number() OVER (PARTITION BY slice, sdk_name ORDER BY score_mean) AS k,
               count(*) OVER (PARTITION BY slice, sdk_name) AS n
        FROM sliced WHERE counted AND score_mean IS NOT NULL)
  GROUP BY slice, sdk_name),
setups AS (
  SELECT slice, sdk_name, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.9 * n THEN v END) AS p90
  FROM (SELECT slice, sdk_name, setup_ms AS v,
               row_number() OVER (PARTITION BY slice, sdk_name ORDER BY setup_ms) AS k,
               count(*) OVER (PARTITION BY slice, sdk_name) AS n
        FROM sliced WHERE counted AND setup_ms IS NOT NULL)
  GROUP BY slice, sdk_name),
figures AS (
  SELECT c.*, c.broken * 1.0 / nullif(c.calls, 0) AS broken_share, c.poor * 1.0 / nullif(c.scored, 0) AS poor_call_share,
         c.silent * 1.0 / nullif(c.calls, 0) AS silent_share, c.not_sent * 1.0 / nullif(c.calls, 0) AS not_sent_share,
         c.no_verdict * 1.0 / nullif(c.calls, 0) AS unjudged_share,
         s.p50 AS score_p50, s.p10 AS score_p10, t.p50 AS setup_p50_ms, t.p90 AS setup_p90_ms
  FROM counts AS c LEFT JOIN scores AS s ON s.slice = c.slice AND s.sdk_name = c.sdk_name
    LEFT JOIN setups AS t ON t.slice = c.slice AND t.sdk_name = c.sdk_name)
SELECT n.sdk_name AS sdk, n.calls, n.expected, n.missing, n.excluded, n.known, n.broken, n.broken_share, n.poor,
       n.poor_call_share, n.silent, n.silent_share, n.not_sent_share, n.unjudged_share, n.score_mean, n.score_p50, n.score_p10, n.setup_p50_ms, n.setup_p90_ms, n.over_max_setup,
       n.under_min_score, b.calls AS baseline_calls, b.broken_share AS baseline_broken_share,
       b.poor_call_share AS baseline_poor_call_share, b.silent_share AS baseline_silent_share, b.score_mean AS baseline_score_mean, b.score_p50 AS baseline_score_p50,
       b.score_p10 AS baseline_score_p10, b.setup_p50_ms AS baseline_setup_p50_ms, b.setup_p90_ms AS baseline_setup_p90_ms
FROM figures AS n LEFT JOIN figures AS b ON b.slice = 'baseline' AND b.sdk_name = n.sdk_name
WHERE n.slice = 'now'
ORDER BY n.sdk_name;
