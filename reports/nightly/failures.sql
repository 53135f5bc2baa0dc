-- How did calls fail, drop or end otherwise than expected, in words?
-- :run (or :since, :until)  what is reported
SELECT coalesce(sdk, 'unknown') AS sdk, outcome, coalesce(expected_outcome, 'completed') AS expected, end_code, end_reason,
       count(*) AS calls, sum(known IS NOT NULL) AS known, min(call_id) AS example
FROM calls
WHERE (:run IS NULL OR run_id = :run) AND (:since IS NULL OR started_ms >= :since)
  AND (:until IS NULL OR started_ms < :until) AND excluded IS NULL AND outcome <> 'missing'
  AND CASE WHEN expected_outcome IS NOT NULL THEN outcome <> expected_outcome ELSE outcome NOT IN ('completed', 'unknown') END
GROUP BY 1, 2, 3, 4, 5 ORDER BY calls DESC, sdk, outcome
