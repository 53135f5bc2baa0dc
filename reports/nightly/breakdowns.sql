-- How do calls differ by codec, client, network, candidate type, label, direction and hour?
-- :run (or :since, :until)  what is reported
-- :zone  the offsets of the reader's clocks, [[from when, how far ahead of UTC], …] in ms, in order; UTC where not given
WITH zone AS MATERIALIZED (
  SELECT key AS n, json_extract(value, '$[0]') AS began_ms, json_extract(value, '$[1]') AS ahead_ms FROM json_each(:zone)
),
these AS MATERIALIZED (
  SELECT k.call_key, k.score_mean, k.setup_ms, k.poor, k.started_ms, k.labels, e.user_agent, e.network_type,
         e.candidate_type, e.direction, e.audio_codec, e.video_codec
  FROM judged_calls AS k LEFT JOIN endpoints AS e ON e.call_key = k.call_key AND e.endpoint = k.score_endpoint
  WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
    AND (:until IS NULL OR k.night_ms < :until) AND k.counted
),
labels AS MATERIALIZED (
  SELECT t.call_key, l.key AS name, CAST(l.value AS TEXT) AS value FROM these AS t JOIN json_each(t.labels) AS l
  WHERE t.labels <> '{}' AND l.type IN ('text', 'integer', 'real', 'true', 'false')
),
long AS (
  SELECT 1 AS n, 'audio codec' AS dimension, audio_codec AS value, * FROM these WHERE audio_codec IS NOT NULL
  UNION ALL SELECT 1, 'video codec', video_codec, * FROM these WHERE video_codec IS NOT NULL
  UNION ALL SELECT 2, 'client', CASE
      WHEN instr(user_agent, 'Edg/') THEN 'Edge ' || CAST(substr(user_agent, instr(user_agent, 'Edg/') + 4, 8) AS INTEGER)
      WHEN instr(user_agent, 'Firefox/') THEN 'Firefox ' || CAST(substr(user_agent, instr(user_agent, 'Firefox/') + 8, 8) AS INTEGER)
      WHEN instr(user_agent, 'Chrome/') THEN 'Chrome ' || CAST(substr(user_agent, instr(user_agent, 'Chrome/') + 7, 8) AS INTEGER)
      WHEN instr(user_agent, 'Safari/') AND instr(user_agent, 'Version/')
        THEN 'Safari ' || CAST(substr(user_agent, instr(user_agent, 'Version/') + 8, 8) AS INTEGER)
      ELSE user_agent END, * FROM these WHERE user_agent IS NOT NULL
  UNION ALL SELECT 3, 'network', network_type, * FROM these WHERE network_type IS NOT NULL
  UNION ALL SELECT 4, 'candidate', candidate_type, * FROM these WHERE candidate_type IS NOT NULL
  UNION ALL SELECT 5, 'worse end', direction, * FROM these WHERE direction IS NOT NULL
  UNION ALL SELECT 6, 'label ' || l.name, l.value, t.* FROM labels AS l JOIN these AS t USING (call_key)
    WHERE l.name IN (SELECT name FROM labels GROUP BY name HAVING count(DISTINCT value) <= 40)  -- one a call divides nothing
  UNION ALL SELECT 7, 'hour', strftime('%H:00', (started_ms + coalesce(
      (SELECT z.ahead_ms FROM zone AS z WHERE z.n = 0 OR z.began_ms <= started_ms ORDER BY z.n DESC LIMIT 1), 0)) / 1000.0, 'unixepoch'),
      * FROM these
    WHERE started_ms IS NOT NULL
),
tallied AS MATERIALIZED (  -- of all three figures; scores count the calls that have none, too
  SELECT t.key AS figure, g.value ->> '$.keys[0]' AS n, g.value ->> '$.keys[1]' AS dimension, g.value ->> '$.keys[2]' AS value,
         g.value ->> 'rows' AS calls, g.value ->> 'mean' AS mean, g.value ->> 'p10' AS p10, g.value ->> 'p50' AS p50, g.value ->> 'p90' AS p90
  FROM (SELECT json_object('score', json(quantiles_by(n, dimension, value, score_mean)), 'setup',
      json(quantiles_by(n, dimension, value, setup_ms) FILTER (WHERE setup_ms IS NOT NULL)),
      'poor', json(quantiles_by(n, dimension, value, poor) FILTER (WHERE poor IS NOT NULL))) AS all_figures FROM long) AS o, json_each(o.all_figures) AS t, json_each(t.value) AS g
)
SELECT dimension, value, max(calls) AS calls, max(mean) FILTER (WHERE figure = 'poor') AS poor_call_share,
       max(p50) FILTER (WHERE figure = 'score') AS score_p50, max(p10) FILTER (WHERE figure = 'score') AS score_p10,
       max(p50) FILTER (WHERE figure = 'setup') AS setup_p50_ms, max(p90) FILTER (WHERE figure = 'setup') AS setup_p90_ms
FROM tallied GROUP BY n, dimension, value ORDER BY n, dimension, CASE WHEN dimension = 'hour' THEN value END, calls DESC, value
