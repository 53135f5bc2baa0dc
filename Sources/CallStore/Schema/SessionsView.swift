import CallModel

/// Attempts to get into a service, before or without any call: logins, registrations, tokens, pushes.
enum SessionsView {
  /// The kind of attempt of each event, and whether it is the request, the success or the failure.
  private static let steps: [(event: EventName, kind: String, step: String)] = [
    (.sessionConnecting, "login", "asked"), (.sessionReconnecting, "login", "asked"),
    (.sessionConnected, "login", "succeeded"), (.sessionFailed, "login", "failed"),
    (.sessionRegistering, "registration", "asked"), (.sessionRegistered, "registration", "succeeded"),
    (.sessionRegistrationFailed, "registration", "failed"),
    (.tokenRequested, "token", "asked"), (.tokenGranted, "token", "succeeded"),
    (.tokenRefreshed, "token", "succeeded"), (.tokenFailed, "token", "failed"),
    (.tokenExpired, "token", "failed"),
    (.pushReceived, "push", "asked"), (.pushRelayed, "push", "asked"), (.pushExpired, "push", "failed"),
    (.pushInvalid, "push", "failed"),
  ]

  /// A failure this soon after the same failure is a duplicate, ms.
  private static let echoMs = 1000
  /// Longest time between a request and its answer, ms.
  private static let longestMs = 120_000

  static var view: String {
    // One event that cannot be read must not stop a report.
    let args = "CASE WHEN json_valid(e.args) THEN e.args END"
    let values = steps.map { "('\($0.event)', '\($0.kind)', '\($0.step)')" }.joined(separator: ", ")
    return """
      CREATE VIEW sessions AS             -- a row a try: login, registration, token, push; also where no call came of it
      WITH steps (event, kind, step) AS (VALUES \(values)),
      logged AS (
        SELECT e.event_key, e.connection_key, e.t_ms, e.event, \(args) AS args, s.kind,
          CASE WHEN s.step = 'asked' AND CAST(\(args) ->> '$.status' AS TEXT) BETWEEN '200' AND '299' THEN 'succeeded' ELSE s.step END AS step
        FROM events AS e CROSS JOIN steps AS s WHERE s.event = e.event),
      placed AS (
        SELECT *, lag(step) OVER w AS step_before, lag(t_ms) OVER w AS ms_before, lag(event) OVER w AS event_before,
          lead(step) OVER w AS step_after, lead(t_ms) OVER w AS ms_after, lead(args) OVER w AS args_after
        FROM logged WINDOW w AS (PARTITION BY connection_key, kind ORDER BY t_ms, event_key)),
      tries AS (
        SELECT *,
          step <> 'asked' AND step_before = 'asked' AND coalesce(t_ms - ms_before, 0) BETWEEN 0 AND \(longestMs) AS is_answer,
          CASE WHEN step = step_after AND coalesce(ms_after - t_ms, 0) BETWEEN 0 AND \(echoMs) THEN args_after END AS args_echo
        FROM placed
        WHERE NOT (step = 'asked' AND step_after IS NOT NULL AND coalesce(ms_after - t_ms, 0) BETWEEN 0 AND \(longestMs))
          AND NOT (step = 'failed' AND coalesce(step_before, '') = 'failed' AND coalesce(t_ms - ms_before, 0) BETWEEN 0 AND \(echoMs)))
      SELECT t.event_key, c.call_key, k.call_id, c.source_id, f.path, c.sdk,
        CASE WHEN t.is_answer AND t.event_before = 'session.reconnecting' THEN 'reconnection' ELSE t.kind END AS kind,
        CASE t.step WHEN 'asked' THEN 'unknown' ELSE t.step END AS outcome,  -- succeeded, failed, unknown: not logged
        CASE WHEN t.is_answer THEN t.ms_before ELSE t.t_ms END AS started_ms,
        CASE WHEN t.is_answer THEN t.t_ms - t.ms_before END AS duration_ms,
        CASE WHEN t.step = 'failed' THEN coalesce(t.args ->> '$.code', t.args_echo ->> '$.code') END AS code,
        CASE WHEN t.step = 'failed' THEN coalesce(t.args ->> '$.words', t.args_echo ->> '$.words',
          t.args ->> '$.reason', t.args ->> '$.error') END AS reason
      FROM tries AS t JOIN source_views AS c USING (connection_key) JOIN sources AS f ON f.source_id = c.source_id
        LEFT JOIN calls AS k ON k.call_key = c.call_key
      """
  }
}
