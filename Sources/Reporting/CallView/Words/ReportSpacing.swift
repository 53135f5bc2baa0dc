import CallModel

extension EndAccount {
  /// A window is what its reports say of it as long as they come no further apart than this, ms: half as long again as itself.
  private static let closeMs = 7500.0

  /// How far apart the reports came that its score is of, where windows between two of them can only share their mean; nil where
  /// they came often enough, or packets were seen themselves.
  var sparseReportsMs: Double? {
    guard windowSource == .stats, windows.contains(where: { $0.score != nil }) else { return nil }
    let spacing = ownStreams.compactMap { stream -> Double? in
      guard stream.direction == .inbound, let samples = stream.number("samples"), samples > 2,
        let first = stream.firstMs, let last = stream.lastMs
      else { return nil }
      return (last - first) / (samples - 1)
    }
    return spacing.min().flatMap { $0 > Self.closeMs ? $0 : nil }
  }
}
