import CallModel
import Rendering

extension CallAccount {
  /// The end that ended the call, as recorded: by its name, by its own record, or by that of the only other end.
  var whoHungUp: String? {
    for event in events where event.record.event == .callEnded {
      let by = event.record[.by] ?? event.record[.reason]
      // The side is known where only one of the two is on record.
      if by == "caller" || by == "callee" || ends.contains(where: { $0.name == by }) { return by }
      guard let end = event.end else { continue }
      if by == "local" { return end }
      if by == "remote", ends.count == 2 { return ends.first { $0.name != end }?.name }
    }
    return nil
  }

  /// How long before the end of a conference an end was over that left it, ms: all that hang up together do so sooner.
  private static let minLeftMs = 5000.0

  /// Who left a conference before its end, sessions that were suspended, and calls that went over to another device.
  var moves: [String] {
    guard let start = zeroMs, let last = lastMs else { return [] }
    let ended = events.filter { $0.record.event == .callEnded }
    let left =
      ends.count < 3
      ? []
      : ends.compactMap { end -> String? in
        guard let atMs = ended.filter({ $0.end == end.name }).compactMap(\.record.timeMs).max(),
          last - atMs >= Self.minLeftMs, end.windows.allSatisfy({ $0.startMs < atMs })
        else { return nil }
        return Measure.sentence("\(EndWords.name(end.name)) left at \(Measure.clock(atMs - start)).")
      }
    let away = Spans.of(self).compactMap { span -> String? in
      let who = span.end.map(EndWords.name) ?? "an end"
      let what: String
      switch span.cause {
      case .callHeld where LoggedWords(account: self).held == nil: what = "\(who) held the call"
      case .sessionSuspended, .sessionHibernated: what = "\(who)'s session was \(span.label)"
      default: return nil
      }
      let until = span.untilMs.map { " to \(Measure.clock($0 - start))" } ?? " on"
      return Measure.sentence("\(what) from \(Measure.clock(span.fromMs - start))\(until).")
    }
    let over = ownEvents.first { $0.record.event == .callHandedOver }?.record.timeMs
    return left.prefix(3) + away.prefix(3)
      + (over.map { ["The call was handed over at \(Measure.clock($0 - start))."] } ?? [])
  }
}
