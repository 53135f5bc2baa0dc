import Bytes
import CallModel

/// The candidate pairs of a connection: which were checked, and the results.
extension PeerConnection {
  /// The most pairs emitted per connection, the most active first: a machine with many networks has hundreds.
  private static let maxPairs = 24

  /// Emits the pairs if their checks were counted. Call it at the end of the connection.
  func emitPairs() throws {
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
        timeMs: try latest.flatMap { try time(of: $0) }, event: EventVocabulary.pathPairs,
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
