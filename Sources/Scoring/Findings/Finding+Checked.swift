import CallModel

extension Finding {
  /// Creates a finding with its time. In debug builds it must be as `FindingInfo` says.
  public init(
    _ code: FindingCode, _ severity: Severity, from start: Double?, to end: Double?, _ evidence: Evidence,
    _ text: String
  ) {
    assert(
      FindingInfo.of(code).map { info in
        info.severities.contains { $0.key == severity }
          && evidence.members.allSatisfy { member in info.evidence.contains { $0.name == member.name } }
      } == true, "FindingInfo does not have \(severity) \(code.rawValue) with \(evidence.json)")
    self.init(code, severity, evidence: evidence, text: text)
    startMs = start
    endMs = end
  }
}
