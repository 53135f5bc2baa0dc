import CallModel
import Rendering

/// The ICE section: the candidates each end had and received, the pairs that carried packets, and the connectivity
/// checks.
struct PageCandidates {
  /// A candidate as known to an end.
  package struct Candidate: Equatable {
    package var end: String
    package var isRemote: Bool
    package var type: String
    package var networkProtocol: String
    package var address: String
    package var timeMs: Double?
    /// Whether packets were sent over it.
    package var isUsed = false
  }

  /// A candidate pair in its last report.
  struct Pair: Equatable {
    package var end: String
    /// Arguments of its event, by name.
    package var members: [String: String]

    package var cells: [String] {
      func text(_ name: String) -> String? {
        members[name].map { VisibleText.cut(VisibleText.visible($0), to: 60) }
      }
      func side(_ side: String) -> String {
        let kind = [text("\(side)_type"), text("\(side)_network")].compactMap { $0 }.joined(separator: ", ")
        let address = text(side) ?? ""
        return kind.isEmpty || address.isEmpty ? kind + address : "\(kind): \(address)"
      }
      func number(_ name: String) -> Double? { members[name].flatMap { Double($0) } }
      func count(_ name: String) -> String { number(name).map { CellText.shortest($0) } ?? CellText.unknown }
      let way = [text("protocol"), text("relay_protocol").map { "relay over \($0)" }].compactMap { $0 }
      let use =
        members["selected"] == "true" ? "in use" : members["nominated"] == "true" ? "nominated" : ""
      let bytes = [("sent", "bytes_sent"), ("received", "bytes_received")].compactMap { word, name in
        number(name).map { "\(Measure.size($0)) \(word)" }
      }
      return [
        end, side("local"), side("remote"), way.joined(separator: ", "), text("state") ?? CellText.unknown,
        use, count("requests_sent"), count("responses_received"), count("requests_received"),
        number("rtt_ms").map { Measure.duration($0) } ?? CellText.unknown, bytes.joined(separator: ", "),
      ]
    }
  }

  package let candidates: [Candidate]
  package private(set) var pairs: [Pair] = []
  /// Number of pairs without an event of their own.
  private var unlisted = 0
  /// The connectivity checks of each end of which they are known.
  package let checks: [(end: String, figures: ConnectivityFigures)]
  private let paths: [(end: String, step: PathStep)]
  private let zone: Zone
  /// Maximum number of candidates on a page; the database has all of them.
  private static let most = 200

  package init(_ account: CallAccount, _ zone: Zone) {
    self.zone = zone
    paths = account.ends.flatMap { end in end.path.map { (end.name, $0) } }
    let used = Set(
      paths.flatMap { path in
        [path.step.local, path.step.remote].compactMap { $0 }.map { "\(path.end) \($0)" }
      })
    var candidates: [Candidate] = []
    var seen: Set<String> = []
    checks = account.ends.map { ($0.name, account.connectivity(of: $0.name)) }.filter {
      $0.figures.sent != nil
    }
    for event in account.ownEvents {
      let end = event.end ?? "the call"
      if event.record.event == .mediaPathPairs {
        let members = Dictionary(JSONMembers.topLevel(of: event.record.args).map { ($0.name, $0.value) }) {
          $1
        }
        let listed = JSONMembers.objects(of: members["candidate_pairs"] ?? "[]").prefix(Self.most)
        pairs += listed.map { Pair(end: VisibleText.cut(VisibleText.visible(end), to: 40), members: $0) }
        unlisted += max(0, (members["count"].flatMap { Int($0) } ?? 0) - listed.count)
        continue
      }
      guard event.record.event == .iceCandidate || event.record.event == .iceRemoteCandidate else {
        continue
      }
      guard let line = event.record[.candidate].flatMap(CandidateLine.init) else {
        continue
      }
      let candidate = Candidate(
        end: end, isRemote: event.record.event == .iceRemoteCandidate, type: line.type,
        networkProtocol: line.networkProtocol, address: line.address, timeMs: event.record.timeMs,
        isUsed: used.contains("\(end) \(line.address)"))
      let key = "\(end) \(candidate.isRemote) \(candidate.networkProtocol) \(candidate.address)"
      if seen.insert(key).inserted { candidates.append(candidate) }
    }
    // If packets used a candidate that was never signalled (peer-reflexive), it is known from the transport.
    for (end, step) in paths {
      for (address, type, isRemote) in [
        (step.local, step.localType, false), (step.remote, step.remoteType, true),
      ] {
        guard let address,
          seen.insert("\(end) \(isRemote) \(step.networkProtocol ?? "udp") \(address)").inserted
        else { continue }
        candidates.append(
          Candidate(
            end: end, isRemote: isRemote, type: type ?? CellText.unknown,
            networkProtocol: step.networkProtocol ?? CellText.unknown,
            address: address, timeMs: nil, isUsed: true))
      }
    }
    self.candidates = candidates
  }

