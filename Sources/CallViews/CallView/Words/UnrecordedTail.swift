extension CallAccount {
  /// Minimum length of the missing end of a recording, ms; up to two windows may be due to closing the page.
  private static let minUnrecordedMs = 10_000.0

  /// How long the other end of a two-party call was recorded after this one, ms; nil if it was not, or if their clocks
  /// differ.
  func unrecordedTailMs(at end: EndAccount) -> Double? {
    guard ends.count == 2, !findings.contains(where: { $0.finding.code == "clock-skew" }),
      let last = end.windows.map(\.endMs).max(),
      let other = ends.first(where: { $0.name != end.name })?.windows.filter({ $0.score != nil }).map(\.endMs)
        .max()
    else { return nil }
    return other - last >= Self.minUnrecordedMs ? other - last : nil
  }
}
