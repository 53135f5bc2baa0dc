import CallModel
import Rendering

/// The worst stretches of all ends with their causes, worst first.
struct WorstLines {
  package let account: CallAccount
  package let zone: Zone
  package let width: Int
  package let most: Int
  /// Whether each stretch has one line with only the names of its causes.
  package let isBrief: Bool

  package init(_ account: CallAccount, zone: Zone, width: Int, most: Int = 5, isBrief: Bool = false) {
    (self.account, self.zone, self.width, self.most) = (account, zone, width, most)
    self.isBrief = isBrief
  }

  package var lines: [String] {
    let worst = account.ends.flatMap { end in ImpairedSpan.worst(end.windows).prefix(4).map { (end, $0) } }
      .sorted { ($0.1.figures?.mean ?? 0) < ($1.1.figures?.mean ?? 0) }.prefix(most)
    return worst.flatMap { end, stretch in
      let time =
        stretch.isThroughout(end.windows)
        ? "throughout" : "\(zone.clockText(stretch.startMs) ?? "?")–\(zone.clockText(stretch.endMs) ?? "?")"
      let who = account.ends.count > 1 ? " \(VisibleText.cut(VisibleText.visible(end.name), to: 20))," : ""
      if isBrief {
        let line = "\(time)\(who) \(stretch.briefWords)"
        return [VisibleText.cut(line, to: width)]
      }
      let words = stretch.words(
        at: end.name, place: ScoreCaveats(account).lossPlace(end),
        isEstimated: end.isConcealmentEstimated, unsent: ScoreCaveats(account).unsent(to: end))
      return VisibleText.wrap("\(time)\(who) \(words)", to: width - 2).enumerated().map {
        ($0 == 0 ? "" : "  ") + $1
      }
    }
  }
}
