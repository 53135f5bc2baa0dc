import CallModel

extension EndpointAssessment {
  /// How long a call stood that this end took over from another device and saw end, ms: from when it was established there, else from
  /// the handover, on the clock of the call. Nil where it took none over.
  func handedOverMs(by others: [EndpointAssessment]) -> Double? {
    guard let takenMs = account.first(where: { $0.event == "call.handed-over" })?.ownTimeMs,
      establishedMs.map({ $0 > takenMs }) ?? true,
      let endMs = account.last(where: { Self.ends.contains($0.event) && $0.ownTimeMs != nil })?.timeMs,
      endMs >= takenMs
    else { return nil }
    let taken = onCallClock(takenMs)
    let before = others.compactMap { end in end.establishedMs.map(end.onCallClock) }.filter { $0 <= taken }
    return onCallClock(endMs) - (before.min() ?? taken)
  }

  private var establishedMs: Double? {
    account.first { $0.event == "call.established" && $0.ownTimeMs != nil }?.timeMs
  }

  private static let ends: Set<String> = ["call.ended", "call.failed"]
}
