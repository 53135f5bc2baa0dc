-- Which calls should I open first, and why?
-- One of each kind (finding or cause) before a second of any.
-- :run (or :since, :until)  what is reported · :blocked  SDKs that a gate failed, comma-separated: their calls come first
WITH these AS (
  SELECT k.*, instr(',' || coalesce(:blocked, '') || ',', ',' || coalesce(k.sdk, 'unknown') || ',') > 0 AS blocked,
         k.call_key * 7919 % 10007 AS dealt,  -- among equals no SDK is preferred
         coalesce(f.code, CASE WHEN k.broken THEN k.outcome ELSE k.top_cause END) AS kind,
         f.text AS finding,
         CASE WHEN k.broken THEN -1 ELSE k.score_mean END AS rank
  FROM judged_calls AS k LEFT JOIN findings AS f ON f.finding_key = (
    SELECT g.finding_key FROM findings AS g WHERE g.call_key = k.call_key AND g.severity <> 'info'
    ORDER BY g.severity = 'error' DESC, g.start_ms LIMIT 1)
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted
    AND (k.broken OR k.score_mean < 90 OR k.setup_ms > 3000)
)
SELECT call_id, sdk, scenario, outcome, score_mean, score_min, setup_ms, started_ms, kind,
       coalesce(finding,
         CASE WHEN broken THEN upper(substr(outcome, 1, 1)) || substr(outcome, 2) || coalesce(': ' || end_reason, '')
                || coalesce(', expected ' || expected_outcome, '') || '.' END,
         CASE WHEN score_mean < 90 THEN 'Lost ' || CAST(round(100 - score_mean) AS INTEGER) || ' points'
                || coalesce(', most of them to ' || top_cause, '') || '; its worst window scored ' || CAST(score_min AS INTEGER) || '.' END,
         'Setup took ' || CAST(round(setup_ms / 1000.0, 1) AS TEXT) || ' s.') AS why
FROM these
ORDER BY row_number() OVER (PARTITION BY kind ORDER BY blocked DESC, rank, dealt), blocked DESC, rank, dealt
LIMIT 20
