-- Where do the median and the slowest tenth of setup go, and how often is a phase absent or unknown?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :sdk             only this SDK
-- :inside          1: only phases that count in setup time; no capture, no ringing, nothing behind the connection
-- A call's setup is that of its outgoing end; where no end is known to be outgoing, of every end. An ICE restart is none.
WITH attempts AS MATERIALIZED (  -- asked once a setup, not once a phase
  SELECT a.endpoint_key, a.attempt, coalesce(k.sdk, 'unknown') AS sdk
  FROM judged_calls AS k JOIN endpoints AS e USING (call_key) JOIN setups AS a USING (endpoint_key)
  WHERE k.counted AND a.from_event IS NOT 'ice.restarted' AND (:sdk IS NULL OR k.sdk = :sdk)
    AND (a.direction = 'outgoing' OR NOT EXISTS (
      SELECT 1 FROM endpoints AS o JOIN setups AS b USING (endpoint_key)
      WHERE o.call_key = k.call_key AND b.direction = 'outgoing'))
    AND (:run IS NULL OR k.run_id = :run)
    AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)),
parts AS MATERIALIZED (
  SELECT a.sdk, p.phase, p.state, p.duration_ms
  FROM attempts AS a CROSS JOIN phases AS p ON p.endpoint_key = a.endpoint_key AND p.attempt = a.attempt
  WHERE :inside IS NULL OR p.phase IN ('gathering', 'signalling', 'push', 'negotiation', 'ice', 'dtls', 'ice+dtls')),
ranked AS (
  SELECT sdk, phase, duration_ms AS v, row_number() OVER (PARTITION BY sdk, phase ORDER BY duration_ms) AS k,
         count(*) OVER (PARTITION BY sdk, phase) AS n
  FROM parts WHERE state = 'measured'),
percentiles AS (
  SELECT sdk, phase, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50_ms, min(CASE WHEN k >= 0.9 * n THEN v END) AS p90_ms,
         max(v) AS max_ms
  FROM ranked GROUP BY sdk, phase)
SELECT p.sdk, p.phase, count(*) AS attempts, sum(p.state = 'measured') AS measured, r.p50_ms, r.p90_ms, r.max_ms,
       avg(p.state = 'absent') AS absent_share, avg(p.state = 'unknown') AS unknown_share
FROM parts AS p LEFT JOIN percentiles AS r ON r.sdk = p.sdk AND r.phase = p.phase
GROUP BY p.sdk, p.phase
ORDER BY p.sdk, CASE p.phase WHEN 'capture' THEN 0 WHEN 'gathering' THEN 1 WHEN 'signalling' THEN 2 WHEN 'push' THEN 3
  WHEN 'ringing' THEN 4 WHEN 'negotiation' THEN 5 WHEN 'ice' THEN 6 WHEN 'dtls' THEN 7 WHEN 'ice+dtls' THEN 8
  WHEN 'first-packet' THEN 9 WHEN 'first-frame' THEN 10 WHEN 'first-audio' THEN 11 ELSE 12 END;
