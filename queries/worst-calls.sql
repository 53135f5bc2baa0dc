-- Which calls should I open first, and why?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :sdk             only this SDK
-- :limit           how many, 20 unless given
-- Broken calls that nobody knows of come first, then those with the largest share of poor windows.
SELECT k.run_id AS run, k.call_id, coalesce(k.sdk, 'unknown') AS sdk, k.scenario, k.started_ms, k.verdict, k.outcome, k.expected_outcome,
       k.score_mean, k.score_p10, k.score_min, k.poor_share, k.score_endpoint, k.top_cause, k.setup_ms, k.known,
       CASE WHEN k.known IS NOT NULL AND k.outcome IN ('dropped', 'failed') THEN 'known: ' || k.known
            WHEN k.broken AND k.verdict = 'silent' THEN 'silent' || coalesce(': ' || k.verdict_end, '') || coalesce(', ' || k.verdict_cause, '')
            WHEN k.broken AND k.expected_outcome IS NOT NULL THEN k.outcome || ', expected ' || k.expected_outcome
            WHEN k.broken THEN k.outcome || coalesce(': ' || k.end_reason, '')
            WHEN k.score_mean < k.min_score THEN 'score under ' || k.min_score
            WHEN k.setup_ms > k.max_setup_ms THEN 'setup over ' || k.max_setup_ms || ' ms'
            WHEN k.poor THEN 'poor' || coalesce(', by ' || k.top_cause, '')
            WHEN k.score_mean IS NULL THEN NULL
            ELSE coalesce('points lost by ' || k.top_cause, 'nothing lost') END AS why,
       (SELECT f.text FROM findings AS f WHERE f.call_key = k.call_key
        ORDER BY CASE f.severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, f.code, f.finding_key LIMIT 1) AS finding
FROM judged_calls AS k
WHERE k.counted AND (:sdk IS NULL OR k.sdk = :sdk)
  AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
ORDER BY k.broken DESC, k.score_mean IS NULL, coalesce(k.poor_share, 0) DESC, k.score_mean, k.setup_ms DESC, k.call_id, k.call_key
LIMIT coalesce(:limit, 20);
