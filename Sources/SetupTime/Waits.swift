import CallModel

/// Adds to each measured phase how much of it the setup waited for.
///
/// Of phases that went on beside each other, the longest bar is not always the one that mattered: candidates that
/// are gathered beside signalling hold nothing up once the one that the path uses is there.
/// - Parameter localType: the type of the local candidate of the path in use, if known.
func addWaits(to attempt: inout SetupAttempt, _ line: AttemptEvents, _ localType: String?) {
  let people = attempt.phases.filter(\.isOfPerson).compactMap(\.span)
  var total = -Double.infinity...Double.infinity
  if let startMs = attempt.startMs, let wall = attempt.setupWallMs, startMs.isFinite, wall >= 0 {
    total = startMs...(startMs + wall)
  }
  let needed = neededCandidateMs(of: attempt, line, localType)
  for index in attempt.phases.indices {
    let phase = attempt.phases[index]
    guard let span = phase.span else { continue }
    var waited = span.clamped(to: total)
    if let needed {
      switch phase.name {
      case .gathering: waited = waited.clamped(to: -Double.infinity...max(needed, waited.lowerBound))
      case .ice: waited = waited.clamped(to: min(needed, waited.upperBound)...Double.infinity)
      default: break
      }
    }
    attempt.phases[index].waitedMs =
      waited.upperBound - waited.lowerBound - covered(by: people, of: waited)
  }
}

/// When the candidate was there that the path of a connection uses: the first of the type of that path, else the
/// first of any type. Nil if nothing was sent before all candidates were gathered, or if it is not known.
private func neededCandidateMs(
  of attempt: SetupAttempt, _ line: AttemptEvents, _ localType: String?
) -> Double? {
  guard let gathering = attempt.phases.first(where: { $0.name == .gathering })?.span else { return nil }
  let signalling = attempt.phases.first { $0.name == .signalling }?.span
  if let signalling, signalling.lowerBound >= gathering.upperBound { return nil }
  let path = attempt.phases.first { $0.name == .ice || $0.name == .iceAndDtls && $0.state == .measured }
  guard let path, let found = path.span, path.toEvent == .iceConnected || path.toEvent == .dtlsConnected
  else { return nil }
  let candidates = line.events.filter { event in
    guard event.event == .iceCandidate, let timeMs = event.ownTimeMs else { return false }
    return timeMs >= gathering.lowerBound && timeMs <= found.upperBound
  }
  let used = candidates.first { $0[.candidateType] == localType } ?? candidates.first
  return used?.ownTimeMs ?? min(gathering.upperBound, found.upperBound)
}
