import CallModel

extension Timeline {
  /// When this end had the answer to its offer, if that was between two moments: a candidate of the far end that nobody signalled
  /// begins the checks before (peer-reflexive, RFC 8445 7.3.1.3), but without the answer they cannot end.
  func answerCame(after from: Moment, until to: Moment) -> Moment? {
    let answers = ["sdp.answer-received", "sdp.provisional-answer-received"]
    let told = first(of: answers) ?? first(of: ["sdp.remote-set"])
    guard let told, told.timeMs > from.timeMs, told.timeMs <= to.timeMs else { return nil }
    return told
  }
}

/// Gives the time for which ICE or DTLS of an end that was called only waited until the caller had the answer to the signalling,
/// where that was most of it.
/// - Parameter heardMs: when the far end had an answer of this end, by its own log, on this end's clock.
func moveLateAnswer(in attempt: inout SetupAttempt, _ line: Timeline, heardMs: [Double]) {
  guard attempt.direction == .incoming else { return }
  let slowMs = slowPathMs + (line.moments.map(\.stepMs).max() ?? 0)
  for index in attempt.phases.indices where [.ice, .dtls, .iceAndDtls].contains(attempt.phases[index].name) {
    let phase = attempt.phases[index]
    guard let span = phase.span, span.upperBound - span.lowerBound >= slowMs,
      let heard = heardMs.first(where: { $0 > span.lowerBound && $0 <= span.upperBound }),
      heard - span.lowerBound > span.upperBound - heard
    else { continue }
    attempt.phases[index].startMs = heard
    attempt.phases[index].durationMs = span.upperBound - heard
    attempt.phases[index].fromEvent = "sdp.answer-received"
    let sent = ["sdp.answer-sent", "sdp.answer-created", "sdp.remote-set"]
    guard let from = line.preferred(sent), from.timeMs <= heard,
      let signalling = attempt.phases.firstIndex(where: { $0.name == .signalling && $0.state != .measured })
    else { continue }
    var way = measured(.signalling, from, Timeline.Moment(timeMs: heard, event: "sdp.answer-received"))
    way.cause = "the answer reached the far end late: ICE and DTLS waited for it"
    attempt.phases[signalling] = way
  }
}
