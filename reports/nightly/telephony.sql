-- How did calls get through, and what did the clients' own logs say, by SDK, trunk, carrier and site?
-- :run (or :since, :until)  what is reported
-- ASR: answered of all that were tried (ITU-T E.411). NER: those of which the network did its part, answered or not: busy, declined and
-- not answered too (E.425). ACD: how long an answered call lasted, on average. PDD: from dialling to ringing.
WITH these AS (
  SELECT k.call_key, k.outcome, k.duration_ms, k.reported_mean, k.reported_below_50_ms, k.reported_mos, k.network_out_ms,
         k.setup_ms, coalesce(k.sdk, 'unknown') AS sdk,
         (SELECT min(s.post_dial_delay_ms) FROM setups AS s JOIN endpoints AS e USING (endpoint_key)
           WHERE e.call_key = k.call_key AND s.post_dial_delay_ms IS NOT NULL) AS pdd
  FROM judged_calls AS k
  WHERE k.counted AND k.outcome NOT IN ('missing', 'unknown')
    AND (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until)
),
parts AS (
  SELECT 'SDK' AS what, sdk AS value, t.* FROM these AS t
  UNION ALL
  SELECT a.name, a.value, t.* FROM these AS t JOIN call_attributes AS a USING (call_key)
  WHERE a.name IN ('trunk', 'carrier', 'site')
),
delays AS (
  SELECT what, value, min(CASE WHEN k >= 0.5 * n THEN pdd END) AS p50, min(CASE WHEN k >= 0.9 * n THEN pdd END) AS p90
  FROM (SELECT what, value, pdd, row_number() OVER (PARTITION BY what, value ORDER BY pdd) AS k,
               count(*) OVER (PARTITION BY what, value) AS n FROM parts WHERE pdd IS NOT NULL)
  GROUP BY what, value
),
rated AS (
  SELECT what, value, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50, min(CASE WHEN k >= 0.1 * n THEN v END) AS p10
  FROM (SELECT what, value, reported_mean AS v, row_number() OVER (PARTITION BY what, value ORDER BY reported_mean) AS k,
               count(*) OVER (PARTITION BY what, value) AS n FROM parts WHERE reported_mean IS NOT NULL)
  GROUP BY what, value
)
SELECT p.what, p.value, count(*) AS calls,
       avg(p.outcome IN ('completed', 'dropped')) AS asr,
       avg(p.outcome IN ('completed', 'dropped', 'busy', 'rejected', 'no-answer', 'cancelled')) AS ner,
       avg(CASE WHEN p.outcome IN ('completed', 'dropped') THEN p.duration_ms END) AS acd_ms,
       d.p50 AS pdd_p50_ms, d.p90 AS pdd_p90_ms,
       sum(coalesce(p.network_out_ms, 0)) * 3600.0 / nullif(sum(CASE WHEN p.network_out_ms IS NOT NULL
         OR p.outcome IN ('completed', 'dropped') THEN p.duration_ms END), 0) / 1000 AS out_s_per_hour,
       r.p50 AS reported_p50, r.p10 AS reported_p10,
       sum(p.reported_below_50_ms) * 1.0 / nullif(sum(CASE WHEN p.reported_mean IS NOT NULL THEN p.duration_ms END), 0) AS reported_low_share,
       avg(p.reported_mos) AS reported_mos
FROM parts AS p LEFT JOIN delays AS d USING (what, value) LEFT JOIN rated AS r USING (what, value)
GROUP BY p.what, p.value
ORDER BY p.what = 'SDK' DESC, p.what, calls DESC, p.value
