/// The parts of a call's setup, in the order they are shown (docs: setup time).
public enum PhaseName: String, Sendable, CaseIterable {
  case capture, gathering, signalling
  /// The wait for a push to wake the called telephone; only if one was sent or received.
  case push
  case ringing, negotiation, ice, dtls
  /// Both together, if no event separates them.
  case iceAndDtls = "ice+dtls"
  case firstPacket = "first-packet"
  case firstFrame = "first-frame"
  case firstAudio = "first-audio"
}

/// Measured, did not happen, or cannot be known from the sources.
public enum PhaseState: String, Sendable, CaseIterable {
  case measured, absent, unknown
}

/// One phase of one setup attempt of one end.
public struct Phase: Sendable, Equatable {
  public var name: PhaseName
  public var state: PhaseState
  public var startMs: Double?
  /// Set only if `state` is measured.
  public var durationMs: Double?
  /// How much of it the setup waited for, ms: without what went on beside something else that was needed, a
  /// person's time, and what came after the connection. Set only if `state` is measured.
  public var waitedMs: Double?
  /// Canonical names of the events at its start and end.
  public var fromEvent: EventName?
  public var toEvent: EventName?
  /// Why it took so long, if that is evident; for an unknown phase, why it is unknown.
  public var cause: String?

  /// A phase without a measurement.
  public init(_ name: PhaseName, _ state: PhaseState) {
    self.name = name
    self.state = state
  }
}

/// One attempt of one end to set up a call.
public struct SetupAttempt: Sendable, Equatable {
  /// Number of the attempt, from 1.
  public var attempt: Int
  public var direction: CallDirection
  public var outcome: Outcome
  /// The evidence for its outcome; nil if read from a database, which keeps only the text for the whole call.
  public var reason: OutcomeReason?
  /// Created to established, without ringing and capture permission, ms; nil if unknown.
  public var setupMs: Double?
  /// The same including them.
  public var setupWallMs: Double?
  /// Created to ringing, for outgoing calls, ms.
  public var postDialDelayMs: Double?
  /// The start of `setupWallMs`, ms since the epoch, and the event there.
  public var startMs: Double?
  public var fromEvent: EventName?
  public var phases: [Phase]

  /// Whether the log begins with the offer, so that the totals leave out what came before.
  public var isFromOfferOn: Bool { fromEvent?.group == .sdp }

  /// An attempt with its phases.
  public init(attempt: Int, direction: CallDirection, outcome: Outcome, phases: [Phase]) {
    self.attempt = attempt
    self.direction = direction
    self.outcome = outcome
    self.phases = phases
  }
}

/// The evidence for an outcome: its kind, who reported it, and the event.
public struct OutcomeReason: Sendable, Equatable {
  /// Who reported it.
  public enum Reporter: String, Sendable {
    case server = "the server"
    case sdk = "the SDK"
    case connection = "the connection"
    case end = "the end itself"
  }

  /// The reason if no event gives one.
  public static let unknown = OutcomeReason(what: "no event says how it ended", reporter: .end, event: nil)

  public var what: String
  public let reporter: Reporter
  /// The event as logged, its code and its line; nil if the evidence is that an event is missing.
  private let raw: String?
  private let code: String?
  private let place: String?
  /// What the event says besides.
  private var details: [String] = []
  /// Whether it is a message that was seen, in a capture or as text, and no word of an SDK.
  private var isMessage = false

  /// The evidence, who reported it, and the event.
  public init(what: String, reporter: Reporter, event: EventRecord?) {
    self.what = what
    self.reporter = reporter
    raw = event?.raw
    code = event?[.code]
    let isOfCapture = event?.isOfCapture == true
    isMessage = isOfCapture || event?[.cseq] != nil
    place = event?.line.map { "\(isOfCapture ? "frame" : "line") \($0)" }
    if let offered = event?[.offered] { details.append("the offer had \(offered)") }
    if let unanswered = event?[.unanswered] { details.append(unanswered) }
    if let warning = event?[.warning] { details.append("warning \(warning)") }
  }

  /// A sentence with the event as logged, its code, and its line or frame.
  /// - Parameter end: the end whose log has the event, if there are several.
  public func words(at end: String?) -> String {
    guard let raw else { return what }
    // A SIP message begins with its code.
    let code = isMessage ? "" : code.map { " \($0.prefix(40))" } ?? ""
    let place = [place, end].compactMap { $0 }.joined(separator: " of ")
    let source = isMessage && reporter == .sdk ? "" : "\(reporter.rawValue): "
    let more = details.map { "; \($0.prefix(120))" }.joined()
    return "\(what) (\(source)\(raw.prefix(60))\(code)\(place.isEmpty ? "" : ", \(place)"))\(more)"
  }
}
