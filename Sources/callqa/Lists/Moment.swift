import ArgumentParser
import CallStore
import IO
import Rendering

/// Parses times on the command line.
enum Moment {
  /// Milliseconds since the epoch. Throws a usage error that names the option.
  static func parse(_ text: String, zone: Zone, option: String, nowMs: Double = WallClock.nowMs) throws
    -> Double
  {
    guard let moment = MomentText.parse(text, zone: zone, nowMs: nowMs) else {
      throw ValidationError(
        "\(option): cannot read the time '\(text)': write 24h, yesterday, 02:12, 2026-11-21 or 2026-11-21T10:00:00Z."
      )
    }
    if let doubt = MomentText.doubt(text, zone: zone) { Entry.warn("\(option) \(doubt)") }
    return moment
  }
}

/// `--since` and `--until`. A time without a date refers to the selected calls rather than to today: `since` is its
/// last occurrence at or before the newest call; `until` is the first occurrence after that or, without `since`, after
/// the oldest call.
struct MomentSpan {
  let since: String?
  let until: String?
  /// The selected run; nil or `all` means every run.
  let run: String?
  let zone: Zone

  /// Milliseconds since the epoch. Throws a usage error if a time is invalid, or if the end precedes the beginning.
  func ms(in store: Store, quietly: Bool) throws -> (since: Double?, until: Double?) {
    let calls = [since, until].contains { $0.map(MomentText.isClock) ?? false } ? try calls(in: store) : nil
    func reported(_ option: String, _ text: String, _ ms: Double, _ which: String) -> Double {
      if !quietly {
        Entry.warn("\(option) \(text) is \(zone.text(ms) ?? text), \(which)", prefixed: false)
      }
      return ms
    }
    let sinceMs = try since.map { text in
      guard MomentText.isClock(text), let calls else {
        return try Moment.parse(text, zone: zone, option: "--since")
      }
      let ms = try Moment.parse(text, zone: zone, option: "--since", nowMs: calls.last)
      return reported("--since", text, ms, "the last before the newest call")
    }
    let untilMs = try until.map { text in
      guard MomentText.isClock(text), let after = sinceMs ?? calls?.first,
        let ms = MomentText.next(text, zone: zone, afterMs: after)
      else { return try Moment.parse(text, zone: zone, option: "--until") }
      return reported(
        "--until", text, ms, sinceMs == nil ? "the first after the oldest call" : "the first after that")
    }
    if let sinceMs, let untilMs, sinceMs >= untilMs {
      throw ValidationError("--since is not before --until: no call lies between them.")
    }
    return (sinceMs, untilMs)
  }

  /// When the oldest and newest call of the run began, ms since the epoch; of all calls if no run is named. Nil if
  /// there are no calls.
  private func calls(in store: Store) throws -> (first: Double, last: Double)? {
    let name = run == "all" ? nil : run == "last" ? try Reports.runs(in: store).first : run
    let row = try store.query(
      """
      SELECT min(started_ms), max(started_ms) FROM calls
      WHERE call_key NOT IN (SELECT call_key FROM odd_clocks) AND (:run IS NULL OR run_id = :run)
      """, ["run": name.map { .text($0) } ?? .null]
    ).rows.first
    guard let first = row?[0].number, let last = row?[1].number else { return nil }
    return (first, last)
  }
}
