-- Which calls were expected and never came?
-- :run (or :since, :until)  what is reported
SELECT coalesce(sdk, 'unknown') AS sdk, coalesce(scenario, 'without a scenario') AS scenario, count(*) AS calls,
       min(call_id) AS first_call
FROM calls
WHERE outcome = 'missing' AND (:run IS NULL OR run_id = :run) AND (:since IS NULL OR started_ms >= :since)
  AND (:until IS NULL OR started_ms < :until)
GROUP BY 1, 2 ORDER BY calls DESC, sdk, scenario
