import Rendering

/// Sentences on what an SDK's log alone shows of a call.
struct LoggedWords {
  package let account: CallAccount

  /// Problems reported by the SDK, most severe first.
  package var problems: [String] {
    ScoreCaveats(account).findingSentences(
      account.findings.filter { $0.finding.isOfEvents && $0.finding.severity != .info })
  }

  /// The client's own rating of its inbound quality.
  package var reported: String? {
    guard let mean = account.call.reportedMean, let lowest = account.call.reportedMin else { return nil }
    var sentence =
      "The client's own rating of what came in was \(figure(mean)) of 100 on average, \(figure(lowest)) at the lowest"
    if let below = account.call.reportedBelow50Ms, below > 0 {
      sentence += ", and below 50 for \(Measure.duration(below))"
    }
    return sentence + "."
  }

  /// Who put the call on hold, and for how long.
  package var held: String? {
    let parts = [
      account.call.heldLocalMs.map { "by this end for \(Measure.duration($0))" },
      account.call.heldRemoteMs.map { "by the far end for \(Measure.duration($0))" },
    ].compactMap { $0 }
    // A call with statistics has it in its windows.
    guard !parts.isEmpty, account.ends.allSatisfy({ $0.score == nil }) else { return nil }
    return "It was held \(Measure.list(parts))."
  }

  /// Why the call ended, for calls with nothing but a log.
  package var why: String? {
    guard let why = account.call.outcomeWhy, account.call.outcome != .unknown,
      account.ends.allSatisfy({ $0.score == nil })
    else { return nil }
    return "Why \(account.call.outcome.rawValue): \(VisibleText.visible(VisibleText.cut(why, to: 400)))."
  }

  private func figure(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}
