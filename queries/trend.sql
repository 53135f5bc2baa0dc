-- How did the share of poor calls, the worst tenth of scores and the slowest tenth of setups move over the last nights?
-- `reported_mean` is what clients said of their own quality, 0 to 100, and no score of ours.
-- :until    look back from here, ms since the epoch
-- :sdk      only this SDK
-- :nights   how many nights, 14 unless given
-- :zone     the offsets of the reader's clocks, [[from when, how far ahead of UTC], …] in ms, in order; UTC where not given
-- A night is a run; calls without a run belong to the night that began at noon by those clocks.
WITH offsets AS MATERIALIZED (  -- before the first, its offset held too
  SELECT CASE WHEN z.key = 0 THEN -9e18 ELSE json_extract(z.value, '$[0]') END AS from_ms, json_extract(z.value, '$[1]') AS ahead_ms
  FROM json_each(coalesce(:zone, '[[0,0]]')) AS z),
dated AS MATERIALIZED (
  SELECT call_key, night_ms, coalesce(run_id, date((night_ms + coalesce(
      (SELECT ahead_ms FROM offsets WHERE from_ms <= night_ms ORDER BY from_ms DESC LIMIT 1), 0)) / 1000.0 - 43200, 'unixepoch')) AS night
  FROM judged_calls),
nights AS (
  SELECT night, min(night_ms) AS started_ms FROM dated WHERE (:until IS NULL OR night_ms < :until)
  GROUP BY 1 HAVING night IS NOT NULL ORDER BY started_ms DESC, night DESC LIMIT coalesce(:nights, 14)),
sliced AS (
  SELECT n.night, n.started_ms AS night_started_ms, coalesce(k.sdk, 'unknown') AS sdk_name, k.*
  FROM nights AS n JOIN dated AS d USING (night) JOIN judged_calls AS k USING (call_key)
  WHERE (:sdk IS NULL OR k.sdk = :sdk)),
scores AS (
  SELECT night, sdk_name, min(CASE WHEN k >= 0.1 * n THEN v END) AS p10, min(CASE WHEN k >= 0.5 * n THEN v END) AS p50
  FROM (SELECT night, sdk_name, score_mean AS v, row_number() OVER (PARTITION BY night, sdk_name ORDER BY score_mean) AS k,
               count(*) OVER (PARTITION BY night, sdk_name) AS n
        FROM sliced WHERE counted AND score_mean IS NOT NULL)
  GROUP BY night, sdk_name),
setups AS (
  SELECT night, sdk_name, min(CASE WHEN k >= 0.9 * n THEN v END) AS p90
  FROM (SELECT night, sdk_name, setup_ms AS v, row_number() OVER (PARTITION BY night, sdk_name ORDER BY setup_ms) AS k,
               count(*) OVER (PARTITION BY night, sdk_name) AS n
        FROM sliced WHERE counted AND setup_ms IS NOT NULL)
  GROUP BY night, sdk_name)
SELECT s.night, s.night_started_ms AS started_ms, s.sdk_name AS sdk, sum(s.counted) AS calls,
       sum(s.outcome = 'missing' AND NOT s.unfinished AND s.excluded IS NULL) AS missing,
       avg(CASE WHEN s.counted THEN s.broken END) AS broken_share, avg(CASE WHEN s.counted THEN s.poor END) AS poor_call_share,
       avg(CASE WHEN s.counted THEN s.score_mean END) AS score_mean, c.p50 AS score_p50, c.p10 AS score_p10,
       t.p90 AS setup_p90_ms, avg(CASE WHEN s.counted THEN s.reported_mean END) AS reported_mean
FROM sliced AS s LEFT JOIN scores AS c ON c.night = s.night AND c.sdk_name = s.sdk_name
  LEFT JOIN setups AS t ON t.night = s.night AND t.sdk_name = s.sdk_name
GROUP BY s.night, s.sdk_name
ORDER BY s.night_started_ms, s.night, s.sdk_name;
