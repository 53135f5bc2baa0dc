-- Which expected scenario and SDK did not arrive?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
SELECT k.run_id AS run, k.scenario, coalesce(k.sdk, 'unknown') AS sdk,
       sum(k.outcome = 'missing' AND NOT k.unfinished) AS missing, count(*) AS expected,
       group_concat(CASE WHEN k.outcome = 'missing' AND NOT k.unfinished THEN k.call_id END, ' ') AS call_ids
FROM (SELECT * FROM judged_calls ORDER BY call_id) AS k
WHERE k.expected AND k.excluded IS NULL AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
GROUP BY k.run_id, k.scenario, coalesce(k.sdk, 'unknown')
HAVING sum(k.outcome = 'missing' AND NOT k.unfinished) > 0
ORDER BY missing DESC, k.run_id, k.scenario, sdk;
