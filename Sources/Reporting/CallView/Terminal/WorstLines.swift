import CallModel

/// The worst stretches of all ends, the worst first, with reasons.
struct WorstLines {
  let account: CallAccount
  let zone: Zone
  let width: Int

  init(_ account: CallAccount, zone: Zone, width: Int) {
    (self.account, self.zone, self.width) = (account, zone, width)
  }

  var lines: [String] {
    let worst = account.ends.flatMap { end in Stretch.worst(end.windows).prefix(4).map { (end, $0) } }
      .sorted { ($0.1.figures?.mean ?? 0) < ($1.1.figures?.mean ?? 0) }.prefix(5)
    return worst.flatMap { end, stretch in
      let time =
        stretch.isThroughout(end.windows)
        ? "throughout" : "\(zone.clockText(stretch.startMs) ?? "?")–\(zone.clockText(stretch.endMs) ?? "?")"
      let who = account.ends.count > 1 ? " \(VisibleText.cut(VisibleText.visible(end.name), to: 20))," : ""
      let words = stretch.words(
        at: end.name, place: ScoreCaveats(account).lossPlace(end),
        isEstimated: end.isMadeUpEstimated, unsent: ScoreCaveats(account).unsent(to: end))
      return VisibleText.wrap("\(time)\(who) \(words)", to: width - 2).enumerated().map {
        ($0 == 0 ? "" : "  ") + $1
      }
    }
  }
}
