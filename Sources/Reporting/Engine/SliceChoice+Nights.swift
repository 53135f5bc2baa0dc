import CallModel

/// Nights and days by the clocks of the zone: one of 23 or 25 hours is a day too.
extension SliceChoice {
  /// The night, noon to noon, that holds the last call before an instant, and ends there at the latest.
  func night(before untilMs: Double?) throws -> Slice? {
    guard let lastMs = try lastCallMs(since: nil, before: untilMs) else { return nil }
    let day = Zone.dayMs
    let noon = ((zone.wallMs(lastMs) - day / 2) / day).rounded(.down) * day + day / 2
    let endMs = zone.momentMs(wallMs: noon + day)
    return night(from: zone.momentMs(wallMs: noon), to: untilMs.map { min($0, endMs) } ?? endMs)
  }

  /// What a time is compared with: the same hours so many days before that the two do not overlap; where nobody called then,
  /// the night of the last call before it. Calls of the time itself are never part of it.
  func time(before slice: Slice) throws -> Slice? {
    guard let sinceMs = slice.sinceMs else { return nil }
    let endMs = try slice.untilMs ?? lastCallMs(since: sinceMs, before: nil) ?? sinceMs
    let length = zone.wallMs(endMs) - zone.wallMs(sinceMs)
    let days = max(1, (length / Zone.dayMs).rounded(.up))
    let fromMs = zone.daysBefore(days, sinceMs)
    // An open end says nothing of hours: all up to the beginning is compared.
    let toMs = min(sinceMs, slice.untilMs.map { max(fromMs, zone.daysBefore(days, $0)) } ?? sinceMs)
    guard try lastCallMs(since: fromMs, before: toMs) != nil else { return try night(before: sinceMs) }
    return night(from: fromMs, to: toMs)
  }

  private func night(from fromMs: Double, to toMs: Double) -> Slice {
    func text(_ timeMs: Double) -> String {
      "\(zone.dateText(timeMs) ?? "?") \(zone.clockText(timeMs)?.prefix(5) ?? "?")"
    }
    let noon = zone.wallMs(fromMs) - (zone.wallMs(fromMs) / Zone.dayMs).rounded(.down) * Zone.dayMs
    let isNight = noon == Zone.dayMs / 2 && zone.wallMs(toMs) - zone.wallMs(fromMs) <= Zone.dayMs
    return Slice(
      run: nil, sinceMs: fromMs, untilMs: toMs,
      name: isNight ? "night of \(zone.dateText(fromMs) ?? "?")" : "\(text(fromMs)) to \(text(toMs))")
  }

  private func lastCallMs(since sinceMs: Double?, before untilMs: Double?) throws -> Double? {
    try rows.table(
      """
      SELECT max(night_ms) FROM judged_calls
      WHERE (:since IS NULL OR night_ms >= :since) AND (:until IS NULL OR night_ms < :until)
      """,
      ["since": sinceMs.map { .real($0) } ?? .null, "until": untilMs.map { .real($0) } ?? .null]
    ).rows.first?.first?.number
  }
}

extension Zone {
  static let dayMs = 86_400_000.0

  /// What its clocks show, in milliseconds since their 1970-01-01T00:00.
  func wallMs(_ timeMs: Double) -> Double { timeMs + Double(offset(atMs: timeMs)) * 1000 }

  /// The moment at which its clocks show that.
  func momentMs(wallMs: Double) -> Double {
    let guess = wallMs - Double(offset(atMs: wallMs)) * 1000
    return wallMs - Double(offset(atMs: guess)) * 1000
  }

  /// The moment that its clocks showed the same hour, so many days before.
  func daysBefore(_ days: Double, _ timeMs: Double) -> Double {
    momentMs(wallMs: wallMs(timeMs) - days * Self.dayMs)
  }
}
