import CallModel

/// The views of one source by the name of their connection, each handed out once: its own words on no end in particular,
/// and the ends of one name, with the connections that took each other's place there.
struct SourceMates {
  private var wholes: [Int64] = []
  private var ends: [LoggedCall: [Int64]] = [:]

  /// Adds a view.
  mutating func add(_ key: Int64, name: String?, isWhole: Bool) {
    if isWhole { wholes.append(key) } else { ends[LoggedCall(name: name).call, default: []].append(key) }
  }

  /// What belongs with an end of that name and was not handed out before.
  mutating func take(_ name: String?) -> [Int64] {
    defer { wholes = [] }
    return wholes + (ends.removeValue(forKey: LoggedCall(name: name).call) ?? [])
  }
}
