-- Which calls did not do what their manifest expects?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :unmet           1: only those
-- :came            1: without those that never came
-- A row for each call that a manifest names; `trouble` is NULL where all went as expected. Known failures and calls put aside are told apart.
SELECT * FROM (
SELECT k.call_id, coalesce(k.sdk, 'unknown') AS sdk, k.scenario, k.outcome, k.expected_outcome, k.score_mean, k.min_score, k.setup_ms,
       k.max_setup_ms, k.duration_ms, k.excluded, k.known,
       CASE WHEN k.unjudged THEN 'not judged yet: import again'
            WHEN k.outcome = 'missing' THEN 'never came'
            WHEN k.outcome <> coalesce(k.expected_outcome, 'completed')
              THEN k.outcome || coalesce(' (' || coalesce(k.end_reason, k.end_code) || ')', '')
                || ', expected ' || coalesce(k.expected_outcome, 'completed')
            WHEN k.score_mean < k.min_score THEN 'scored ' || round(k.score_mean, 1) || ', expected ' || k.min_score || ' or more'
            WHEN k.setup_ms > k.max_setup_ms
              THEN 'took ' || CAST(k.setup_ms AS INTEGER) || ' ms to set up, expected ' || CAST(k.max_setup_ms AS INTEGER) || ' or less'
       END AS trouble
FROM judged_calls AS k
WHERE k.expected AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
)
WHERE (:unmet IS NULL OR trouble IS NOT NULL) AND (:came IS NULL OR trouble IS NOT 'never came')
ORDER BY sdk, call_id;
