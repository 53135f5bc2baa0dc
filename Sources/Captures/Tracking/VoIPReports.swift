import Packets

/// The quality of a stream as its receivers reported it in VoIP metrics (RFC 3611 section 4.7): the maker's
/// own figures, reported like the quality reports of phones. A block covers the whole stream so far, so only
/// the last one is needed.
struct VoIPReports {
  private struct Key: Hashable {
    var flow: ObjectIdentifier
    var fromLow: Bool
    var ssrc: UInt32
  }

  private struct Report {
    var ssrc: UInt32
    var metrics: ReceiverReports.VoIPMetrics
    /// The stream, if any of its packets had been captured by then, and the flow on which the report came.
    var stream: MediaStream?
    var flow: Flow
    var fromLow: Bool
    var timeNs: Int64
  }

  private var reports: [Key: Report] = [:]
  private static let most = 10_000

  /// Takes a block of 36 bytes; returns false if there are too many.
  mutating func take(
    _ block: Octets, of ssrc: UInt32, _ stream: MediaStream?, _ flow: Flow, fromLow: Bool, at timeNs: Int64
  ) -> Bool {
    let key = Key(flow: ObjectIdentifier(flow), fromLow: fromLow, ssrc: ssrc)
    guard reports.count < Self.most || reports[key] != nil else { return false }
    reports[key] = Report(
      ssrc: ssrc, metrics: ReceiverReports.VoIPMetrics(block), stream: stream ?? reports[key]?.stream,
      flow: flow, fromLow: fromLow, timeNs: timeNs)
    return true
  }

  /// Adds the reports to their calls. If no packet of the stream was captured, a call is created for the flow
  /// on which the report came.
  func addReports(on paths: MediaTransports, _ stream: (UInt32) -> MediaStream?) {
    for report in reports.values.sorted(by: { ($0.timeNs, $0.ssrc) < ($1.timeNs, $1.ssrc) }) {
      let place: (path: MediaTransport, end: Int)
      if let stream = report.stream ?? stream(report.ssrc) {
        place = MediaTransport.whole(stream.path, 1 - stream.sender)
      } else if let path = paths.path(of: report.flow) {
        let lowEnd = report.flow.lowEnd
        place = MediaTransport.whole(path, report.fromLow ? lowEnd : 1 - lowEnd)
      } else {
        continue
      }
      // At the capturing end, the far end's report is about what was sent.
      let isSent = place.path.local.map { $0 != place.end } ?? false
      var w = ArgumentWriter()
      w.add("by", "rtcp-xr")
      w.add("of", isSent ? "sent" : "received")
      w.add("ssrc", Int(report.ssrc))
      report.metrics.write(to: &w)
      place.path.add(
        "media.quality-reported", "RTCP XR: VoIP metrics", at: report.timeNs,
        end: isSent ? 1 - place.end : place.end, args: w.text)
    }
  }
}
