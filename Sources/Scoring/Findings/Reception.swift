import CallModel

/// What an end was to receive by what was agreed, where no stream of its own says it: by the answers of SDP (RFC 3264), else
/// by a call that was taken up.
public struct Reception: Sendable {
  public private(set) var sound = false
  /// Sound or picture.
  public private(set) var media = false

  /// What is agreed in these events of one end.
  public init(_ events: [EventRecord]) {
    var isAnswered = false
    for event in events {
      guard let agreed = Self.agreed(event) else { continue }
      isAnswered = true
      if !agreed.isEmpty { media = true }
      if agreed.contains(.audio) { sound = true }
    }
    // A PeerConnection that is connected has not been picked up by anyone, and may well only send.
    let established = events.first { $0.event == "call.established" && $0.sdk != "w3c" }
    guard !isAnswered, let established else { return }
    // SIP's descriptions may let one side only send; `unknown` where what says it was not captured.
    let far = events.contains { $0.event == "call.incoming" } ? "caller" : "callee"
    if let senders = established.argument("sound_from"), senders != far { return }
    sound = true
    media = true
  }

  /// What is to come to this end by an answer; nil for what is none, or does not tell.
  static func agreed(_ event: EventRecord) -> [MediaKind]? {
    guard let isOwn = isOwnAnswer(event) else { return nil }
    let sections = SessionDescription(event.args).sections
    guard !sections.isEmpty else { return nil }
    return sections.filter { isOwn ? $0.flow.receives : $0.flow.sends }.map(\.kind)
  }

  /// Whether an answer is this end's own; nil for what is none. An answer alone says which way media flows: what the offer
  /// does not allow, it may not either.
  public static func isOwnAnswer(_ event: EventRecord) -> Bool? {
    switch event.event {
    case "sdp.answer-created", "sdp.answer-sent": true
    case "sdp.local-setting": event.argument("type") == "answer" ? true : nil
    case "sdp.answer-received": false
    default: nil
    }
  }
}

/// A medium that one end of a call sent, and of which the other, which was to have it, got no packet meanwhile.
public struct MissingMedium {
  /// Sent for less than this tells nothing, ms.
  private static let leastMs = 5000.0

  private let kind: MediaKind
  /// From the first to the last packet that was sent, ms since the Unix epoch.
  private let sent: ClosedRange<Double>

  /// How many packets the reports of its sender count in that time, where they are what shows it.
  private let reported: Double?

  /// A medium sent in that time.
  public init(_ kind: MediaKind, sent: ClosedRange<Double>, reported: Double? = nil) {
    self.kind = kind
    self.sent = sent
    self.reported = reported
  }

  /// The finding; nil where it was sent for too short a time.
  public var finding: Finding? {
    let length = sent.upperBound - sent.lowerBound
    guard length >= Self.leastMs else { return nil }
    let evidence = Evidence().with("sent_ms", length).with("by", reported.map { _ in "sender reports" })
      .with("sent_packets", reported)
    guard kind == .audio else {
      return Finding(
        "no-picture", .warning, from: sent.lowerBound, to: sent.upperBound, evidence,
        "A picture was sent for \(seconds(length)), and no packet of it came to this end.")
    }
    var finding = Finding(
      "one-way-audio", .error, from: sent.lowerBound, to: sent.upperBound, evidence,
      "The other end sent sound for \(seconds(length)), and not one packet of it came to this end.")
    finding.missing = .packets
    return finding
  }
}

extension Reception {
  /// Whether a medium was to come to an end by the last answer among its events; nil where there is none.
  public static func isToReceive(_ kind: MediaKind, _ events: [EventRecord]) -> Bool? {
    events.compactMap(agreed).last?.contains(kind)
  }
}
