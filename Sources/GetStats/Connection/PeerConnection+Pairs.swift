import Bytes
import CallModel

/// The current path of a connection's media.
struct PathState {
  /// Facts that do not change from poll to poll.
  var sample = TransportSample(timeMs: 0)
  var transport: Report?
  var pair: Report?
  /// The nominated pairs, one of which carries the media, if nothing says which.
  var nominated: [Report] = []
  /// goog-* statistics and Chrome's bandwidth estimate, from before it was part of the pair.
  var bandwidth: Report?
  /// Whether the snapshot has any report of a path: many logs only have those of streams.
  var isReported = false
  /// Whether the path changed since it was last emitted.
  var isChanged = false
  var lastTimeMs = -Double.infinity
  /// Its members without a column as last emitted, and their pair.
  var reported = ReportedMembers()
  var emittedPair: ObjectIdentifier?
  var hasEmittedPairs = false
  /// The connectivity checks, until the connection is up.
  var checks = CheckCounts()
}

/// The candidate pairs of a connection: which were checked, and the results.
extension PeerConnection {
  /// The most pairs emitted per connection, the most active first: a machine with many networks has hundreds.
  private static let maxPairs = 24

  /// Emits the pairs if their checks were counted. Call it at the end of the connection.
  private func emitPairs() throws {
    guard !path.hasEmittedPairs else { return }
    let pairs = knownReports.filter { $0.type == .pair || $0.type == .googPair }
    guard pairs.contains(where: { $0.number(.requestsSent) != nil || $0.number(.responsesReceived) != nil })
    else { return }
    path.hasEmittedPairs = true
    let shown = pairs.enumerated().sorted {
      let (a, b) = (rank($0.element), rank($1.element))
      return a == b ? $0.offset < $1.offset : a > b
    }
    var json = ByteWriter()
    json.append("{\"count\":\(pairs.count),\"candidate_pairs\":[")
    for (place, pair) in shown.prefix(Self.maxPairs).enumerated() {
      if place > 0 { json.append(",") }
      write(pair.element, to: &json)
    }
    json.append("]}")
    let latest = pairs.max { $0.snapshot < $1.snapshot }
    try context.sink.event(
      EventRecord(
        timeMs: try latest.flatMap { try time(of: $0) }, event: .mediaPathPairs,
        raw: "candidate-pair", args: json.string, line: line), of: number)
  }

  /// The selected pair first, then by bytes carried, then by checks sent.
  private func rank(_ pair: Report) -> (Int, Double, Double) {
    (isSelected(pair) ? 1 : 0, pair.carriedBytes, pair.number(.requestsSent) ?? 0)
  }

  private func isSelected(_ pair: Report) -> Bool {
    pair.number(.selected) == 1 || path.emittedPair == ObjectIdentifier(pair)
  }

  private func write(_ pair: Report, to json: inout ByteWriter) {
    let local = candidate(pair.bytes(.localCandidate))
    let remote = candidate(pair.bytes(.remoteCandidate))
    json.append("{\"selected\":\(isSelected(pair)),\"nominated\":\(pair.number(.nominated) == 1)")
    let texts = [
      ("state", pair.text(.pairState)),
      ("local_type", (local?.text(.candidateType) ?? pair.text(.localType)).map(CandidateWords.type)),
      ("remote_type", (remote?.text(.candidateType) ?? pair.text(.remoteType)).map(CandidateWords.type)),
      ("local", address(local) ?? pair.text(.localAddress)),
      ("remote", address(remote) ?? pair.text(.remoteAddress)),
      ("protocol", (local ?? remote)?.text(.networkProtocol)?.lowercased()),
      ("relay_protocol", local?.text(.relayProtocol)?.lowercased()),
      ("local_network", local?.text(.networkType).map(CandidateWords.network)),
      ("remote_network", remote?.text(.networkType).map(CandidateWords.network)),
    ]
    for case (let name, let text?) in texts {
      json.append(",\"\(name)\":")
      json.append(json: text)
    }
    let answered = pair.number(.responsesReceived)
    let mean = pair.number(.totalRoundTripMs).flatMap { sum in
      answered.flatMap { $0 > 0 ? (sum / $0 * 100).rounded() / 100 : nil }
    }
    let figures = [
      ("requests_sent", pair.number(.requestsSent)), ("responses_received", answered),
      ("requests_received", pair.number(.requestsReceived)),
      ("responses_sent", pair.number(.responsesSent)), ("rtt_ms", mean ?? pair.number(.roundTripMs)),
      ("bytes_sent", pair.number(.bytesSent)), ("bytes_received", pair.number(.bytesReceived)),
    ]
    for case (let name, let figure?) in figures {
      json.append(",\"\(name)\":")
      json.append(figure)
    }
    json.append("}")
  }

