/// The parts of a call's setup, in the order they are shown (docs: setup time).
public enum PhaseName: String, Sendable, CaseIterable {
  case capture, gathering, signalling
  /// The wait for a push to wake the telephone that is called; only where one was sent or came.
  case push
  case ringing, negotiation, ice, dtls
  /// The two together, where nothing splits them.
  case iceAndDtls = "ice+dtls"
  case firstPacket = "first-packet"
  case firstFrame = "first-frame"
  case firstAudio = "first-audio"
}

/// Took some time, did not happen, or cannot be known from the sources: three different answers.
public enum PhaseState: String, Sendable, CaseIterable {
  case measured, absent, unknown
}

/// One part of one setup attempt of one end.
public struct Phase: Sendable, Equatable {
  public var name: PhaseName
  public var state: PhaseState
  public var startMs: Double?
  /// Known exactly when `state` is measured.
  public var durationMs: Double?
  /// Canonical names of the events that bound it.
  public var fromEvent: String?
  public var toEvent: String?
  /// Why it took so long, where that is evident; of what is unknown, why.
  public var cause: String?

  /// A phase in a state, with nothing measured.
  public init(_ name: PhaseName, _ state: PhaseState) {
    self.name = name
    self.state = state
  }
}

/// One attempt of one end to set a call up.
public struct SetupAttempt: Sendable, Equatable {
  /// 1-based.
  public var attempt: Int
  public var direction: CallDirection
  public var outcome: Outcome
  /// What its outcome rests on; nil where it was read from a database, which keeps the words of the call's alone.
  public var reason: OutcomeReason?
  /// Created to established, ringing and capture permission left out; nil where it cannot be known.
  public var setupMs: Double?
  /// The same with them.
  public var setupWallMs: Double?
  /// Created to ringing, for outgoing calls.
  public var postDialDelayMs: Double?
  /// Where `setupWallMs` begins, ms since the epoch, and the event that says so.
  public var startMs: Double?
  public var fromEvent: String?
  public var phases: [Phase]

  /// Whether the log begins with the offer, so that what came before it is not in the totals.
  public var isFromOfferOn: Bool { fromEvent?.hasPrefix("sdp.") ?? false }

  /// An attempt with its phases.
  public init(attempt: Int, direction: CallDirection, outcome: Outcome, phases: [Phase]) {
    self.attempt = attempt
    self.direction = direction
    self.outcome = outcome
    self.phases = phases
  }
}

/// What an outcome rests on: the kind of evidence, who says it, and the event that is it.
public struct OutcomeReason: Sendable, Equatable {
  /// Who says it.
  public enum Reporter: String, Sendable {
    case server = "the server"
    case sdk = "the SDK"
    case connection = "the connection"
    case end = "the end itself"
  }

  /// Where no event says it.
  public static let unknown = OutcomeReason(what: "no event says how it ended", reporter: .end, event: nil)

  public var what: String
  public let reporter: Reporter
  /// The event as the log has it, its code and its place; nil where what tells is that the log has none.
  private let raw: String?
  private let code: String?
  private let place: String?

  /// What, said by whom, by which event.
  public init(what: String, reporter: Reporter, event: EventRecord?) {
    self.what = what
    self.reporter = reporter
    raw = event?.raw
    code = event?.argument("code")
    place = event?.line.map { "\(event?.isOfCapture == true ? "frame" : "line") \($0)" }
  }

  /// It in words, with the event as the log has it, its code, and its line or frame.
  /// - Parameter end: the end whose log says it, where there are several.
  public func words(at end: String?) -> String {
    guard let raw else { return what }
    let code = code.map { " \($0.prefix(40))" } ?? ""
    let place = [place, end].compactMap { $0 }.joined(separator: " of ")
    return "\(what) (\(reporter.rawValue): \(raw.prefix(60))\(code)\(place.isEmpty ? "" : ", \(place)"))"
  }
}
