-- Which calls should I open first, and why?
-- First what the first sentences tell of (:news), some of each; then one of each way to break that the SDK's baseline had none
-- of. Then one of each kind (finding or cause) before a second of any; where a gate blocks, first those that fell farthest
-- below what their scenario scored in the baseline.
-- :news  keys of the calls that the first sentences tell of: a JSON array with an array a sentence, those to open first in front
-- :late  which of them the others may explain, such as low percentiles of the score: opened after two calls of each other
-- :slow  which of them tell of setup times: a JSON array of their places, 0 being the first
-- :run (or :since, :until)  what is reported · :blocked  SDKs that a gate failed, comma-separated: their calls come first
-- :baseline (or :baseline_since, :baseline_until)  what it is compared with; else the run accepted last for each SDK
WITH accepted AS (
  SELECT sdk, run_id FROM (
    SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC, run_id DESC) AS n
    FROM baselines WHERE run_id IS NOT :run)
  WHERE n = 1
),
base AS MATERIALIZED (
  SELECT k.call_key, k.sdk, k.scenario, k.score_mean, k.setup_ms, k.broken, k.verdict, k.outcome, k.end_code FROM judged_calls AS k
  WHERE k.counted AND CASE
      WHEN :baseline IS NOT NULL THEN k.run_id = :baseline
      WHEN :baseline_since IS NOT NULL THEN k.night_ms >= :baseline_since AND (:baseline_until IS NULL OR k.night_ms < :baseline_until)
      ELSE k.run_id = (SELECT a.run_id FROM accepted AS a WHERE a.sdk = coalesce(k.sdk, '')) END
),
before AS MATERIALIZED (  -- how many calls broke in which way, and of how many
  SELECT sdk, kind, count(*) AS calls FROM (
    SELECT b.sdk, coalesce((SELECT g.code FROM findings AS g WHERE g.call_key = b.call_key AND g.severity <> 'info'
      ORDER BY g.severity = 'error' DESC, g.start_ms LIMIT 1), coalesce(b.verdict, b.outcome) || coalesce(' ' || b.end_code, '')) AS kind
    FROM base AS b WHERE b.broken)
  GROUP BY sdk, kind
),
sizes AS MATERIALIZED (SELECT sdk, count(*) AS calls FROM base GROUP BY sdk),
levels AS MATERIALIZED (
  SELECT k.sdk, k.scenario, avg(k.score_mean) AS level, avg(k.setup_ms) AS setup FROM base AS k
  WHERE (instr(',' || coalesce(:blocked, '') || ',', ',' || coalesce(k.sdk, 'unknown') || ',') > 0
      OR k.sdk IN (SELECT c.sdk FROM calls AS c WHERE c.call_key IN (SELECT c.value FROM json_each(coalesce(:news, '[]')) AS g, json_each(g.value) AS c)))
    AND k.scenario IS NOT NULL
  GROUP BY k.sdk, k.scenario
),
news AS MATERIALIZED (
  SELECT c.value AS call_key, min(g.key * 100000 + c.key) AS at, min(g.key) AS news
  FROM json_each(coalesce(:news, '[]')) AS g, json_each(g.value) AS c GROUP BY c.value
),
these AS (  -- no more of each than its place asks for: there are many, and few are shown
  SELECT k.call_key, k.call_id, k.sdk, k.verdict, k.outcome, k.score_mean, k.broken, k.top_cause, k.end_code, m.at, m.news, instr(',' || coalesce(:blocked, '') || ',', ',' || coalesce(k.sdk, 'unknown') || ',') > 0 AS blocked,
         (unicode(substr(k.call_id, -1)) * 7919 + unicode(substr(k.call_id, -2, 1)) * 104729 + length(k.call_id) * 31 + CAST(coalesce(k.started_ms, 0) / 100 AS INTEGER)) % 10007 AS dealt,  -- among equals no SDK is preferred
         l.level AS baseline_score, l.setup AS baseline_setup, coalesce(l.level - k.score_mean >= 5 AND NOT k.broken, 0) AS fell,
         f.finding_key, f.code,
         -- What took the points of a poor call is the first thing to know of it; a warning stands beside that.
         f.severity = 'warning' AND NOT k.broken AND k.score_mean < 60 AND k.top_cause IS NOT NULL AS beside
  FROM judged_calls AS k LEFT JOIN news AS m USING (call_key) LEFT JOIN levels AS l ON l.sdk IS k.sdk AND l.scenario = k.scenario
    LEFT JOIN findings AS f ON f.finding_key = (
      SELECT g.finding_key FROM findings AS g WHERE g.call_key = k.call_key AND g.severity <> 'info'
      ORDER BY g.severity = 'error' DESC, g.start_ms LIMIT 1)
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted
    AND (k.broken OR k.poor OR k.score_mean < 90 OR k.setup_ms > 3000 OR k.score_mean <= l.level - 5 OR m.at IS NOT NULL)
),
told AS MATERIALIZED (
  SELECT call_key, call_id, sdk, broken, news, blocked, dealt, fell, baseline_score, baseline_setup, beside, finding_key, CASE WHEN news IS NOT NULL THEN 'news ' || news WHEN fell THEN 'fell' ELSE coalesce(CASE WHEN NOT coalesce(beside, 0) THEN code END, CASE WHEN broken THEN coalesce(verdict, outcome) || coalesce(' ' || end_code, '') ELSE top_cause END) END AS kind,
         CASE WHEN news IS NOT NULL THEN at WHEN fell THEN score_mean - baseline_score WHEN broken THEN -1 ELSE coalesce(score_mean, 101) END AS rank
  FROM these
),
ran AS MATERIALIZED (
  SELECT k.sdk, count(*) AS calls FROM judged_calls AS k
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted
  GROUP BY +k.sdk  -- in the order of the table, and not of an index that leads all over it
),
more AS MATERIALIZED (  -- ways to break that no call of the SDK's baseline had
  SELECT t.sdk, t.kind, due = 0 AS fresh
  FROM (SELECT n.sdk, n.kind, n.calls, coalesce(b.calls, 0) * 1.0 * r.calls / s.calls AS due
    FROM (SELECT sdk, kind, count(*) AS calls FROM told WHERE broken GROUP BY sdk, kind) AS n
      JOIN sizes AS s ON s.sdk IS n.sdk JOIN ran AS r ON r.sdk IS n.sdk
      LEFT JOIN before AS b ON b.sdk IS n.sdk AND b.kind IS n.kind) AS t
),
placed AS (
  SELECT t.call_key, t.call_id, t.kind, t.rank, t.news, t.blocked, t.dealt, t.fell, t.baseline_score, t.baseline_setup, t.beside, t.finding_key, CASE WHEN t.news IS NOT NULL THEN 2 WHEN t.broken THEN coalesce(m.fresh, 0) ELSE 0 END AS fresh,
         row_number() OVER (PARTITION BY t.kind ORDER BY CASE WHEN t.broken AND t.news IS NULL THEN coalesce(m.fresh, 0) ELSE 0 END DESC,
           t.blocked DESC, t.rank, t.dealt, t.call_id) AS place
  FROM told AS t LEFT JOIN more AS m ON m.sdk IS t.sdk AND m.kind IS t.kind
),
first AS MATERIALIZED (  -- `turn`: news, new ways to break, the others; `sentence`: which of the first sentences
  SELECT *, CASE WHEN fresh = 2 AND place <= 5 THEN 0 WHEN fresh = 1 AND place = 1 THEN 1 ELSE 2 END AS turn,
         CASE WHEN fresh = 2 AND place <= 5 THEN news ELSE 0 END AS sentence,
         place + CASE WHEN fresh = 2 AND place <= 5 AND news IN (SELECT value FROM json_each(coalesce(:late, '[]'))) THEN 2 ELSE 0 END AS round
  FROM placed ORDER BY turn, round, sentence, blocked DESC, rank, dealt, call_id LIMIT 20
)
SELECT k.call_id, k.sdk, k.scenario, k.verdict, k.outcome, k.score_mean, k.score_min, k.setup_ms, k.started_ms, p.kind, p.baseline_score,
       -- A conference is one call: of how many ends it is told.
       coalesce((SELECT CASE WHEN count(*) > 2 THEN sum(e.verdict IN ('failed', 'dropped', 'silent', 'no-picture', 'poor')) || ' of ' || count(*) || ' ends. ' END
         FROM endpoints AS e WHERE e.call_key = k.call_key AND e.verdict IS NOT NULL), '') ||
       CASE WHEN (p.fell OR p.news IS NOT NULL AND NOT k.broken AND k.verdict IS NOT 'silent') AND p.baseline_score > k.score_mean AND NOT (p.news IN (SELECT value FROM json_each(coalesce(:slow, '[]')))) THEN 'Scores ' || CAST(round(k.score_mean) AS INTEGER) || ' where ' || k.scenario || ' scored '
              || CAST(round(p.baseline_score) AS INTEGER) || ' in the baseline' || coalesce('; most of the points it lost went to ' || k.top_cause, '') || '.'
       WHEN p.news IN (SELECT value FROM json_each(coalesce(:slow, '[]'))) AND k.setup_ms > p.baseline_setup AND NOT k.broken
         THEN 'Setup took ' || CAST(round(k.setup_ms / 1000.0, 1) AS TEXT) || ' s where ' || k.scenario || ' took ' || CAST(round(p.baseline_setup / 1000.0, 1) AS TEXT) || ' s in the baseline.'
       ELSE coalesce(CASE WHEN NOT coalesce(p.beside, 0) THEN f.text END,
         CASE WHEN k.broken AND k.verdict = 'silent' THEN 'Silent' || coalesce(': ' || k.verdict_end, '') || coalesce(', ' || k.verdict_cause, '') || '.' END,
         CASE WHEN k.broken THEN upper(substr(k.outcome, 1, 1)) || substr(k.outcome, 2) || coalesce(': ' || nullif(trim(coalesce(k.end_code, '') || ' ' || coalesce(k.end_reason, '')), ''), '')
                || coalesce(', expected ' || k.expected_outcome, '') || '.' END,
         CASE WHEN k.score_mean < 90 THEN 'Lost ' || CAST(round(100 - k.score_mean) AS INTEGER) || ' points'
                || coalesce(', most of them to ' || k.top_cause, '') || '; its worst window scored ' || CAST(k.score_min AS INTEGER)
                || CASE WHEN p.beside THEN '; also ' || f.code ELSE '' END || '.' END,
         'Setup took ' || CAST(round(k.setup_ms / 1000.0, 1) AS TEXT) || ' s.') END AS why
FROM first AS p JOIN judged_calls AS k USING (call_key) LEFT JOIN findings AS f USING (finding_key)
ORDER BY p.turn, p.round, p.sentence, p.blocked DESC, p.rank, p.dealt, p.call_id
