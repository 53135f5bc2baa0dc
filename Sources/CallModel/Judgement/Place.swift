/// Where in the path of a call its fault was.
public enum Place: String, Sendable, CaseIterable {
  /// The sender's camera or microphone.
  case senderSource = "sender-source"
  /// The sender's machine: its processor, or asleep.
  case senderMachine = "sender-machine"
  /// The page or program of an end.
  case application
  /// The way from the sender to the server.
  case senderNetwork = "sender-network"
  case server, relay
  /// The way between two ends or two captures of which both sides are on record; which side is not known.
  case network
  /// The way from the server to the receiver.
  case receiverNetwork = "receiver-network"
  /// The receiver's machine: its processor, its sound device, or asleep.
  case receiverMachine = "receiver-machine"
  case signalling
  /// Something at an end that lets none of its packets out.
  case firewall
}

/// The rules for the place of a fault, in their order: the first that holds decides. Without one it is not known.
public enum PlaceRule: String, Sendable, CaseIterable {
  case answerLost = "answer-lost"
  case noCheckAnswered = "no-check-answered"
  case noServerAnswered = "no-server-answered"
  case slowPlayout = "slow-playout"
  case notPlayed = "not-played"
  case framesDropped = "frames-dropped"
  case slowDecoder = "slow-decoder"
  case senderAsleep = "sender-asleep"
  case sourceStoodStill = "source-stood-still"
  case sourceIsQuiet = "source-is-quiet"
  case sourceIsSlow = "source-is-slow"
  case senderProcessor = "sender-processor"
  case senderStoodStill = "sender-stood-still"
  case senderTooSlow = "sender-too-slow"
  case portClosed = "port-closed"
  case senderPortClosed = "sender-port-closed"
  case stoppedByApplication = "stopped-by-application"
  case beforeRelay = "before-relay"
  case uplinkByHops = "uplink-by-hops"
  case notRelayed = "not-relayed"
  case downlinkByHops = "downlink-by-hops"
  case betweenCaptures = "between-captures"
  case onlyWhileRelayed = "only-while-relayed"
  case notForwarded = "not-forwarded"
  case uplinkLoss = "uplink-loss"
  case allAtOnce = "all-at-once"
  case downlinkLoss = "downlink-loss"
  case uplinkCapacity = "uplink-capacity"
  case downlinkCapacity = "downlink-capacity"
  case betweenEnds = "between-ends"
  case queueBetweenEnds = "queue-between-ends"

  /// Where the fault is.
  public var place: Place {
    switch self {
    case .answerLost: .signalling
    case .noCheckAnswered, .noServerAnswered: .firewall
    case .slowPlayout, .notPlayed, .framesDropped, .slowDecoder, .portClosed: .receiverMachine
    case .sourceStoodStill, .sourceIsQuiet, .sourceIsSlow: .senderSource
    case .stoppedByApplication: .application
    case .senderProcessor, .senderStoodStill, .senderTooSlow, .senderAsleep, .senderPortClosed: .senderMachine
    case .onlyWhileRelayed: .relay
    case .notForwarded, .allAtOnce, .beforeRelay, .notRelayed: .server
    case .uplinkLoss, .uplinkByHops, .uplinkCapacity: .senderNetwork
    case .downlinkLoss, .downlinkByHops, .downlinkCapacity: .receiverNetwork
    case .betweenCaptures, .betweenEnds, .queueBetweenEnds: .network
    }
  }

  /// What began the trouble, where the rule says it.
  public var rootCause: RootCause.Code? {
    switch self {
    case .slowPlayout, .notPlayed: .playout
    case .framesDropped, .slowDecoder, .senderProcessor, .senderStoodStill, .senderTooSlow: .processor
    case .senderAsleep: .asleep
    case .sourceStoodStill, .sourceIsQuiet, .sourceIsSlow: .source
    case .stoppedByApplication, .portClosed, .senderPortClosed: .application
    case .notForwarded, .allAtOnce, .beforeRelay, .notRelayed: .server
    case .uplinkLoss, .uplinkByHops, .downlinkLoss, .downlinkByHops, .betweenCaptures, .betweenEnds,
      .onlyWhileRelayed:
      .loss
    case .uplinkCapacity, .downlinkCapacity, .queueBetweenEnds: .capacity
    case .answerLost, .noCheckAnswered, .noServerAnswered: nil
    }
  }
}

/// Where the fault of a call was, and what shows it.
public struct PlacedFault: Sendable, Equatable {
  /// The rule that decided.
  public var rule: PlaceRule
  /// The end that it is of; nil for a place that is of none.
  public var end: String?
  /// What shows it: a few words without a full stop.
  public var evidence: String

  /// A place.
  public init(_ rule: PlaceRule, at end: String? = nil, evidence: String) {
    (self.rule, self.end, self.evidence) = (rule, end, evidence)
  }
}
