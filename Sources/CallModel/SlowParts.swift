extension SetupAttempt {
  /// The parts that made the setup slow: machine time before the call stood, half a second or more and a fifth of it, longest first.
  ///
  /// People's time (ringing, capture) and what comes after the call is established are no part of it.
  public var slowParts: [Phase] {
    let after: Set<PhaseName> = [.capture, .ringing, .firstPacket, .firstFrame, .firstAudio]
    let parts = phases.filter { $0.state == .measured && !after.contains($0.name) }
    let whole = setupMs ?? parts.compactMap(\.durationMs).reduce(0, +)
    let least = max(500, whole / 5)
    return parts.filter { ($0.durationMs ?? 0) >= least }
      .sorted { ($0.durationMs ?? 0) > ($1.durationMs ?? 0) }
  }
}
