/// Something wrong (or worth knowing) that a score cannot say, with its evidence.
public struct Finding: Sendable, Equatable {
  /// Stable word, explained in docs/findings.md.
  public var code: String
  public var severity: Severity
  public var startMs: Double?
  public var endMs: Double?
  /// The figures it rests on, as a JSON object.
  public var evidence: String
  /// One sentence for people.
  public var text: String
  /// What of sound was missing; told by the rule that found it, and not kept.
  public var missing: MissingPart?

  /// Sound may not come, or come and be silent; or what is played of it has no level at all, which even noise has.
  public enum MissingPart: Sendable { case packets, voice, level }

  /// A finding.
  public init(_ code: String, _ severity: Severity, evidence: String, text: String) {
    self.code = code
    self.severity = severity
    self.evidence = evidence
    self.text = text
  }
}
