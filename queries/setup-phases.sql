-- Where do the median and the slowest tenth of setup go, and how often is a phase absent or unknown?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :sdk             only this SDK
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
tallied AS MATERIALIZED (  -- a row for each SDK, phase and state
  SELECT t.value ->> '$.keys[0]' AS sdk, t.value ->> '$.keys[1]' AS phase, t.value ->> '$.keys[2]' AS state,
         t.value ->> 'rows' AS attempts, t.value ->> 'p50' AS p50_ms, t.value ->> 'p90' AS p90_ms, t.value ->> 'max' AS max_ms
  FROM json_each((
    SELECT quantiles_by(a.sdk, p.phase, p.state, p.duration_ms)
    FROM attempts AS a CROSS JOIN phases AS p ON p.endpoint_key = a.endpoint_key AND p.attempt = a.attempt)) AS t)
SELECT p.sdk, p.phase, sum(p.attempts) AS attempts,
       coalesce(sum(p.attempts) FILTER (WHERE p.state = 'measured'), 0) AS measured, max(p.p50_ms) AS p50_ms, max(p.p90_ms) AS p90_ms,
       max(p.max_ms) AS max_ms,
       coalesce(sum(p.attempts) FILTER (WHERE p.state = 'absent'), 0) * 1.0 / sum(p.attempts) AS absent_share,
       coalesce(sum(p.attempts) FILTER (WHERE p.state = 'unknown'), 0) * 1.0 / sum(p.attempts) AS unknown_share
FROM tallied AS p
GROUP BY p.sdk, p.phase
ORDER BY p.sdk, CASE p.phase WHEN 'capture' THEN 0 WHEN 'gathering' THEN 1 WHEN 'signalling' THEN 2 WHEN 'push' THEN 3
  WHEN 'ringing' THEN 4 WHEN 'negotiation' THEN 5 WHEN 'ice' THEN 6 WHEN 'dtls' THEN 7 WHEN 'ice+dtls' THEN 8
  WHEN 'first-packet' THEN 9 WHEN 'first-frame' THEN 10 WHEN 'first-audio' THEN 11 ELSE 12 END;
