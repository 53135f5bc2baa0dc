-- Which calls does a comparison count, and what was each like?
-- :run             the run; or, where it is not given:
-- :since, :until   its first and last instant, ms since the epoch
-- A call is `cut` where nothing is known of its end, score and setup, and a file of it was taken in part.
-- `verdict` is a person's own first; `errors` and `findings` name its errors, and its errors and warnings.
-- `reported_mean` is what the client itself reported, 0 to 100; `failure` is the code that a call that came to nothing ended with,
-- `place` where a fault was; `phases` how long each phase of its setup took, at each end. Columns
-- after these are traits: a change is looked for in each of them; so is each of the `labels`, a JSON object, in which attributes are too.
SELECT coalesce(k.sdk, 'unknown') AS sdk,
       k.scenario,
       CASE WHEN k.excluded IS NOT NULL THEN 'excluded' WHEN k.unfinished THEN 'unfinished' WHEN k.unjudgeable THEN 'unjudgeable' WHEN k.outcome = 'missing' THEN 'missing'
         WHEN k.outcome = 'unknown' AND k.score_mean IS NULL AND k.setup_ms IS NULL AND NOT k.broken AND EXISTS (
           SELECT 1 FROM source_views AS c JOIN sources AS f USING (source_id) WHERE c.call_key = k.call_key AND f.status = 'partial')
           THEN 'cut' ELSE 'ran' END AS state,
       k.score_mean,
       k.setup_ms,
       k.poor,
       k.broken,
       k.verdict,
       k.known,
       (SELECT group_concat(DISTINCT f.code) FROM findings AS f WHERE f.call_key = k.call_key AND f.severity = 'error') AS errors,
       (SELECT group_concat(DISTINCT f.code) FROM findings AS f WHERE f.call_key = k.call_key AND f.severity <> 'info') AS findings,
       k.verdict_version,
       k.reported_mean,
       k.call_key,
       k.failure_code AS failure,
       k.night_ms AS started_ms,
       k.place,
       (SELECT group_concat(p.phase || ' ' || CAST(p.duration_ms AS INTEGER), ';') FROM endpoints AS o JOIN phases AS p USING (endpoint_key)
         WHERE o.call_key = k.call_key AND p.state = 'measured') AS phases,
       e.video_codec,
       e.audio_codec,
       e.candidate_type,
       e.network_type,
       e.relay_protocol,
       e.relay,
       e.far_network,
       (SELECT rtrim(rtrim(s.remote, '0123456789'), ':') FROM streams AS s WHERE s.endpoint_key = e.endpoint_key AND s.chosen
         AND s.direction = 'inbound' AND s.remote LIKE '%:%' LIMIT 1) AS far_host,
       e.user_agent,
       e.os,
       k.sdk_version,
       k.scenario AS scenario_name,
       nullif(json_patch(k.labels, coalesce((SELECT json_group_object(a.name, a.value) FROM call_attributes AS a
         WHERE a.call_key = k.call_key AND a.name <> 'rating'), '{}')), '{}') AS labels
FROM judged_calls AS k LEFT JOIN endpoints AS e ON e.call_key = k.call_key
  AND e.endpoint = coalesce(k.score_endpoint, (
    SELECT CASE WHEN count(*) = 1 THEN min(o.endpoint) END FROM endpoints AS o WHERE o.call_key = k.call_key))
WHERE (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since)
  AND (:until IS NULL OR k.night_ms < :until)
ORDER BY k.sdk, k.started_ms, k.run_id, k.call_id
