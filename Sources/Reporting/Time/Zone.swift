import Glibc

/// A time zone: how far the clocks of a place stand from UTC at a moment.
public struct Zone: Sendable {
  /// What `--tz` called it.
  public let name: String
  private let transitions: [(at: Int, offset: Int)]
  private let first: Int
  private let rule: ZoneRule?

  /// UTC itself.
  public static let utc = Zone(fixedOffset: 0, name: "UTC")

  /// A zone that never changes its clocks, so many seconds east of Greenwich.
  public init(fixedOffset seconds: Int, name: String) {
    self.name = name
    transitions = []
    first = seconds
    rule = nil
  }

  init(name: String, first: Int, transitions: [(at: Int, offset: Int)], rule: ZoneRule?) {
    self.name = name
    self.first = first
    self.transitions = transitions
    self.rule = rule
  }

  /// The zone of a name (`Europe/Berlin`), or of an offset (`+02:00`); nil where the system does not know it.
  public init?(named name: String) {
    if ["UTC", "Z", "GMT"].contains(name.uppercased()) {
      self = .utc
    } else if let offset = Self.offset(name) {
      self.init(fixedOffset: offset, name: name)
    } else {
      let folders = ["/usr/share/zoneinfo/", "/usr/lib/zoneinfo/", "/usr/share/lib/zoneinfo/"]
      let harmless = !name.isEmpty && !name.hasPrefix("/") && !name.contains("..")
      guard harmless, let zone = folders.lazy.compactMap({ Zone(file: $0 + name, name: name) }).first else {
        return nil
      }
      self = zone
    }
  }

  /// The zone of the process: `TZ`, else the machine's, else UTC.
  public static func local() -> Zone {
    if let named = getenv("TZ").map({ String(cString: $0) }), !named.isEmpty {
      let name = named.hasPrefix(":") ? String(named.dropFirst()) : named
      return Zone(named: name) ?? ZoneRule(name).map { Zone(name: name, first: 0, transitions: [], rule: $0) }
        ?? .utc
    }
    return Zone(file: "/etc/localtime", name: "local") ?? .utc
  }

  /// Seconds east of Greenwich at a moment.
  public func offset(atMs timeMs: Double) -> Int {
    guard timeMs.isFinite, abs(timeMs) < 1e15 else { return first }
    let seconds = Int((timeMs / 1000).rounded(.down))
    guard let last = transitions.last else { return rule?.offset(at: seconds) ?? first }
    if seconds >= last.at { return rule?.offset(at: seconds) ?? last.offset }
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : transitions[low - 1].offset
  }

  /// `+hh:mm` or `+hh` as seconds.
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(parts.count), let hours = parts[0], (0...23).contains(hours) else { return nil }
    let minutes = parts.count == 2 ? parts[1] : 0
    guard let minutes, (0...59).contains(minutes) else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
