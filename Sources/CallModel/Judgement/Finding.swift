/// A problem, or something worth knowing, that a score cannot express, with its evidence.
public struct Finding: Sendable, Equatable {
  /// Stable code, explained in docs/findings.md.
  public var code: String
  public var severity: Severity
  public var startMs: Double?
  public var endMs: Double?
  /// The figures behind it, as a JSON object.
  public var evidence: String
  /// One sentence for the user.
  public var text: String
  /// Which part of the audio was missing; set by the rule that found it, not stored.
  public var missing: MissingPart?

  /// Audio may not arrive, or arrive and be silent; or the played audio may have a level of zero, which even
  /// noise does not have.
  public enum MissingPart: Sendable { case packets, voice, level }

  /// A finding.
  public init(_ code: String, _ severity: Severity, evidence: String, text: String) {
    self.code = code
    self.severity = severity
    self.evidence = evidence
    self.text = text
  }
}

extension Finding {
  /// The finding at another time, as on another clock.
  public func shifted(byMs offset: Double) -> Finding {
    var finding = self
    finding.startMs = startMs.map { $0 + offset }
    finding.endMs = endMs.map { $0 + offset }
    return finding
  }
}
