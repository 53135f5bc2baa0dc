-- Which calls did not do what their manifest expects?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :unmet           0: also those that did
-- :came            1: without those that never came
-- A row for each such call; `trouble` names all that was expected and did not come true, and is NULL where all did. Known failures and calls
-- put aside are told apart.
SELECT * FROM (
SELECT k.call_id, coalesce(k.sdk, 'unknown') AS sdk, k.scenario, k.outcome, k.verdict, k.place, k.expected_outcome, k.score_mean, k.min_score, k.setup_ms,
       k.max_setup_ms, k.duration_ms, k.excluded, k.known,
       CASE WHEN k.unfinished THEN 'not judged yet: import again' WHEN k.unjudgeable THEN 'cannot be judged'
            WHEN k.outcome = 'missing' THEN 'never came'
            ELSE nullif(substr(
              CASE WHEN k.outcome <> coalesce(k.expected_outcome, 'completed')
                THEN '; ' || k.outcome || coalesce(' (' || coalesce(k.end_reason, k.end_code) || ')', '')
                  || ', expected ' || coalesce(k.expected_outcome, 'completed') ELSE '' END
              || CASE WHEN k.verdict = 'silent' AND k.outcome = coalesce(k.expected_outcome, 'completed')
                THEN '; silent' || coalesce(' (' || k.verdict_cause || ')', '') ELSE '' END
              || CASE WHEN k.score_mean < k.min_score
                THEN '; scored ' || round(k.score_mean, 1) || ', expected ' || k.min_score || ' or more' ELSE '' END
              || CASE WHEN k.score_mean IS NULL AND k.min_score IS NOT NULL AND k.outcome = 'completed'
                THEN '; has no score, expected ' || k.min_score || ' or more' ELSE '' END
              || CASE WHEN k.setup_ms > k.max_setup_ms
                THEN '; took ' || CAST(k.setup_ms AS INTEGER) || ' ms to set up, expected ' || CAST(k.max_setup_ms AS INTEGER)
                  || ' or less' ELSE '' END, 3), '')
       END AS trouble
FROM judged_calls AS k
WHERE k.expected AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
)
WHERE (:unmet = 0 OR trouble IS NOT NULL) AND (:came IS NULL OR trouble IS NOT 'never came')
ORDER BY sdk, call_id;
