-- Who could not get in: logins, registrations, tokens and pushes, by how they went and why?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
WITH tries AS MATERIALIZED (
  SELECT t.*, coalesce(t.sdk, 'unknown') AS who FROM sessions AS t JOIN sources AS s USING (source_id)
  WHERE (:run IS NULL OR s.run_id = :run) AND (:since IS NULL OR coalesce(t.started_ms, s.imported_ms) >= :since)
    AND (:until IS NULL OR coalesce(t.started_ms, s.imported_ms) < :until)
)
SELECT who AS sdk, kind, code, reason, sum(outcome = 'failed') AS failed, sum(outcome = 'failed') * 1.0 / (
         SELECT count(*) FROM tries AS a WHERE a.who = t.who AND a.kind = t.kind) AS share, min(path) AS example
FROM tries AS t WHERE outcome = 'failed'
GROUP BY who, kind, code, reason
ORDER BY failed DESC, sdk, kind, code, reason;
