import CallModel

/// The media an end was to receive, if none of its streams shows it: from the SDP answers (RFC 3264), otherwise from
/// the fact that the call was answered.
public struct Reception: Sendable {
  public private(set) var sound = false
  /// Whether audio or video was to be received.
  public private(set) var media = false
  /// Whether answers say what was to be received.
  private(set) var isDescribed = false

  /// Derives the agreed media from the events of one end.
  public init(_ events: [EventRecord]) {
    for event in events {
      guard let agreed = Self.agreed(event) else { continue }
      isDescribed = true
      if !agreed.isEmpty { media = true }
      if agreed.contains(.audio) { sound = true }
    }
    // A connected PeerConnection is not an answered call, and may be sendonly.
    let established = events.first { $0.event == .callEstablished && $0.sdk != "w3c" }
    guard !isDescribed, let established else { return }
    // SIP descriptions may allow only one side to send; `unknown` if that was not captured.
    if let senders = established[.soundFrom], senders != Self.farEnd(events) { return }
    sound = true
    media = true
  }

  /// The media that an answer allows this end to receive; nil if the event is no answer or does not say.
  static func agreed(_ event: EventRecord) -> [MediaKind]? {
    guard let isOwn = isOwnAnswer(event) else { return nil }
    let sections = SessionDescription(event.args).sections
    guard !sections.isEmpty else { return nil }
    return sections.filter { isOwn ? $0.flow.receives : $0.flow.sends }.map(\.kind)
  }

  /// Whether an answer is this end's own; nil if the event is no answer. The answer alone decides the directions, since
  /// it may not allow what the offer does not.
  public static func isOwnAnswer(_ event: EventRecord) -> Bool? {
    switch event.event {
    case .sdpAnswerCreated, .sdpAnswerSent: true
    case .sdpLocalSetting: event[.type] == "answer" ? true : nil
    case .sdpAnswerReceived: false
    default: nil
    }
  }
}

/// A medium that one end of a call sent and of which the other end, which was to receive it, got no packet.
public struct MissingMedium {
  private let kind: MediaKind
  /// First and last packet sent, ms since the Unix epoch.
  private let sent: ClosedRange<Double>

  /// Packets in that time according to the sender's reports, if those are the evidence.
  private let reported: Double?

  /// A medium sent in the given time.
  public init(_ kind: MediaKind, sent: ClosedRange<Double>, reported: Double? = nil) {
    self.kind = kind
    self.sent = sent
    self.reported = reported
  }

  /// The finding; nil if the medium was sent for too short a time.
  public var finding: Finding? {
    let length = sent.upperBound - sent.lowerBound
    guard length >= Threshold.missingMedium.value else { return nil }
    let evidence = Evidence().with("sent_ms", length).with("by", reported.map { _ in "sender reports" })
      .with("sent_packets", reported)
    guard kind == .audio else {
      return Finding(
        .noPicture, .warning, from: sent.lowerBound, to: sent.upperBound, evidence,
        "A picture was sent for \(seconds(length)), and no packet of it came to this end.")
    }
    var finding = Finding(
      .oneWayAudio, .error, from: sent.lowerBound, to: sent.upperBound, evidence,
      "The other end sent sound for \(seconds(length)), and not one packet of it came to this end.")
    finding.missing = .packets
    return finding
  }
}

extension Reception {
  /// Whether an end was to receive a medium according to the last answer of its connection, or to any answer where it
  /// has several; nil if there is no answer.
  public static func isToReceive(_ kind: MediaKind, _ events: [EventRecord]) -> Bool? {
    let agreed = events.compactMap(agreed)
    guard let last = agreed.last else { return nil }
    return last.contains(kind) || agreed.contains { $0.contains(kind) } && sessions(events).count > 1
  }

  /// Whether the descriptions let the far end send a picture: those of WebRTC, or of SIP where there are none.
  public static func isPictureAllowed(_ events: [EventRecord]) -> Bool {
    if let isToReceive = isToReceive(.video, events) { return isToReceive }
    let agreed = events.last { $0.event == .callEstablished || $0.event == .callUpdated }
    guard let agreed, agreed.argument(MediaKind.video.rawValue) == "true" else { return false }
    return agreed[.pictureFrom].map { $0 == farEnd(events) } ?? true
  }

  /// From when on the descriptions of a call by SIP let this end send sound, ms since the Unix epoch; nil if they do not,
  /// or are not known.
  public static func soundDueMs(_ events: [EventRecord]) -> Double? {
    guard let agreed = events.first(where: { $0.event == .callEstablished && $0.sdk != "w3c" }) else {
      return nil
    }
    return agreed[.soundFrom].map { $0 == role(events) } ?? true ? agreed.timeMs : nil
  }

  /// The role of this end in a call by SIP.
  private static func role(_ events: [EventRecord]) -> String { isCallee(events) ? "callee" : "caller" }

  /// The role of the far end.
  private static func farEnd(_ events: [EventRecord]) -> String { isCallee(events) ? "caller" : "callee" }

  private static func isCallee(_ events: [EventRecord]) -> Bool {
    events.contains { $0.event == .callIncoming }
  }

  /// Whether all descriptions that the end itself made are of one session, like the offers and answers of one connection
  /// (RFC 3264 section 8).
  public static func hasOneConnection(_ events: [EventRecord]) -> Bool {
    sessions(events).count == 1
  }

  private static func sessions(_ events: [EventRecord]) -> Set<String> {
    let own: [EventName] = [
      .sdpLocalSetting, .sdpOfferCreated, .sdpAnswerCreated, .sdpOfferSent, .sdpAnswerSent,
    ]
    return Set(events.filter { own.contains($0.event) }.compactMap { SessionDescription($0.args).session })
  }
}
