import CallModel
import Packets
import Redaction

/// Quality reports of phones in SIP (RFC 6035, `X-RTP-Stat`), which become events of the call that they are
/// about.
struct ReportedQuality {
  /// Bodies already reported, because a PUBLISH may be retransmitted and pass several hops.
  private var seen: Set<String> = []
  /// Calls for which only a report was captured.
  private var alone: [String: MediaTransport] = [:]
  private static let most = 10_000
  /// The number of figures left out because they are impossible.
  private(set) var impossible = 0

  /// Takes the body of a PUBLISH or NOTIFY, whose reports name their call.
  mutating func take(
    _ body: Octets, from source: Endpoint, at timeNs: Int64, _ paths: MediaTransports,
    call: (String) -> MediaTransport?
  ) {
    let text = body.first(QualityReport.longest).text()
    guard seen.count < Self.most, seen.insert(text).inserted else { return }
    // Before it is taken apart: of a codec only letters and digits are kept.
    for report in QualityReport.reports(in: Redactor().text(text)) {
      impossible += report.impossible
      guard let id = report.callID else { continue }
      let captured = call(id)
      guard let path = captured ?? alone[id] ?? begin(id, report, source, paths) else { continue }
      let end = report.local != nil && path.ends.1.person == report.local ? 1 : 0
      path.reporters?.insert(end)
      if captured == nil { Self.addCall(report, on: path, end: end, timeNs) }
      Self.addReport(report, on: path, end: end, timeNs)
    }
  }

  /// Reports the start, end and streams of a call that was not captured, from the report.
  private static func addCall(_ report: QualityReport, on path: MediaTransport, end: Int, _ timeNs: Int64) {
    if let ssrc = report.localSSRC, !path[end].ssrcs.contains(ssrc) { path[end].ssrcs.append(ssrc) }
    if let ssrc = report.remoteSSRC, !path[1 - end].ssrcs.contains(ssrc) { path[1 - end].ssrcs.append(ssrc) }
    guard report.isOfSession else { return }
    let (start, stop) = report.span
    let nowMs = Double(timeNs) / 1e6
    // If the phone's clock is wrong, the duration is taken from the phone and the end from the time of the
    // report.
    let aheadMs = stop.map { abs($0 - nowMs) > farMs ? $0 - nowMs : 0 } ?? 0
    func at(_ ms: Double) -> Int64 { Int64((ms - aheadMs) * 1e6) }
    if let start, abs(start - aheadMs - nowMs) <= longestMs {
      path.add(.callEstablished, report.raw, at: at(start), end: end)
    }
    if report.isOfEnd, let stop { path.add(.callEnded, report.raw, at: at(stop), end: end) }
  }

  /// The maximum difference between the clocks of report and capture, ms. It exceeds the time for which a
  /// report may be retransmitted.
  private static let farMs = 600_000.0
  /// The maximum duration of a call, ms.
  private static let longestMs = 7 * 86_400_000.0

  private mutating func begin(
    _ id: String, _ report: QualityReport, _ source: Endpoint, _ paths: MediaTransports
  ) -> MediaTransport? {
    guard let path = paths.makeCall() else { return nil }
    path.call = id
    path.reporters = []
    path.ends.0.met(source)
    path.ends.0.person = report.local
    path.ends.1.person = report.remote
    if let isOfCaller = report.isOfCaller {
      (path.ends.0.invited, path.ends.1.invited) = (isOfCaller, !isOfCaller)
    }
    alone[id] = path
    return path
  }

  /// Takes a report in a header of a BYE.
  mutating func take(header report: QualityReport, on path: MediaTransport, end: Int, _ timeNs: Int64) {
    impossible += report.impossible
    Self.addReport(report, on: path, end: end, timeNs)
  }

  /// Reports what an end received, and how much of its media the other end received.
  private static func addReport(_ report: QualityReport, on path: MediaTransport, end: Int, _ timeNs: Int64) {
    for isSent in [false, true] {
      let members = report.arguments(isSent: isSent)
      guard !members.isEmpty else { continue }
      var w = ArgumentWriter()
      w.add("by", report.callID == nil ? report.kind : "vq-rtcpxr")
      w.add("of", isSent ? "sent" : "received")
      for member in members {
        if Double(member.value) != nil {
          w.add(raw: member.name, member.value)
        } else {
          w.add(member.name, member.value)
        }
      }
      path.add(.mediaQualityReported, report.raw, at: timeNs, end: end, args: w.text)
    }
  }
}
