-- How did calls get through, and what did the clients' own logs say, by SDK, trunk, carrier and site?
-- :run (or :since, :until)  what is reported
-- ASR: answered of all that were tried (ITU-T E.411). NER: those of which the network did its part, answered or not: busy, declined and
-- not answered too (E.425). ACD: how long an answered call lasted, on average. PDD: from dialling to ringing.
WITH these AS MATERIALIZED (
  SELECT k.call_key, k.outcome, k.duration_ms, k.reported_mean, k.reported_below_50_ms, k.reported_mos, k.network_out_ms,
         k.setup_ms, coalesce(k.sdk, 'unknown') AS sdk,
         (SELECT min(s.post_dial_delay_ms) FROM setups AS s JOIN endpoints AS e USING (endpoint_key)
           WHERE e.call_key = k.call_key AND s.post_dial_delay_ms IS NOT NULL) AS pdd
  FROM judged_calls AS k
  WHERE k.counted AND k.outcome NOT IN ('missing', 'unknown')
    AND (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until)
),
parts AS MATERIALIZED (
  SELECT 'SDK' AS what, sdk AS value, t.* FROM these AS t
  UNION ALL
  SELECT a.name, a.value, t.* FROM these AS t JOIN call_attributes AS a USING (call_key)
  WHERE a.name IN ('trunk', 'carrier', 'site')
),
delays AS (
  SELECT d.value ->> '$.keys[0]' AS what, d.value ->> '$.keys[1]' AS value, d.value ->> 'p50' AS p50, d.value ->> 'p90' AS p90
  FROM json_each((SELECT quantiles_by(what, value, pdd) FROM parts WHERE pdd IS NOT NULL)) AS d
),
rated AS (
  SELECT r.value ->> '$.keys[0]' AS what, r.value ->> '$.keys[1]' AS value, r.value ->> 'p50' AS p50, r.value ->> 'p10' AS p10
  FROM json_each((SELECT quantiles_by(what, value, reported_mean) FROM parts WHERE reported_mean IS NOT NULL)) AS r
),
totals AS MATERIALIZED (
  SELECT what, value, count(*) AS calls,
         avg(outcome IN ('completed', 'dropped')) AS asr,
         avg(outcome IN ('completed', 'dropped', 'busy', 'rejected', 'no-answer', 'cancelled')) AS ner,
         avg(CASE WHEN outcome IN ('completed', 'dropped') THEN duration_ms END) AS acd_ms,
         sum(coalesce(network_out_ms, 0)) * 3600.0 / nullif(sum(CASE WHEN network_out_ms IS NOT NULL
           OR outcome IN ('completed', 'dropped') THEN duration_ms END), 0) / 1000 AS out_s_per_hour,
         sum(reported_below_50_ms) * 1.0 / nullif(sum(CASE WHEN reported_mean IS NOT NULL THEN duration_ms END), 0) AS reported_low_share,
         avg(reported_mos) AS reported_mos
  FROM parts GROUP BY what, value
)
SELECT t.what, t.value, t.calls, t.asr, t.ner, t.acd_ms, d.p50 AS pdd_p50_ms, d.p90 AS pdd_p90_ms, t.out_s_per_hour,
       r.p50 AS reported_p50, r.p10 AS reported_p10, t.reported_low_share, t.reported_mos
FROM totals AS t LEFT JOIN delays AS d USING (what, value) LEFT JOIN rated AS r USING (what, value)
ORDER BY t.what = 'SDK' DESC, t.what, calls DESC, t.value
