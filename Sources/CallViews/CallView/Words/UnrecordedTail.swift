extension CallAccount {
  /// Two windows less may be the time that a page takes to be closed, ms.
  private static let leastUnrecordedMs = 10_000.0

  /// How long an end of a call of two was on no record any more while the other still was, ms; nil where that is not so, or
  /// where their clocks do not tell.
  func unrecordedTailMs(at end: EndAccount) -> Double? {
    guard ends.count == 2, !findings.contains(where: { $0.finding.code == "clock-skew" }),
      let last = end.windows.map(\.endMs).max(),
      let other = ends.first(where: { $0.name != end.name })?.windows.filter({ $0.score != nil }).map(\.endMs)
        .max()
    else { return nil }
    return other - last >= Self.leastUnrecordedMs ? other - last : nil
  }
}
