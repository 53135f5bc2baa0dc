import CallModel

/// An agent of software that lets people wait for its answers, by who spoke when.
///
/// People answer after some 200 ms (Stivers et al., PNAS 2009), and take a second of silence for trouble (Roberts and Francis, JASA 2013).
public enum SlowAnswer {
  /// An agent is slow whose answers take longer than this in the middle, ms.
  public static let limitMs = 1500.0
  /// Fewer answers say nothing of its pace.
  private static let least = 3

  /// The finding of one end, by what its events tell; nil where the agent answers in time, or too seldom.
  /// - Parameters:
  ///   - agent: the name of the agent's end.
  ///   - isLocal: whether that is the end whose events these are.
  public static func finding(_ events: [EventRecord], agent: String, isLocal: Bool) -> Finding? {
    let turns = TurnTaking.turns(events.compactMap { Utterance($0) })
    let answers = turns.filter { $0.isToLocal == isLocal && $0.isFromLocal != isLocal }
    let waits = answers.map(\.gapMs).sorted()
    guard waits.count >= least, let most = waits.last else { return nil }
    let middle = waits[waits.count / 2]
    guard middle > limitMs, let first = answers.first, let last = answers.last else { return nil }
    return Finding(
      "slow-answer", .warning, from: first.atMs, to: last.atMs + last.gapMs,
      Evidence().with("answer_ms", middle).with("most_ms", most).with("answers", Double(waits.count))
        .with("threshold_ms", limitMs),
      "The agent (\(agent)) answered after \(seconds(middle)) in the middle, \(seconds(most)) at most, of \(waits.count) answers."
    )
  }
}
