-- Where do people who were in a call and its verdict not agree?
-- :run (or :since, :until)  what is reported
-- Ratings are the attribute `rating`, 1 to 5 (import --attributes).
SELECT CASE WHEN r.rating <= 2 THEN 'rated 1 or 2, and judged ' || k.verdict ELSE 'rated 4 or 5, and judged ' || k.verdict END AS what,
       count(*) AS calls, count(*) * 1.0 / (SELECT count(*) FROM judged_calls AS j JOIN call_attributes AS b USING (call_key)
         WHERE b.name = 'rating' AND j.counted AND (CAST(b.value AS REAL) <= 2) = (r.rating <= 2)
           AND (CAST(b.value AS REAL) <= 2 OR CAST(b.value AS REAL) >= 4)
           AND (:run IS NULL OR j.run_id = :run) AND (:since IS NULL OR j.night_ms >= :since)
           AND (:until IS NULL OR j.night_ms < :until)) AS share,
       min(k.call_id) AS call_id, avg(k.score_mean) AS score
FROM (SELECT call_key, CAST(value AS REAL) AS rating FROM call_attributes WHERE name = 'rating') AS r
JOIN judged_calls AS k USING (call_key)
WHERE k.counted AND (r.rating <= 2 AND k.verdict IN ('good', 'fair') OR r.rating >= 4 AND k.verdict IN ('poor', 'silent', 'no-picture', 'dropped'))
  AND (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
  AND (:until IS NULL OR k.night_ms < :until)
GROUP BY what ORDER BY calls DESC, what
