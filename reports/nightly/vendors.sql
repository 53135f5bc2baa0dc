-- How would the thresholds that vendors publish judge the same calls?
-- Chosen inbound streams; a call counts if any of its streams does.
-- :run (or :since, :until)  what is reported
WITH calls_here AS MATERIALIZED (
  SELECT k.call_key, k.poor FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted
),
heard AS MATERIALIZED (
  SELECT k.call_key, max(s.rtt_ms) AS rtt_ms, max(s.jitter_mean_ms) AS jitter_ms, max(s.jitter_max_ms) AS jitter_max_ms,
         max(CASE WHEN s.lost > 0 THEN s.lost * 1.0 / (s.lost + s.packets) ELSE 0 END) AS loss, max(s.packets) AS packets
  FROM calls_here AS k JOIN endpoints AS e USING (call_key) JOIN streams AS s USING (endpoint_key)
  WHERE s.chosen AND s.direction = 'inbound' AND s.kind = 'audio' GROUP BY k.call_key
)
SELECT 1 AS n, 'callqa' AS who, 'poor: a tenth or more of the windows under 60' AS rule,
       sum(poor) AS calls, avg(poor) AS share FROM calls_here WHERE poor IS NOT NULL
UNION ALL SELECT 2, 'Microsoft CQD', 'audio poor: RTT > 500 ms, loss > 10 % or jitter > 30 ms, over 500 packets',
       sum(bad), avg(bad) FROM (SELECT coalesce(rtt_ms > 500, 0) OR coalesce(loss > 0.1, 0) OR coalesce(jitter_ms > 30, 0) AS bad
                                FROM heard WHERE packets > 500)
UNION ALL SELECT 3, 'Twilio tags', 'packet loss over 5 %', sum(loss > 0.05), avg(loss > 0.05) FROM heard
UNION ALL SELECT 4, 'Twilio tags', 'jitter: mean 5 ms or more and peak 30 ms or more',
       sum(jitter_ms >= 5 AND jitter_max_ms >= 30), avg(jitter_ms >= 5 AND jitter_max_ms >= 30) FROM heard
UNION ALL SELECT 5, 'Twilio tags', 'RTT over 400 ms', sum(rtt_ms > 400), avg(rtt_ms > 400) FROM heard
UNION ALL SELECT 6, 'Pexip', 'bad or terrible: loss 3 % or more', sum(loss >= 0.03), avg(loss >= 0.03) FROM heard
ORDER BY n
