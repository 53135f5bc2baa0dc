import Bytes
import CallModel

/// The connectivity checks of a connection that has not come up: why it never did, the counts of its pairs tell.
struct ChecksSeen {
  fileprivate var timeMs: Double?
  fileprivate var line: Int?
  fileprivate var snapshots = 0
  fileprivate var pairs = 0
  fileprivate var figures: [Double] = []
  fileprivate var isRemotePrivate: Bool?
  /// Whether a pair worked: what comes later is no search for a way.
  fileprivate var isUp = false
  fileprivate var isTold = false
}

extension PeerConnection {
  private static let counts: [(field: NumberField, name: String)] = [
    (.requestsSent, "requests_sent"), (.responsesReceived, "responses_received"),
    (.requestsReceived, "requests_received"),
  ]

  /// Takes note of the checks that the open snapshot tells of.
  func noteChecks() throws {
    guard path.isTold, !path.checks.isUp else { return }
    var seen = ChecksSeen()
    seen.snapshots = path.checks.snapshots + 1
    seen.figures = Self.counts.map { _ in Double.nan }
    for report in presentReports where report.type == .pair || report.type == .googPair {
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
    if let state = path.transport?.text(.iceState), state == "connected" || state == "completed" {
      path.checks.isUp = true
      return
    }
    // Who gives up forgets its pairs: what was last seen of them stays.
    guard seen.pairs > 0 else { return }
    seen.line = line
    path.checks = seen
  }

  /// Tells of the checks, where no way was found. To be called when nothing more of the connection comes.
  func tellChecks() throws {
    let seen = path.checks
    // One look is what a poll sees of any connection that is about to come up.
    guard !seen.isUp, !seen.isTold, seen.snapshots > 1, seen.figures.contains(where: { !$0.isNaN }) else {
      return
    }
    path.checks.isTold = true
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
