-- Where does the SDK's own 0-100 differ from ours by over 15?
-- :run             the run; or, where it is not given:
-- :since, :until   its first instant and the end, ms since the epoch
-- :margin          how many points count as a difference, 15 unless given
-- :limit           how many windows, 100 unless given
SELECT k.run_id AS run, k.call_id, coalesce(k.sdk, 'unknown') AS sdk, w.endpoint, w.window_index, w.start_ms, w.client_score,
       w.score, w.client_score - w.score AS difference,
       CASE max(w.lost_loss, w.lost_jitter, w.lost_delay, w.lost_freeze, w.lost_framerate, w.lost_resolution, w.lost_bitrate,
         w.lost_coding, coalesce(w.lost_silence, 0), coalesce(w.lost_playout, 0))
         WHEN 0 THEN NULL WHEN w.lost_loss THEN 'loss' WHEN w.lost_jitter THEN 'jitter' WHEN w.lost_delay THEN 'delay'
         WHEN w.lost_freeze THEN 'freeze' WHEN w.lost_framerate THEN 'framerate' WHEN w.lost_resolution THEN 'resolution'
         WHEN w.lost_bitrate THEN 'bitrate' WHEN w.lost_coding THEN 'coding'
         WHEN w.lost_silence THEN 'silence' WHEN w.lost_playout THEN 'playout' END AS top_cause,
       w.confidence
FROM judged_calls AS k JOIN scored_windows AS w USING (call_key)
WHERE k.excluded IS NULL AND abs(w.client_score - w.score) > coalesce(:margin, 15)
  AND (:run IS NULL OR k.run_id = :run)
  AND (:since IS NULL OR k.night_ms >= :since) AND (:until IS NULL OR k.night_ms < :until)
ORDER BY abs(w.client_score - w.score) DESC, w.start_ms, k.call_key, w.endpoint, w.window_index
LIMIT coalesce(:limit, 100);
