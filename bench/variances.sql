-- How much does a call's mean score vary between repetitions of one network condition? Both ends of a call have the
-- same impairment, so half the variance of their difference is the variance of a single end. Import recordings with
-- known impairment first, then:
--   callqa query bench/variances.sql
WITH ends AS (
  SELECT k.call_id, k.setup_ms, e.endpoint, avg(w.score) AS score
  FROM calls AS k JOIN endpoints AS e USING (call_key) JOIN windows AS w USING (endpoint_key)
  WHERE w.chosen AND w.score IS NOT NULL GROUP BY k.call_id, k.setup_ms, e.endpoint
)
SELECT a.call_id, round((a.score + b.score) / 2, 1) AS score, round(abs(a.score - b.score) / sqrt(2), 1) AS spread,
       round(a.setup_ms) AS setup_ms
FROM ends AS a JOIN ends AS b ON b.call_id = a.call_id AND a.endpoint < b.endpoint
ORDER BY a.call_id
