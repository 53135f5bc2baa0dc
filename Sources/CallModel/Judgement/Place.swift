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

  /// When it holds.
  public var condition: String {
    switch self {
    case .answerLost: "By its log an end set an answer, and by its log the other never got it."
    case .noCheckAnswered:
      "Of the checks of an end that never connected none was answered, while others of the call got through."
    case .noServerAnswered:
      """
      No STUN or TURN server answered an end that never connected (701) and had only its own addresses, \
      while another had more.
      """
    case .slowPlayout: "Packets came, and sound was played slower than time passed."
    case .notPlayed: "Packets came, and nothing took their sound from the buffer or the decoder."
    case .framesDropped: "More than 10 % of the frames received were dropped, at less than 2 % loss."
    case .slowDecoder:
      "Decoding took the receiver 90 % of the time between two frames or more, at less than 2 % loss."
    case .senderAsleep:
      "The sender's own reports paused or ended and it sent next to nothing; those of the receiver went on."
    case .sourceStoodStill: "The sender's microphone gave no samples while its reports went on, unmuted."
    case .sourceIsQuiet: "The sender's microphone gave next to nothing, yet no digital silence, unmuted."
    case .sourceIsSlow:
      """
      The sender's camera gave less than 15 frames a second, about as many as were seen, and nothing \
      limited its encoder.
      """
    case .senderProcessor:
      """
      The sender's encoder was limited by its processor meanwhile, or took 90 % of the time and left \
      frames out.
      """
    case .senderStoodStill:
      "It sent next to nothing for 5 s or more, with no number missing (`sparse-sound`)."
    case .senderTooSlow:
      "With no number missing in a capture, it made less sound than time passed (`media-clock`)."
    case .portClosed: "Its host said for 5 s or more that the port is closed (ICMP): the network works."
    case .senderPortClosed: "The sender's host said so, and nothing came from it meanwhile."
    case .stoppedByApplication:
      "The sender's microphone was heard and nothing of it sent, unmuted; the other way went on."
    case .beforeRelay: "A capture at the relay lacks about as much of what both ends sent."
    case .uplinkByHops:
      "A capture at the relay lacks what the sender's own has, or without one numbers, and passed on what it got."
    case .notRelayed: "A capture at the relay has what came, and lacks it where it should have left."
    case .downlinkByHops:
      """
      What left the relay by a capture there is missing in the receiver's own capture, or lost by its reports.
      """
    case .betweenCaptures: "What a capture at one end has is missing in that at the other end."
    case .onlyWhileRelayed:
      "While a relay carried the packets 3 % or more were lost, before or after less than a quarter of that."
    case .notForwarded:
      "A server had it, it had flowed to this listener, and nothing else was forwarded in its place."
    case .uplinkLoss:
      """
      The server reports 3 % or more of an end's packets lost, and every receiver loses about as much of \
      one stream.
      """
    case .allAtOnce:
      "All ends on record, three or more, missed a medium at the same time, which two of them or more sent."
    case .downlinkLoss:
      "All streams of one receiver lose 3 % or more; uplinks and other receivers less than a quarter of that."
    case .uplinkCapacity: "Of all senders to a server one encoder alone was limited by its bandwidth."
    case .downlinkCapacity:
      "Packets queued on the way from a server to one receiver alone, which carried too little."
    case .betweenEnds:
      """
      Of what one end sent the other lost 1 % or more under the same SSRC, or all for 5 s; both are on \
      record.
      """
    case .queueBetweenEnds:
      "The way between two ends on record carried less than was sent while packets queued."
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
