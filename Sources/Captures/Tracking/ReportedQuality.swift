import CallModel
import Packets

/// Quality reports of telephones in SIP (RFC 6035, `X-RTP-Stat`), told on the call that they are of.
struct ReportedQuality {
  /// Bodies that were told, for a PUBLISH may be sent again and pass several hops.
  private var told: Set<String> = []
  /// Calls of which nothing but a report was captured.
  private var alone: [String: MediaTransport] = [:]
  private static let most = 10_000
  /// Figures that cannot be, and were left out.
  private(set) var impossible = 0

  /// Takes the body of a PUBLISH or NOTIFY, whose reports name their call.
  mutating func take(
    _ body: Octets, from source: Endpoint, at timeNs: Int64, _ paths: MediaTransports,
    call: (String) -> MediaTransport?
  ) {
    let text = body.first(QualityReport.longest).text()
    guard told.count < Self.most, told.insert(text).inserted else { return }
    for report in QualityReport.reports(in: text) {
      impossible += report.impossible
      guard let id = report.callID, let path = call(id) ?? alone[id] ?? begin(id, report, source, paths)
      else { continue }
      let end = report.local != nil && path.ends.1.person == report.local ? 1 : 0
      Self.tell(report, on: path, end: end, timeNs)
    }
  }

  private mutating func begin(
    _ id: String, _ report: QualityReport, _ source: Endpoint, _ paths: MediaTransports
  ) -> MediaTransport? {
    guard let path = paths.makeCall() else { return nil }
    path.call = id
    path.ends.0.met(source)
    path.ends.0.person = report.local
    path.ends.1.person = report.remote
    alone[id] = path
    return path
  }

  /// Takes the report that a header of a BYE is.
  mutating func take(header report: QualityReport, on path: MediaTransport, end: Int, _ timeNs: Int64) {
    impossible += report.impossible
    Self.tell(report, on: path, end: end, timeNs)
  }

  /// Tells what came in at an end, and what of its media came in at the other.
  private static func tell(_ report: QualityReport, on path: MediaTransport, end: Int, _ timeNs: Int64) {
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
      let raw = report.reason.map { "\(report.kind): \($0)" } ?? report.kind
      path.add("media.quality-reported", raw, at: timeNs, end: end, args: w.text)
    }
  }
}
