import CallModel
import Rendering

/// The candidates of an end in words, for calls without a working path.
package struct CandidateWords {
  private let end: String
  private var kinds: [String: Int] = [:]
  private var hasChecked = false
  private var checksMs: Double?
  private var isGivenTURN = false

  package init(_ account: CallAccount, _ end: String) {
    self.end = end
    let events = account.ownEvents.filter { $0.end == end }
    var seen: Set<String> = []
    for event in events where event.record.event == .iceCandidate {
      // An end may have told one of several connections, and a candidate once for each of them.
      guard let type = event.record[.candidateType],
        event.record[.candidate].flatMap(CandidateLine.init).map({
          seen.insert("\($0.networkProtocol) \($0.address)").inserted
        }) ?? true
      else { continue }
      let transport = event.record[.networkProtocol]?.lowercased()
      kinds[transport.map { "\(type)/\($0)" } ?? type, default: 0] += 1
    }
    isGivenTURN = events.lazy.map(\.record).hasTURN
    hasChecked = events.contains { $0.record.event == .iceChecking || $0.record.event == .iceFailed }
    let checking = events.first { $0.record.event == .iceChecking }?.record.timeMs
    let failed = events.last { $0.record.event == .iceFailed || $0.record.event == .iceDisconnected }?
      .record.timeMs
    if let checking, let failed, failed > checking { checksMs = failed - checking }
  }

  /// `For 15 s the caller tried 2 host/udp candidates, but no relay (TURN).` Ends with the same candidates are
  /// combined. Empty if no candidate is known, or if none was tried because the far end's never arrived. The outcome of
  /// the checks follows.
  package static func sentences(_ account: CallAccount) -> [String] {
    tried(account) + account.ends.prefix(4).compactMap { checks(account, $0.name) }
  }

  private static func checks(_ account: CallAccount, _ end: String) -> String? {
    let figures = account.connectivity(of: end)
    let parts = [figures.checks, figures.farEnd].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    return "At \(EndWords.name(end)) \(parts.joined(separator: ", and "))."
  }

  private static func tried(_ account: CallAccount) -> [String] {
    let ends = account.ends.map { CandidateWords(account, $0.name) }
      .filter { $0.hasChecked && !$0.kinds.isEmpty }
    if ends.count == 2, ends[0].kinds == ends[1].kinds {
      return [ends[0].sentence(who: "both ends", each: " each")]
    }
    return ends.prefix(4).map { $0.sentence(who: EndWords.name($0.end), each: "") }
  }

  private func sentence(who: String, each: String) -> String {
    let order = ["host", "srflx", "prflx", "relay"]
    func rank(_ kind: String) -> Int { order.firstIndex { kind.hasPrefix($0) } ?? order.count }
    let offered = kinds.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }.map { kind, count in
      Plural.of(count, "\(VisibleText.visible(kind)) candidate")
    }
    let missing =
      kinds.keys.contains { $0.hasPrefix("relay") }
      ? ""
      : isGivenTURN ? ", but no relay: its TURN server gave none" : ", but no relay (TURN)"
    let time = checksMs.map { "for \(Measure.duration($0)) " } ?? ""
    return Measure.sentence("\(time)\(who) tried \(Measure.list(offered))\(each)\(missing).")
  }
}

extension CallAccount {
  /// What is known of the checks of an end: what the finding that judges them counted, else what its own file did. The
  /// other files of the end tell of the same checks.
  func connectivity(of end: String) -> ConnectivityFigures {
    var figures = ownEvents.filter { $0.end == end }.map(\.record).connectivity
    guard
      let judged = findings.first(where: { $0.end == end && $0.finding.code == .iceNeverConnected })?.finding
    else { return figures }
    func number(_ name: String) -> Int? { judged.evidence.number(name).map { Int(max(0, min($0, 1e12))) } }
    figures.pairs = number("pairs") ?? figures.pairs
    figures.sent = number("checks_sent") ?? figures.sent
    figures.answered = number("checks_answered") ?? figures.answered
    figures.received = number("checks_received") ?? figures.received
    return figures
  }
}

/// What a candidate line (RFC 8839) shows of a candidate: foundation, component, protocol, priority, address, port, `typ`
/// and type.
package struct CandidateLine {
  package let type: String
  package let networkProtocol: String
  /// `ip:port`.
  package let address: String

  /// Fails if the text is no candidate line.
  package init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 12)
    guard words.count >= 8, words[6] == "typ" else { return nil }
    let address = words[4].contains(":") ? "[\(words[4])]:\(words[5])" : "\(words[4]):\(words[5])"
    type = VisibleText.cut(String(words[7]), to: 12)
    networkProtocol = VisibleText.cut(words[2].lowercased(), to: 8)
    self.address = VisibleText.cut(address, to: 80)
  }
}
