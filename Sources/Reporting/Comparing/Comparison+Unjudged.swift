/// Calls that an import stored and nobody judged: it was interrupted, or still runs.
///
/// How they went is not known, so that nothing is decided while there are any.
extension Comparison {
  /// What is not judged in either run, and what to do about it; nil where all is.
  public var unjudged: String? { Self.words(of: [candidate, baseline]) { $0.unjudged.values.reduce(0, +) } }

  /// The same of one SDK.
  func unjudged(_ sdk: String, with baseline: RunFigures?) -> String? {
    Self.words(of: [candidate, baseline]) { $0.unjudged[sdk] ?? 0 }
  }

  private static func words(of runs: [RunFigures?], count: (RunFigures) -> Int) -> String? {
    let parts = runs.compactMap { $0 }.compactMap { run -> String? in
      let unjudged = count(run)
      return unjudged > 0 ? "\(Words.count(unjudged, "call")) of \(run.run)" : nil
    }
    guard !parts.isEmpty else { return nil }
    return
      "not judged yet, because an import was interrupted or still runs: \(parts.joined(separator: " and ")); run the import again to finish it"
  }
}