  private func candidate(_ id: [UInt8]) -> Report? {
    id.isEmpty ? nil : id.withUnsafeBufferPointer { known($0) }
  }
}

/// The connectivity checks of a connection that is not up: the counts of its pairs show why.
struct CheckCounts {
  fileprivate var timeMs: Double?
  fileprivate var line: Int?
  fileprivate var snapshots = 0
  fileprivate var pairs = 0
  fileprivate var figures: [Double] = []
  fileprivate var isRemotePrivate: Bool?
  /// Snapshots with candidates of this end, a transport that is not up, and no pair, before the first pair.
  fileprivate var withoutPairs = 0
  /// Whether a pair worked: later checks are not part of connecting.
  fileprivate var isUp = false
  fileprivate var isReported = false
}

extension PeerConnection {
  private static let counts: [(field: NumberField, name: String)] = [
    (.requestsSent, "requests_sent"), (.responsesReceived, "responses_received"),
    (.requestsReceived, "requests_received"),
  ]

  /// Records the checks in the open snapshot.
  func noteChecks() throws {
    guard path.isReported, !path.checks.isUp else { return }
    var seen = CheckCounts()
    var hasCandidates = false
    seen.snapshots = path.checks.snapshots + 1
    seen.figures = Self.counts.map { _ in Double.nan }
    for report in presentReports {
      if report.type == .localCandidate { hasCandidates = true }
      guard report.type == .pair || report.type == .googPair else { continue }
      if report.text(.pairState) == "succeeded" || report.number(.bytesReceived) ?? 0 > 0 {
        path.checks.isUp = true
        return
      }
      seen.pairs += 1
      seen.timeMs = try time(of: report) ?? seen.timeMs
      for (place, count) in Self.counts.enumerated() {
        guard let number = report.number(count.field) else { continue }
        seen.figures[place] = (seen.figures[place].isNaN ? 0 : seen.figures[place]) + number
      }
      let address = present(report.bytes(.remoteCandidate))?.text(.address)
      if let known = address.flatMap(PrivateAddress.isPrivate) {
        seen.isRemotePrivate = (seen.isRemotePrivate ?? true) && known
      }
    }
    let state = path.transport?.text(.iceState)
    if state == "connected" || state == "completed" {
      path.checks.isUp = true
      return
    }
    guard seen.pairs > 0 else {
      // After giving up, the pairs are gone: keep the last ones.
      if path.checks.snapshots == 0, hasCandidates, let state, state != "closed",
        let transport = path.transport
      {
        path.checks.withoutPairs += 1
        (path.checks.timeMs, path.checks.line) = (try time(of: transport), line)
      }
      return
    }
    seen.line = line
    path.checks = seen
  }

  /// Emits the pairs, and the checks if no pair worked. Call it at the end of the connection.
  func emitChecks() throws {
    try emitPairs()
    let seen = path.checks
    // A single snapshot may be of a connection that is about to come up.
    let isPairless = seen.snapshots == 0 && seen.withoutPairs > 1
    guard !seen.isUp, !seen.isReported,
      isPairless || seen.snapshots > 1 && seen.figures.contains(where: { !$0.isNaN })
    else { return }
    path.checks.isReported = true
    var json = ByteWriter()
    json.append("{\"pairs\":\(seen.pairs)")
    for (count, figure) in zip(Self.counts, seen.figures) where !figure.isNaN && figure < 1e15 {
      json.append(",\"\(count.name)\":\(Int(figure))")
    }
    if let isPrivate = seen.isRemotePrivate { json.append(",\"remote_private\":\(isPrivate)") }
    json.append("}")
    try context.sink.event(
      EventRecord(
        timeMs: seen.timeMs, event: ConnectivityFigures.event, raw: "candidate-pair", sdk: "w3c",
        args: json.string, line: seen.line), of: number)
  }
}
