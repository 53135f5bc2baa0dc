-- Where does setup time go: p50 and p90 of each phase, and how often was it absent or unknown?
-- :run (or :since, :until)  what is reported
WITH these AS (
  SELECT coalesce(k.sdk, 'unknown') AS sdk, p.phase, p.state, p.duration_ms
  FROM calls AS k JOIN endpoints AS e USING (call_key) JOIN phases AS p USING (endpoint_key)
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.started_ms >= :since)
    AND (:until IS NULL OR k.started_ms < :until) AND k.excluded IS NULL AND p.attempt = 1
),
ranked AS (
  SELECT sdk, phase, state, duration_ms, row_number() OVER w AS k, count(duration_ms) OVER (PARTITION BY sdk, phase) AS n
  FROM these WINDOW w AS (PARTITION BY sdk, phase, state ORDER BY duration_ms)
)
SELECT sdk, phase,
       min(CASE WHEN state = 'measured' AND k >= 0.5 * n THEN duration_ms END) AS p50_ms,
       min(CASE WHEN state = 'measured' AND k >= 0.9 * n THEN duration_ms END) AS p90_ms,
       sum(state = 'measured') AS measured, sum(state = 'absent') AS absent, sum(state = 'unknown') AS unknown
FROM ranked
GROUP BY sdk, phase
ORDER BY sdk, instr('capture,gathering,signalling,ringing,negotiation,ice,dtls,ice+dtls,first-packet,first-frame,first-audio', phase)
