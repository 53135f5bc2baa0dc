/// An argument of an event that callqa writes in one place and reads in another, with the type of its value.
///
/// The names of vendors and browsers that no rule depends on stay text.
public struct EventArgument<Value>: Sendable {
  /// Its name in the JSON of the event.
  public let name: String
  fileprivate let value: @Sendable (String) -> Value?
}

extension EventArgument where Value: LosslessStringConvertible {
  init(_ name: String) { self.init(name: name) { Value($0) } }
}

extension EventArgument where Value: RawRepresentable<String> {
  init(_ name: String) { self.init(name: name) { Value(rawValue: $0) } }
}

extension EventRecord {
  /// The value of an argument; nil if it is missing or not of its type.
  public subscript<Value>(_ argument: EventArgument<Value>) -> Value? {
    self.argument(argument.name).flatMap(argument.value)
  }
}

extension EventArgument<String> {
  public static let kind = Self("kind")
  public static let by = Self("by")
  public static let code = Self("code")
  public static let participant = Self("participant")
  public static let candidateType = Self("candidate_type")
  public static let words = Self("words")
  /// What a rejected description offered, and the warning of who rejected it.
  public static let offered = Self("offered")
  public static let warning = Self("warning")
  /// How the bits of a codec are packed, and how the receiver expects them.
  public static let codec = Self("codec")
  public static let sentAs = Self("sent_as")
  public static let expectedAs = Self("expected_as")
  /// The host that did not answer, in words.
  public static let unanswered = Self("unanswered")
  /// Who never answered the BYE.
  public static let byeIgnoredBy = Self("bye_ignored_by")
  public static let state = Self("state")
  public static let reason = Self("reason")
  public static let wants = Self("wants")
  public static let update = Self("update")
  public static let result = Self("result")
  public static let from = Self("from")
  public static let to = Self("to")
  public static let direction = Self("direction")
  public static let type = Self("type")
  public static let stage = Self("stage")
  public static let answered = Self("answered")
  public static let what = Self("what")
  public static let waitsFor = Self("waits_for")
  public static let url = Self("url")
  public static let soundFrom = Self("sound_from")
  public static let pictureFrom = Self("picture_from")
  public static let policy = Self("policy")
  public static let networkProtocol = Self("protocol")
  public static let ice = Self("ice")
  public static let reportedBy = Self("reported_by")
  public static let of = Self("of")
  /// What figures of a report are of: `call`, `interval`.
  public static let per = Self("per")
  public static let medium = Self("medium")
  /// What the time before an event also has in it: `ringing`, where a source has no time of it.
  public static let includes = Self("includes")
  public static let seenBy = Self("seen_by")
  /// The host of the phone that answered, where several rang.
  public static let answeredAt = Self("answered_at")
  public static let gone = Self("gone")
  public static let agreed = Self("agreed")
  public static let cseq = Self("cseq")
  public static let call = Self("call")
  /// Whether a message of the handshake was lost on its way: `yes` or `no`.
  public static let lost = Self("lost")
  public static let dials = Self("dials")
  public static let candidate = Self("candidate")
  public static let sdp = Self("sdp")
  public static let data = Self("data")
  /// The message of a handshake that is missing.
  public static let missingMessage = Self("missing")
}

extension EventArgument<Bool> {
  public static let sent = Self("sent")
  /// Whether packets prove it, rather than descriptions alone.
  public static let proven = Self("proven")
  public static let isAnswer = Self("is_answer")
  public static let tellsMedia = Self("tells_media")
  public static let turn = Self("turn")
  public static let remotePrivate = Self("remote_private")
  public static let passedOn = Self("passed_on")
  /// Whether an INVITE was challenged again although it carried credentials for that realm.
  public static let credentialsRefused = Self("credentials_refused")
  /// Whether the time was taken from another line. Always the first argument.
  public static let timeBorrowed = Self("time_borrowed")
}

extension EventArgument<Int> {
  public static let waitedMs = Self("waited_ms")
  /// How many phones a forked INVITE let ring, if more than one.
  public static let phonesRang = Self("phones_rang")
  /// How often an answer was sent for which no ACK came.
  public static let answersWithoutACK = Self("answers_without_ack")
  public static let packets = Self("packets")
  /// Datagrams of fax, by who sent them.
  public static let fromCaller = Self("from_caller")
  public static let fromCallee = Self("from_callee")
  public static let missingBytes = Self("missing_bytes")
  public static let longestCameBytes = Self("longest_came_bytes")
  public static let pairs = Self("pairs")
  public static let requestsSent = Self("requests_sent")
  public static let responsesReceived = Self("responses_received")
  public static let requestsReceived = Self("requests_received")
  /// Packets that are missing.
  public static let missingPackets = Self("missing")
}

extension EventArgument<Double> {
  /// The end of what an event reports, ms since the Unix epoch.
  public static let untilMs = Self("until_ms")
  public static let sentPackets = Self("sent_packets")
  public static let reports = Self("reports")
  public static let expected = Self("expected")
  public static let score = Self("score")
  public static let mosListening = Self("mos_listening")
  public static let mos = Self("mos")
  public static let mosMin = Self("mos_min")
  public static let lossPercent = Self("loss_percent")
  public static let concealedPercent = Self("concealed_percent")
  public static let discardedPercent = Self("discarded_percent")
  public static let jitterMs = Self("jitter_ms")
  public static let jitterMaxMs = Self("jitter_max_ms")
  public static let rttMs = Self("rtt_ms")
  public static let durationS = Self("duration_s")
  public static let mosConversational = Self("mos_conversational")
  public static let payloadType = Self("payload_type")
  public static let fromNumber = Self("from_number")
  public static let toNumber = Self("to_number")
  public static let heardMs = Self("heard_ms")
  public static let share = Self("share")
  public static let packetMs = Self("packet_ms")
  public static let agreedMs = Self("agreed_ms")
  public static let longestMs = Self("longest_ms")
  public static let jumpMs = Self("jump_ms")
  /// The clock of a codec, and the one that timestamps count.
  public static let namedHz = Self("named_hz")
  public static let countedHz = Self("counted_hz")
}

extension EventArgument<UInt32> { public static let ssrc = Self("ssrc") }

extension EventArgument<Outcome> { public static let outcome = Self("outcome") }
