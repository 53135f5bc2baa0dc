/// A problem, or something worth knowing, that a score cannot express, with its evidence.
public struct Finding: Sendable, Equatable {
  /// The code as it is stored: in a database of a later version it may be one that this version does not know.
  public let name: String
  /// The code; nil if this version does not know it.
  public let code: FindingCode?
  public var severity: Severity
  public var startMs: Double?
  public var endMs: Double?
  /// The figures behind it.
  public var evidence: Evidence
  /// One sentence for the user.
  public var text: String
  /// Which part of the audio was missing; set by the rule that found it, not stored.
  public var missing: MissingPart?

  /// Audio may not arrive, or arrive and be silent; the played audio may have a level of zero, which even noise does not
  /// have; or it may be played slower than time passes.
  public enum MissingPart: Sendable { case packets, voice, level, time }

  /// A finding.
  public init(_ code: FindingCode, _ severity: Severity, evidence: Evidence, text: String) {
    self.init(named: code.rawValue, severity, evidence: evidence, text: text)
  }

  /// A finding as stored.
  public init(named name: String, _ severity: Severity, evidence: Evidence, text: String) {
    self.name = name
    code = FindingCode(rawValue: name)
    self.severity = severity
    self.evidence = evidence
    self.text = text
  }
}

extension Finding {
  /// Whether the finding rests on logged events alone, whether or not there are statistics.
  public var isOfEvents: Bool { code.map(FindingCode.ofEvents.contains) ?? false }

  /// The finding at another time, as on another clock.
  public func shifted(byMs offset: Double) -> Finding {
    var finding = self
    finding.startMs = startMs.map { $0 + offset }
    finding.endMs = endMs.map { $0 + offset }
    return finding
  }
}
