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

  /// The condition, in one sentence.
  public var condition: String {
    switch self {
    case .answerLost: "By its log an end set an answer, and by its log the other never got it."
    case .noCheckAnswered:
      "Of the checks of an end that never connected none was answered, while others of the call got through."
    case .noServerAnswered:
      "No STUN or TURN server answered an end that never connected (701); it had only its own addresses, another more."
    case .slowPlayout: "Packets came, and sound was played slower than time passed."
    case .notPlayed: "Packets came, and nothing took their sound from the buffer or the decoder."
    case .sourceStoodStill:
      "The sender's microphone gave no samples while its reports went on, and it was not muted."
    case .framesDropped: "More than 10 % of the frames received were dropped, at less than 2 % loss."
    case .slowDecoder:
      "To decode a frame took the receiver 90 % of the time between two frames or more, at less than 2 % loss."
    case .senderAsleep:
      "The sender's own reports paused or ended, and it sent next to nothing meanwhile; those of the receiver went on."
    case .onlyWhileRelayed:
      "While a relay carried the packets 3 % or more of them were lost, and before or after less than a quarter of that."
    case .downlinkCapacity:
      "Packets queued on the way from a server to one receiver, which carried too little, and on that to no other."
    case .queueBetweenEnds:
      "Both ends are on record, and the way between them carried less than was sent while packets queued."
    case .sourceIsSlow:
      "The sender's camera gave less than 15 frames a second, about as many as were seen, and nothing limited its encoder."
    case .stoppedByApplication:
      "The sender's microphone was heard and nothing of it sent; the other way went on, and no event tells of a mute."
    case .uplinkCapacity: "Of all senders to a server the encoder of one alone was limited by its bandwidth."
    case .senderProcessor:
      "The sender's encoder was limited by its processor meanwhile, or took 90 % of the time and left frames out."
    case .senderStoodStill:
      "A sender sent next to nothing for 5 s or more, with no number missing (`sparse-sound`)."
    case .senderTooSlow:
      "By a capture with no number missing, the sender made less sound than time passed (`media-clock`)."
    case .portClosed:
      "The host that it was sent to said for 5 s or more that the port is closed (ICMP): the network works."
    case .senderPortClosed:
      "The sender's host said for 5 s or more that its port is closed (ICMP), and nothing came from it meanwhile."
    case .uplinkByHops:
      "A capture at the relay lacks what the sender's own capture has, and the relay passed on what it got."
    case .downlinkByHops: "The receiver's own capture lacks what left the relay by a capture there."
    case .beforeRelay: "A capture at the relay lacks about as much of what both ends sent."
    case .notRelayed: "A capture at the relay has what came, and lacks it where it should have left."
    case .notForwarded:
      "A server had it, it had flowed to this listener, and nothing else was forwarded in its place."
    case .allAtOnce:
      "Three ends or more, all that are on record, missed a medium at the same time, which two of them or more sent."
    case .uplinkLoss:
      "The server reports 3 % or more of what an end sends as lost, and every receiver loses about as much of one stream."
    case .downlinkLoss:
      "All streams of one receiver lose 3 % or more, and the uplinks and all other receivers less than a quarter of that."
    case .betweenCaptures: "What a capture at one end has is missing in that at the other end."
    case .betweenEnds:
      "Both ends are on record, and of what one sent the other lost 1 % or more under the same SSRC, or all for 5 s."
    }
  }

  /// Where the fault is.
  public var place: Place {
    switch self {
    case .answerLost: .signalling
    case .noCheckAnswered, .noServerAnswered: .firewall
    case .slowPlayout, .notPlayed, .framesDropped, .slowDecoder, .portClosed: .receiverMachine
    case .sourceStoodStill, .sourceIsSlow: .senderSource
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
    case .sourceStoodStill, .sourceIsSlow: .source
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