  package func write(to html: inout HTML) {
    guard !candidates.isEmpty || !checks.isEmpty || !pairs.isEmpty else { return }
    html.element("section", ["class": "card", "id": "ice"]) { card in
      card.element("h2", "Candidates and pairs")
      if !paths.isEmpty {
        card.element("ul") { list in
          for path in paths.prefix(20) { list.element("li", words(path.end, path.step)) }
        }
      }
      if !checks.isEmpty {
        card.element("ul") { list in
          for check in checks { list.element("li", words(check.end, check.figures)) }
        }
      }
      if !pairs.isEmpty { pairTable(&card) }
      guard !candidates.isEmpty else { return }
      card.element("details") { more in
        more.element("summary", Plural.of(candidates.count, "candidate"))
        more.scrollBox("Candidates") { table(&$0) }
        if candidates.count > Self.most {
          more.element(
            "p", ["class": "note"],
            "\(Plural.of(candidates.count - Self.most, "more is", "more are")) not on this page: callqa events has them."
          )
        }
      }
    }
  }

  private static let pairColumns = [
    "end", "its own candidate", "the other end's", "protocol", "state", "use", "checks sent", "answered",
    "checks received", "round trip", "bytes",
  ]

  private func pairTable(_ html: inout HTML) {
    html.scrollBox("Candidate pairs") { box in
      box.table(Self.pairColumns) { body in
        for pair in pairs.prefix(Self.most) { body.row(pair.cells, isNumber: (6...9).contains) }
      }
    }
    if unlisted > 0 {
      html.element(
        "p", ["class": "note"],
        "\(Plural.of(unlisted, "more pair")) carried less, and \(Plural.word(unlisted, "was", "were")) tried less often."
      )
    }
  }

  private func table(_ html: inout HTML) {
    html.table(["end", "whose", "type", "protocol", "address", "known from", "use"]) { body in
      for candidate in candidates.prefix(Self.most) {
        body.row([
          VisibleText.cut(candidate.end, to: 40), candidate.isRemote ? "the other end's" : "its own",
          candidate.type, candidate.networkProtocol, candidate.address,
          candidate.timeMs.flatMap { zone.preciseClockText($0) } ?? "packets",
          candidate.isUsed ? "in use" : "",
        ])
      }
    }
  }

  private func words(_ end: String, _ step: PathStep) -> String {
    func side(_ type: String?, _ address: String?) -> String {
      [type, address].compactMap { $0 }.joined(separator: " ").nonEmptyOr("an unknown address")
    }
    var words =
      "\(VisibleText.cut(end, to: 40)): \(side(step.localType, step.local)) to \(side(step.remoteType, step.remote))"
    if let name = step.networkProtocol { words += ", \(name)" }
    if let relay = step.relayProtocol { words += ", to the relay over \(relay)" }
    if step.isChange, let clock = zone.clockText(step.fromMs) { words += ", from \(clock)" }
    return VisibleText.visible(words) + "."
  }

  private func words(_ end: String, _ check: ConnectivityFigures) -> String {
    var words = VisibleText.cut(end, to: 40) + ": "
    words +=
      check.pairs.map { Plural.of($0, "pair was checked", "pairs were checked") } ?? "pairs were checked"
    if let sent = check.sent {
      words += "; \(Plural.of(sent, "check")) sent" + (check.answered.map { ", \($0) answered" } ?? "")
    }
    if let received = check.received { words += "; \(received) came from the other end" }
    return words + "."
  }
}

extension String {
  fileprivate func nonEmptyOr(_ other: String) -> String { isEmpty ? other : self }
}
