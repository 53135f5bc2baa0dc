import CallModel

/// Rules on what there was to find a way with.
/// - Parameters:
///   - isConnected: whether a way was found all the same.
///   - inVain: whether it is known that none was, or that it was of no use.
func candidateFindings(_ context: FindingContext, isConnected: Bool, inVain: Bool) -> [Finding] {
  let hasNone = !isConnected && context.events.isWithoutCandidates
  return [
    hasNone ? noCandidates(context) : nil,
    turnFailed(context, isConnected: isConnected, isGrave: hasNone || (inVain && !isConnected)),
  ].compactMap { $0 }
}

private func noCandidates(_ context: FindingContext) -> Finding {
  func first(_ names: String...) -> Double? { context.events.first { names.contains($0.event) }?.timeMs }
  let start = first("ice.gathering-started")
  let end = first("ice.gathering-complete", "ice.candidates-end")
  return Finding(
    "no-candidates", .error, from: start ?? end, to: end,
    Evidence().with("gathered_ms", start.flatMap { start in end.map { $0 - start } }),
    "Gathering ended without one candidate: there was nothing to find a way with.")
}

/// Browsers ask every server from every address of the machine, and many of them are out of reach from one without harm: what
/// was not reached counts only where nothing came of it. A server that refuses does so to everybody.
private func turnFailed(_ context: FindingContext, isConnected: Bool, isGrave: Bool) -> Finding? {
  let errors = context.events.turnErrors.filter { $0.isRefusal || isGrave }
  guard let first = errors.first(where: \.isRefusal) ?? errors.first else { return nil }
  return Finding(
    "turn-failed", isGrave ? .error : isConnected ? .info : .warning, from: first.timeMs, to: first.timeMs,
    Evidence().with("url", first.url).with("code", Double(first.code)).with("text", first.text)
      .with("errors", Double(errors.count)),
    "No relay: \(first.words).")
}
