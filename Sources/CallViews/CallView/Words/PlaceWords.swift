import CallModel
import Rendering

/// Where the fault of a call was, and what began it, in words.
struct PlaceWords {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  /// `Where: the caller's uplink (2 of 2 receivers lost 13 % of what it sent).`; of a bad call of which it is not known,
  /// what would tell. Nil where nothing is wrong.
  var sentence: String? {
    let call = account.call
    if let marked = call.markedPlace {
      let why = call.markedPlaceWhy.map { ": \(VisibleText.visible(VisibleText.cut($0, to: 100)))" } ?? ""
      let judged = call.place.map { ", judged \($0.rule.place.rawValue)" } ?? ""
      return "Where: \(place(marked, of: call.markedPlaceEnd)) (marked by a person\(why)\(judged))."
    }
    if let fault = call.place {
      return
        "Where: \(place(fault.rule.place, of: fault.end, isOfOther: true)) (\(VisibleText.visible(fault.evidence)))."
    }
    guard let verdict = call.verdict, [.silent, .noPicture, .poor].contains(verdict.value) else { return nil }
    if verdict.reason == .notForwarded {
      let who = verdict.end.map(EndWords.name) ?? "the listener"
      return "Where: not known; the server's log would tell, or what \(who) had subscribed to."
    }
    return account.ends.count(where: \.isOnRecord) < 2
      ? "Where: not known; the record of the other end would tell." : "Where: not known."
  }

  /// - Parameter isOfOther: whether a place without an end is of the one that is not on record.
  private func place(_ place: Place, of end: String?, isOfOther: Bool = false) -> String {
    let of = end.map { EndWords.name($0) + "'s " } ?? (isOfOther ? "the other end's " : "")
    return switch place {
    case .senderSource: of + "camera or microphone"
    case .senderMachine, .receiverMachine: of + "machine"
    case .application: of + "application"
    case .senderNetwork: of + "uplink"
    case .receiverNetwork: of + "downlink"
    case .server: "the server"
    case .relay: "the relay"
    case .network: "the way between the two ends"
    case .signalling: "signalling"
    case .firewall: end.map { "a firewall at \(EndWords.name($0))" } ?? "a firewall"
    }
  }

  /// `What began it: the way to the callee carried 190 kb/s, and 1.8 Mb/s before, from 0:10 to 0:21; it cost 70 of 74
  /// points, and without it the score would be 96.` Nil where the words of the place say it.
  var rootCause: String? {
    guard let root = account.call.rootCause, let end = root.end else { return nil }
    let name = EndWords.name(end)
    switch root.code {
    case .capacity:
      guard let carried = root.carriedBps else { return nil }
      let before = root.beforeBps.map { ", and \(Measure.bitrate($0)) before" }
      return
        "What began it: the way to \(name) carried \(before == nil ? "only " : "")\(Measure.bitrate(carried))\(before ?? "")\(time(of: root))\(cost(of: root))."
    case .handover:
      let at = account.zeroMs.map { " at \(Measure.clock(max(0, root.span.lowerBound - $0)))" } ?? ""
      return "What began it: \(name) went over to another network\(at)."
    case .asleep, .processor, .source, .application, .playout, .server, .loss: return nil
    }
  }

  private func time(of root: RootCause) -> String {
    guard let zero = account.zeroMs else { return "" }
    let (from, until) = (root.span.lowerBound - zero, root.span.upperBound - zero)
    let lasts = account.lastMs.map { root.span.upperBound >= $0 - Self.edgeMs } ?? false
    if from <= Self.edgeMs {
      return lasts ? " from the start" : ", from the start to \(Measure.clock(until))"
    }
    return ", from \(Measure.clock(from)) \(lasts ? "on" : "to \(Measure.clock(until))")"
  }

  private func cost(of root: RootCause) -> String {
    guard let share = root.share, let score = account.ends.first(where: { $0.name == root.end })?.score?.mean
    else { return "" }
    let lost = 100 - score
    let own = share * lost
    guard own.rounded() >= 1 else { return "" }
    return
      "; it cost \(Measure.points(own)) of \(Measure.points(lost)) points, and without it the score would be \(Measure.points(score + own))"
  }

  /// How close to the first or last time of a call it is its start or its end, ms.
  private static let edgeMs = 2500.0
}
