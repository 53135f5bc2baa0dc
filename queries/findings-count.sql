-- Which findings are new, gone, or more frequent than in the baseline?
-- :run                              the run; or, where it is not given:
-- :since, :until                    its first instant and the end, ms since the epoch
-- :baseline                         the run to compare with; or
-- :baseline_since, :baseline_until  its time; where none is given: the last run accepted for the SDK
-- Shares are of the SDK's calls that ran and count; `more` and `fewer` take a change of half as much again.
WITH accepted AS (
  SELECT sdk, run_id FROM (
    SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC, run_id DESC) AS n
    FROM baselines WHERE run_id IS NOT :run)
  WHERE n = 1),
sliced AS MATERIALIZED (
  SELECT 'now' AS slice, coalesce(k.sdk, 'unknown') AS sdk_name, k.call_key, k.call_id, k.counted FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run)
    AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
  UNION ALL
  SELECT 'baseline', coalesce(k.sdk, 'unknown'), k.call_key, k.call_id, k.counted FROM judged_calls AS k
  WHERE CASE
    WHEN :baseline IS NOT NULL THEN k.run_id = :baseline
    WHEN :baseline_since IS NOT NULL THEN k.night_ms >= :baseline_since
      AND (:baseline_until IS NULL OR k.night_ms < :baseline_until)
    ELSE k.run_id = (SELECT a.run_id FROM accepted AS a WHERE a.sdk = coalesce(k.sdk, '')) END),
totals AS (SELECT slice, sdk_name, sum(counted) AS calls FROM sliced GROUP BY slice, sdk_name),
found AS (
  SELECT s.slice, s.sdk_name, f.code, count(DISTINCT s.call_key) AS calls, min(s.call_id) AS example,
         min(CASE f.severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END) AS rank
  FROM sliced AS s JOIN findings AS f USING (call_key) WHERE s.counted GROUP BY s.slice, s.sdk_name, f.code),
codes AS (SELECT DISTINCT sdk_name, code FROM found)
SELECT c.sdk_name AS sdk, c.code, CASE min(coalesce(n.rank, 2), coalesce(b.rank, 2)) WHEN 0 THEN 'error' WHEN 1 THEN 'warning'
         ELSE 'info' END AS severity,
       coalesce(n.calls, 0) AS calls, coalesce(n.calls, 0) * 1.0 / nullif(tn.calls, 0) AS share,
       CASE WHEN tb.calls IS NOT NULL THEN coalesce(b.calls, 0) END AS baseline_calls,
       coalesce(b.calls, 0) * 1.0 / nullif(tb.calls, 0) AS baseline_share,
       CASE WHEN coalesce(tb.calls, 0) = 0 OR coalesce(tn.calls, 0) = 0 THEN NULL WHEN b.calls IS NULL THEN 'new' WHEN n.calls IS NULL THEN 'gone'
            WHEN n.calls * 1.0 / tn.calls >= 1.5 * b.calls / tb.calls THEN 'more'
            WHEN 1.5 * n.calls / tn.calls <= b.calls * 1.0 / tb.calls THEN 'fewer' ELSE 'same' END AS change,
       coalesce(n.example, b.example) AS example
FROM codes AS c LEFT JOIN found AS n ON n.slice = 'now' AND n.sdk_name = c.sdk_name AND n.code = c.code
  LEFT JOIN found AS b ON b.slice = 'baseline' AND b.sdk_name = c.sdk_name AND b.code = c.code
  LEFT JOIN totals AS tn ON tn.slice = 'now' AND tn.sdk_name = c.sdk_name
  LEFT JOIN totals AS tb ON tb.slice = 'baseline' AND tb.sdk_name = c.sdk_name
ORDER BY CASE change WHEN 'new' THEN 0 WHEN 'more' THEN 1 WHEN 'gone' THEN 3 ELSE 2 END, calls DESC, sdk, c.code;
