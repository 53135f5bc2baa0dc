/// What got worse so slowly that no night tells it.
extension Sentences {
  /// Most figures that are named.
  private static let most = 4

  func drift() -> String? {
    let told = judgement.drifts.map(words)
    guard let first = judgement.drifts.first else { return nil }
    let more = told.count - Self.most
    let runs = judgement.drifts.allSatisfy { $0.nights == first.nights } ? "\(first.nights)" : "14"
    return
      "Slowly worse over the last \(runs) runs: \((told.prefix(Self.most) + (more > 0 ? ["\(more) more"] : [])).joined(separator: "; "))."
  }

  private func words(_ drift: Drift) -> String {
    let step = abs(drift.last - drift.first) / Double(max(1, drift.nights - 1))
    guard drift.figure == .scoreMean else {
      return
        "the mean setup time of \(drift.sdk) from \(Words.grouped(drift.first)) to \(Words.grouped(drift.last)) ms, some \(Words.grouped(step)) ms a run"
    }
    return
      "the mean score of \(drift.sdk) from \(Words.fixed(drift.first, 1)) to \(Words.fixed(drift.last, 1)), some \(Words.fixed(step, 1)) points a run"
  }
}
