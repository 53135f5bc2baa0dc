/// What is known of a code before any call is looked at. The rules take their thresholds from here, and
/// `docs/findings.md` is generated from it.
public struct FindingInfo: Sendable {
  public let code: FindingCode
  /// The severities it can have, each with the condition for it; the first is the usual one.
  public let severities: KeyValuePairs<Severity, String>
  /// One sentence for the table of contents.
  public let meaning: String
  public let thresholds: [Threshold]
  /// All members that its evidence may have.
  public let evidence: [EvidenceMember]

  init(
    _ code: FindingCode, _ severities: KeyValuePairs<Severity, String>, _ meaning: String,
    _ thresholds: [Threshold] = [], evidence: [EvidenceMember]
  ) {
    (self.code, self.severities, self.meaning) = (code, severities, meaning)
    (self.thresholds, self.evidence) = (thresholds, evidence)
  }

  /// All codes, in the order of `FindingCode`.
  public static let all = ofMedia + ofConnections + ofSources + ofCaptures + ofLogs

  private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

  /// What is known of a code.
  public static func of(_ code: FindingCode) -> FindingInfo? { byCode[code] }
}

/// A member of the evidence of a finding: a figure, or a word.
public struct EvidenceMember: Sendable {
  public let name: String
  public let unit: String
  public let meaning: String

  static func ms(_ name: String, _ meaning: String) -> Self {
    .init(name: name, unit: "ms", meaning: meaning)
  }
  static func share(_ name: String, _ meaning: String) -> Self {
    .init(name: name, unit: "share", meaning: meaning)
  }
  static func number(_ name: String, _ unit: String, _ meaning: String) -> Self {
    .init(name: name, unit: unit, meaning: meaning)
  }
  static func text(_ name: String, _ meaning: String) -> Self {
    .init(name: name, unit: "text", meaning: meaning)
  }

  static let threshold = ms("threshold_ms", "the threshold that was passed")
  static let level = number(
    "level_threshold", "0–1", "the level under which nothing can be heard, 1 = full scale")
  static let silent = ms("silent_ms", "how long nothing could be heard")
  static let withoutPackets = ms("without_packets_ms", "how long no packet came")
  static let notSent = ms("not_sent_ms", "how long none was sent")
  static let sentPackets = number("sent_packets", "packets", "how many the sender counts in that time")
  static let kind = text("kind", "`audio` or `video`")
  static let ssrc = number("ssrc", "SSRC", "the stream")
  static let packets = number("packets", "packets", "how many of them")
  static let returned = number("returned", "errors", "ICMP errors that came back")
  static let icmpError = text("error", "what they say")
  static let sentBy = text("sent_by", "`this end`, where the finding is at the end that sent them")
  static let endedBy = text("ended_by", "`failure`, `giving up` or `end of the recording`")
  static let outage: [EvidenceMember] = [
    ms("out_ms", "how long it was out in all"), number("times", "outages", "how many there were"),
    ms("longest_ms", "the longest of them"), number("attempts", "attempts", "to come back"),
  ]
  static let device: [EvidenceMember] = [
    text("code", "the code or name of the error"), text("raw", "the event's own name"),
  ]
}
