-- How did calls fail or drop, by code, in words and by what was found wrong?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- A call that was meant to end so (`expected_outcome`) is no failure. Shares are of the SDK's calls that ran and count.
SELECT coalesce(k.sdk, 'unknown') AS sdk, k.outcome, k.end_code, k.end_reason, k.finding, sum(k.broken) AS calls,
       sum(k.broken) * 1.0 / (SELECT nullif(count(*), 0) FROM judged_calls AS a
         WHERE a.counted AND a.sdk IS k.sdk AND (:run IS NULL OR a.run_id = :run)
           AND (:since IS NULL OR a.night_ms >= :since) AND (:until IS NULL OR a.night_ms < :until)) AS share,
       sum(k.known IS NOT NULL) AS known, min(k.call_id) AS example
FROM (SELECT j.*, (SELECT min(f.code) FROM findings AS f
        WHERE f.call_key = j.call_key AND f.severity = 'error' AND f.code <> 'no-media') AS finding
      FROM judged_calls AS j) AS k
WHERE k.counted AND (k.broken OR k.known IS NOT NULL)
  AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
GROUP BY k.sdk, k.outcome, k.end_code, k.end_reason, k.finding
ORDER BY calls DESC, sdk, k.outcome, k.end_code, k.end_reason, k.finding;
