-- For each SDK and scenario: how did score and setup move since the baseline?
-- :run                              the run; or, where it is not given:
-- :since, :until                    its first instant and the end, ms since the epoch
-- :baseline                         the run to compare with; or
-- :baseline_since, :baseline_until  its time; where none is given: the last run accepted for the SDK
-- Means over the calls that ran and count; only pairs that both have. How sure a change is says `callqa compare`.
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
means AS (
  SELECT slice, sdk_name, scenario, count(*) AS calls, avg(score_mean) AS score_mean, avg(setup_ms) AS setup_ms,
         avg(poor_share) AS poor_share, avg(broken) AS broken_share
  FROM sliced WHERE counted GROUP BY slice, sdk_name, scenario)
SELECT n.sdk_name AS sdk, n.scenario, n.calls, b.calls AS baseline_calls, n.score_mean, b.score_mean AS baseline_score_mean,
       n.score_mean - b.score_mean AS score_change, n.setup_ms, b.setup_ms AS baseline_setup_ms,
       n.setup_ms - b.setup_ms AS setup_change_ms, n.poor_share - b.poor_share AS poor_share_change,
       n.broken_share - b.broken_share AS broken_share_change
FROM means AS n JOIN means AS b ON b.slice = 'baseline' AND b.sdk_name = n.sdk_name AND b.scenario IS n.scenario
WHERE n.slice = 'now'
ORDER BY score_change IS NULL, score_change, n.sdk_name, n.scenario;
