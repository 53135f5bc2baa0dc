extension Zone {
  /// `2026-11-21 14:03:09.250+01:00`; nil for a time outside the calendar.
  public func text(_ timeMs: Double) -> String? {
    guard let civil = civil(timeMs) else { return nil }
    return "\(Self.date(civil)) \(Self.clock(civil)).\(padded(civil.millisecond, 3))\(offsetText(timeMs))"
  }

  /// `2026-11-21`.
  public func dateText(_ timeMs: Double) -> String? { civil(timeMs).map(Self.date) }

  /// `14:03:09`.
  public func clockText(_ timeMs: Double) -> String? { civil(timeMs).map(Self.clock) }

  /// `14:03:09.250`.
  public func preciseClockText(_ timeMs: Double) -> String? {
    civil(timeMs).map { "\(Self.clock($0)).\(padded($0.millisecond, 3))" }
  }

  /// `+01:00`; `Z` stands for no offset only in RFC 3339 text for programs.
  public func offsetText(_ timeMs: Double) -> String {
    let minutes = offset(atMs: timeMs) / 60
    return
      "\(minutes < 0 ? "-" : "+")\(padded(abs(minutes) / 60, 2)):\(padded(abs(minutes) % 60, 2))"
  }

  /// What calendar and clock show there at that moment.
  public func civil(_ timeMs: Double) -> CivilTime? {
    CivilTime(wallMs: timeMs + Double(offset(atMs: timeMs)) * 1000)
  }

  private static func date(_ civil: CivilTime) -> String {
    "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))"
  }

  private static func clock(_ civil: CivilTime) -> String {
    "\(padded(civil.hour, 2)):\(padded(civil.minute, 2)):\(padded(civil.second, 2))"
  }
}
