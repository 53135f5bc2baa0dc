-- When was this call bad, and what took the points?
-- :call    the call's id; where it is not given: all calls
-- :run     its run, should two runs have a call of that id
-- :limit   how many windows, 20 unless given
SELECT w.run_id AS run, w.call_id, w.endpoint, w.source, w.window_index, w.start_ms, w.end_ms,
       w.start_ms - k.started_ms AS into_call_ms, w.state, w.score,
       CASE max(w.lost_loss, w.lost_jitter, w.lost_delay, w.lost_freeze, w.lost_framerate, w.lost_resolution, w.lost_bitrate,
         w.lost_coding, coalesce(w.lost_silence, 0), coalesce(w.lost_playout, 0))
         WHEN 0 THEN NULL WHEN w.lost_loss THEN 'loss' WHEN w.lost_jitter THEN 'jitter' WHEN w.lost_delay THEN 'delay'
         WHEN w.lost_freeze THEN 'freeze' WHEN w.lost_framerate THEN 'framerate' WHEN w.lost_resolution THEN 'resolution'
         WHEN w.lost_bitrate THEN 'bitrate' WHEN w.lost_coding THEN 'coding'
         WHEN w.lost_silence THEN 'silence' WHEN w.lost_playout THEN 'playout' END AS top_cause,
       w.lost_loss, w.lost_jitter, w.lost_delay, w.lost_freeze, w.lost_framerate, w.lost_resolution, w.lost_bitrate,
       w.lost_coding, w.lost_silence, w.lost_playout, w.loss_share, w.concealed_share, w.delay_ms, w.rtt_ms, w.freeze_share, w.frame_rate, w.height, w.bitrate_bps,
       w.client_score
FROM scored_windows AS w JOIN calls AS k USING (call_key)
WHERE (:call IS NULL OR w.call_id = :call) AND (:run IS NULL OR w.run_id = :run)
ORDER BY w.score, w.start_ms, w.call_key, w.endpoint, w.window_index
LIMIT coalesce(:limit, 20);
