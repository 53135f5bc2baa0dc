import CallModel
import Scoring

/// The client's own 0–100, as it reported it.
func clientScores(_ account: [EventRecord]) -> [ClientScore] {
  account.compactMap { event in
    guard let timeMs = event.timeMs, let value = LoggedFigures.quality(of: event) else { return nil }
    return ClientScore(timeMs: timeMs, value: value)
  }
}

/// Times in which media is meant to be missing: the call is on hold here or there, by an event or by what was agreed.
func quietSpans(_ account: [EventRecord]) -> [QuietSpan] {
  let held = QuietSpan.spans(
    account, from: ["call.held", "call.remotely-held", "call.double-held"],
    until: ["call.resumed", "call.ended", "call.failed"])
  return (held + negotiatedHolds(account)).sorted { $0.startMs < $1.startMs }
}
