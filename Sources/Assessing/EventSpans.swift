import CallModel
import Scoring

/// The client's own 0–100, as it reported it.
func clientScores(_ account: [EventRecord]) -> [ClientScore] {
  account.compactMap { event in
    guard event.event == "media.quality-reported", let timeMs = event.timeMs,
      let value = event.argument("score").flatMap(Double.init)
    else { return nil }
    return ClientScore(timeMs: timeMs, value: value)
  }
}

/// Times in which media is meant to be missing: the call is on hold here or there, by an event or by what was agreed.
func quietSpans(_ account: [EventRecord]) -> [QuietSpan] {
  var spans: [QuietSpan] = []
  var held: [String: Double] = [:]
  for event in account {
    guard let timeMs = event.timeMs else { continue }
    switch event.event {
    case "call.held", "call.remotely-held", "call.double-held":
      held["call"] = held["call"] ?? timeMs
    case "call.resumed", "call.ended", "call.failed":
      if let start = held.removeValue(forKey: "call") {
        spans.append(QuietSpan(startMs: start, endMs: timeMs))
      }
    default: break
    }
  }
  spans += held.values.map { QuietSpan(startMs: $0) }
  return (spans + negotiatedHolds(account)).sorted { $0.startMs < $1.startMs }
}
