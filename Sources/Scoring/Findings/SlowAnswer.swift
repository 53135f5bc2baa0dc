import CallModel

/// Detects a software agent that answers too slowly, from the turns of a call.
public enum SlowAnswer {
  /// The finding for one end, from its events; nil if the agent answers in time or too rarely to judge.
  /// - Parameters:
  ///   - agent: the name of the agent's end.
  ///   - isLocal: whether that is the end these events are from.
  public static func finding(_ events: [EventRecord], agent: String, isLocal: Bool) -> Finding? {
    let turns = TurnTaking.turns(events.compactMap { Utterance($0) })
    let answers = turns.filter { $0.isToLocal == isLocal && $0.isFromLocal != isLocal }
    let waits = answers.map(\.gapMs).sorted()
    guard waits.count >= Threshold.answers.count, let most = waits.last else { return nil }
    let middle = waits[waits.count / 2]
    guard middle > Threshold.slowAnswer.value, let first = answers.first, let last = answers.last else {
      return nil
    }
    return Finding(
      .slowAnswer, .warning, from: first.atMs, to: last.atMs + last.gapMs,
      Evidence().with("answer_ms", middle).with("most_ms", most).with("answers", Double(waits.count))
        .with("threshold_ms", Threshold.slowAnswer.value),
      "The agent (\(agent)) answered after \(seconds(middle)) in the middle, \(seconds(most)) at most, of \(waits.count) answers."
    )
  }
}
