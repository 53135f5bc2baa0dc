-- Which calls does callqa judge at odds with itself?
-- Each row is a fault of callqa: please report it.
-- The figures of a whole call name no time that was bad: a poor call by them is none.
-- Less than 5 points to loss without a lost packet are none: browsers count no packet of a gap of a second or two.
-- :run             the run; NULL: all calls
-- :since, :until   its first instant and the end, ms since the epoch; NULL: all
WITH these AS MATERIALIZED (
  SELECT k.call_key, k.call_id, k.run_id, k.verdict_judged AS verdict, k.verdict_rule, k.score_mean, k.lost_loss, k.score_endpoint
  FROM judged_calls AS k
  WHERE k.verdict_judged IS NOT NULL AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)),
times AS MATERIALIZED (  -- what became of a medium at an end; missed is what was meant for the listener
  SELECT n.call_key, n.endpoint_key, n.endpoint, f.far_end, f.medium, f.what, f.start_ms, f.end_ms, f.end_ms - f.start_ms AS length_ms,
         f.what IN ('lost', 'silent-source', 'not-played', 'undecodable', 'not-forwarded') OR f.rule = 'not-sent-though-due' AS missed,
         f.what NOT IN ('not-due', 'unknown', 'paused') AS due
  FROM fates AS f JOIN endpoints AS n USING (endpoint_key) JOIN these USING (call_key)),
shares AS (
  SELECT call_key, max(share) AS share FROM (
    SELECT call_key, sum(CASE WHEN missed THEN length_ms ELSE 0 END) / nullif(sum(CASE WHEN due THEN length_ms ELSE 0 END), 0) AS share
    FROM times GROUP BY endpoint_key, far_end, medium) GROUP BY call_key),
over AS (  -- when the last end of a call was over
  SELECT v.call_key, max(e.t_ms) AS over_ms FROM source_views AS v JOIN events AS e USING (connection_key)
  WHERE e.event IN ('call.ended', 'call.dropped') GROUP BY v.call_key)
SELECT k.call_id, k.run_id AS run, k.verdict, c.contradiction FROM these AS k JOIN (
  SELECT k.call_key, printf('silent, with a mean score of %.0f where %.0f %% was missed', score_mean, 100 * share) AS contradiction
  FROM these AS k JOIN shares USING (call_key) WHERE verdict = 'silent' AND score_mean > 125 - 100 * coalesce(share, 0)
  UNION ALL
  SELECT call_key, verdict || ', and nothing says when' FROM these AS k
  WHERE verdict IN ('silent', 'no-picture') AND NOT EXISTS (SELECT 1 FROM times AS f WHERE f.call_key = k.call_key AND f.missed)
    OR verdict = 'not-sent' AND NOT EXISTS (SELECT 1 FROM times AS f WHERE f.call_key = k.call_key AND f.what = 'not-sent')
  UNION ALL
  SELECT call_key, 'poor, and nothing was missed or impaired' FROM these AS k
  WHERE verdict = 'poor' AND NOT (verdict_rule IS 'loss-in-figures' AND score_mean IS NULL) AND NOT EXISTS (SELECT 1 FROM times AS f WHERE f.call_key = k.call_key AND f.missed)
    AND NOT EXISTS (SELECT 1 FROM impairments JOIN endpoints AS n USING (endpoint_key) WHERE n.call_key = k.call_key)
    AND NOT EXISTS (SELECT 1 FROM findings AS f WHERE f.call_key = k.call_key AND (f.code = 'remote-loss' OR f.severity = 'error'))
  UNION ALL
  SELECT call_key, verdict || ', beside an error: ' || min(f.code) FROM these JOIN findings AS f USING (call_key)
  WHERE verdict IN ('good', 'fair') AND f.severity = 'error' GROUP BY call_key
  UNION ALL
  SELECT call_key, 'not sent, with points to loss' FROM these WHERE verdict = 'not-sent' AND lost_loss > 1
  UNION ALL
  SELECT n.call_key, n.endpoint || ' is ' || n.verdict || ', and missed ' || round(sum(length_ms) / 1000) || ' s'
  FROM these JOIN endpoints AS n USING (call_key) JOIN times AS f USING (endpoint_key)
  WHERE n.verdict IN ('good', 'fair') AND f.missed AND NOT f.far_end AND f.length_ms >= 10000 AND f.medium = 'audio' GROUP BY n.endpoint_key
  UNION ALL
  SELECT f.call_key, 'something was missed after the end' FROM times AS f JOIN over USING (call_key)
  WHERE f.missed AND f.end_ms > over_ms + 3000 AND f.start_ms > over_ms GROUP BY f.call_key
  UNION ALL
  SELECT n.call_key, n.endpoint || ' lost no packet, and points to loss' FROM these JOIN endpoints AS n USING (call_key)
  WHERE (SELECT avg(w.lost_loss) FROM windows AS w WHERE w.endpoint_key = n.endpoint_key AND w.chosen AND w.score IS NOT NULL) >= 5
    AND NOT EXISTS (SELECT 1 FROM times AS f WHERE f.endpoint_key = n.endpoint_key AND NOT f.far_end AND f.what = 'lost')
    AND (SELECT sum(abs(coalesce(s.lost, 1))) FROM streams AS s WHERE s.endpoint_key = n.endpoint_key AND s.chosen AND s.direction = 'inbound') = 0
) AS c USING (call_key)
ORDER BY k.run_id, k.call_id, c.contradiction;
