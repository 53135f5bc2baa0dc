import CallModel

/// One of the two ends of a path.
struct PathEnd {
  /// Transport addresses it used, in the order met.
  var addresses: [Endpoint] = []
  /// Its ICE user fragments, the newest last: a restart gives it another. And its certificate's fingerprint.
  private(set) var ufrags: [String] = []
  var fingerprint: String?
  /// Whether it controls ICE: the offerer does.
  var controls: Bool?
  /// SIP: whether it sent the INVITE.
  var invited: Bool?
  var userAgent: String?
  var person: String?
  /// SIP: whether it said anything.
  var hasSignalled = false
  /// SIP: the address that it named last for its sound, the one before, and the host that said so.
  private(set) var soundAt: Endpoint?
  private(set) var soundWasAt: Endpoint?
  private var soundBy: Address?
  /// SSRCs it sends.
  var ssrcs: [UInt32] = []
  /// Packets that a cooked capture calls sent by the capturing host.
  var sentByHost = 0
  /// How often it answered checks and reports, and how long that took in all, seen from the tap, ms.
  var answers = 0
  var answerSumMs = 0.0
  /// How long its last answer took, seen from the tap, ms; 0 before the first.
  var lastAnswerMs = 0.0
  /// Number of its connection in the source, once it has one.
  var connection: Int?
  /// Times of its first packet of media that is not padding, and of its first RTCP.
  var firstMediaNs: Int64?
  var firstRTCPNs: Int64?
  /// What it reports of sound that is not in the capture.
  var unseen = UnseenReception()
  /// When it was heard of in a silence.
  var signs = SignsOfLife()
  /// Whether it answers checks.
  var consent = Consent()
  /// When its host said that its port is closed (ICMP), which it may have opened again.
  var closedNs: Int64?
  /// The last time in which it sent no sound, though it did before and afterwards.
  var soundless: (fromNs: Int64, toNs: Int64)?
  /// Least bytes that followed an encrypted receiver report of this end.
  var leastBehindReport: Int?

  /// Remembers an address.
  mutating func met(_ endpoint: Endpoint) {
    if addresses.last == endpoint || addresses.count >= 64 || addresses.contains(endpoint) { return }
    addresses.append(endpoint)
  }

  /// Takes a user fragment for its own; answers whether it is new.
  @discardableResult
  mutating func name(_ ufrag: String) -> Bool {
    guard !ufrags.contains(ufrag), ufrags.count < Self.mostUfrags else { return false }
    ufrags.append(ufrag)
    return true
  }

  private static let mostUfrags = 32

  /// Takes the address that it names for its sound. A proxy that names another on its way tells no change.
  mutating func names(sound endpoint: Endpoint, by host: Address) {
    if soundBy == nil { soundBy = host }
    guard soundBy == host, soundAt != endpoint else { return }
    (soundAt, soundWasAt) = (endpoint, soundAt)
  }

  /// Takes in what is known of the same end elsewhere.
  mutating func takeIn(_ other: PathEnd) {
    for address in other.addresses { met(address) }
    controls = controls ?? other.controls
    ssrcs += other.ssrcs.prefix(max(0, 1000 - ssrcs.count))
    sentByHost += other.sentByHost
    consent.takeIn(other.consent)
    answers += other.answers
    answerSumMs += other.answerSumMs
    if other.answers > 0 { lastAnswerMs = other.lastAnswerMs }
    firstMediaNs = [firstMediaNs, other.firstMediaNs].compactMap { $0 }.min()
    firstRTCPNs = [firstRTCPNs, other.firstRTCPNs].compactMap { $0 }.min()
    leastBehindReport = [leastBehindReport, other.leastBehindReport].compactMap { $0 }.min()
  }

  /// Takes who was reached on the last leg for itself, rather than the agent before.
  mutating func reached(_ callee: PathEnd) {
    userAgent = callee.userAgent ?? userAgent
    addresses =
      callee.addresses
      + addresses.filter { !callee.addresses.contains($0) }.prefix(max(0, 64 - callee.addresses.count))
    (soundAt, soundWasAt, soundBy) = (callee.soundAt, callee.soundWasAt, callee.soundBy)
  }

  /// Mean time to answer, ms; nil before the first answer.
  var meanAnswerMs: Double? { answers > 0 ? answerSumMs / Double(answers) : nil }
}
