import CallModel

/// Where the faults of the poor, silent and broken calls were.
extension Sentences {
  /// `Of 40 poor or broken calls the fault was at sender-network in 31, at server in 4, and is not known in 5.`; nil
  /// without a place, or with too few calls.
  func faultPlaces() -> Sentence? {
    let bad = judgement.comparison.candidate.calls.values.joined().filter {
      $0.isPoor == true || $0.isBroken && !$0.isKnown
    }
    let places = Dictionary(grouping: bad.filter { $0.place != nil }, by: { $0.place ?? .network })
      .sorted { ($1.value.count, $0.key.rawValue) < ($0.value.count, $1.key.rawValue) }
    guard bad.count >= Self.minBad, let first = places.first else { return nil }
    let named = places.prefix(Self.most).map { "at \($0.key.rawValue) in \($0.value.count)" }
    let unknown = bad.count { $0.place == nil }
    let rest = bad.count - unknown - places.prefix(Self.most).reduce(0) { $0 + $1.value.count }
    let parts =
      named + (rest > 0 ? ["elsewhere in \(rest)"] : []) + (unknown > 0 ? ["not known in \(unknown)"] : [])
    let words =
      parts.count > 1
      ? "\(parts.dropLast().joined(separator: ", ")) and \(parts[parts.count - 1])" : parts[0]
    return Sentence(
      "Of \(bad.count) poor or broken calls the fault was \(words).",
      judgement.list(first.value, of: nil, ["--place \(first.key.rawValue)"]))
  }

  /// Fewer bad calls need no summary.
  private static let minBad = 3
  /// The most places that are named.
  private static let most = 3
}
