import CallModel
import Scoring

/// The ends of a call of two: what one misses, the other may not have sent.
struct FarEnd {
  private let ends: [EndpointAssessment]
  /// Reports of what an end received come so long after it, ms.
  private static let reportsMs = 10_000.0

  init(_ ends: [EndpointAssessment]) { self.ends = ends }

  /// The findings of an end, with what the other end's statistics say of them. Who is heard in a call of more is not known.
  func findings(of end: EndpointAssessment) -> [Finding] {
    guard ends.count == 2, let other = ends.first(where: { $0.endpoint.key != end.endpoint.key }) else {
      return end.findings
    }
    let notSent = other.notSent.shifted(byMs: other.onCallClock(0) - end.onCallClock(0))
    // What the other end received, its own file says better than its reports, as far as that goes.
    let known = other.hasReceived ? other.media.map { other.onCallClock($0.upperBound) } : nil
    return end.findings.filter { finding in
      guard finding.code == "remote-loss", let known else { return true }
      return finding.endMs.map { end.onCallClock($0) > known + Self.reportsMs } ?? false
    }.map(notSent.explain)
  }
}
