import IO

/// A time zone, in which times are shown.
public typealias Zone = IO.Zone
/// Date and time of day in the proleptic Gregorian calendar.
public typealias CivilTime = IO.CivilTime

extension Zone {
  /// The zone of the process: `TZ`, else the system's, else UTC.
  public static func local() -> Zone {
    if let named = Surroundings.variable("TZ") {
      let name = named.hasPrefix(":") ? String(named.dropFirst()) : named
      return Zone(named: name) ?? ZoneRule(name).map { Zone(name: name, first: 0, transitions: [], rule: $0) }
        ?? .utc
    }
    return Zone(file: "/etc/localtime", name: "local") ?? .utc
  }
}
