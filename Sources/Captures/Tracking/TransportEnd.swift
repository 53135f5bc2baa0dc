import Packets

/// One of the two ends of a path.
struct TransportEnd {
  /// The transport addresses it used, in order of first use.
  var addresses: [Endpoint] = []
  /// Its ICE user fragments, the newest last, as a restart gives it a new one; and the fingerprint of its
  /// certificate.
  private(set) var ufrags: [String] = []
  var fingerprint: String?
  /// Whether it has the controlling role in ICE, as the offerer does.
  var controls: Bool?
  /// SIP: whether it sent the INVITE.
  var invited: Bool?
  var userAgent: String?
  var person: String?
  /// SIP: whether it sent any message.
  var hasSignalled = false
  /// SIP: the last address it gave for audio, the one before, and the host that sent it.
  private(set) var soundAt: Endpoint?
  private(set) var soundWasAt: Endpoint?
  private var soundBy: Address?
  /// SIP: the CSeq of that host's last description, and all hosts that sent one: its own, and proxies on the way.
  private var soundSequence = ""
  private var describers: [Address] = []
  /// The SSRCs it sends.
  var ssrcs: [UInt32] = []
  /// The number of packets that a cooked capture marks as sent by the capturing host, or to it, and that this end sent or
  /// was sent.
  var asHost = 0
  /// How many checks and reports it answered, and the total time that this took, as measured at the capture
  /// point, ms.
  var answers = 0
  var answerSumMs = 0.0
  /// How long its last answer took, as measured at the capture point, ms; 0 before the first.
  var lastAnswerMs = 0.0
  /// The number of its connection in the source, once it has one.
  var connection: Int?
  /// The times of its first media packet that is not padding, and of its first RTCP packet, ns.
  var firstMediaNs: Int64?
  var firstRTCPNs: Int64?
  /// What it reports about audio that is not in the capture.
  var unseen = UncapturedReception()
  /// When it was heard from during silence.
  var signs = FarEndActivity()
  /// Whether it answers checks.
  var consent = Consent()
  /// When its host last reported that the port is closed (ICMP), ns. The port may have been opened again.
  var closedNs: Int64?
  /// SIP: the last period in which its host reported this, from the first error to the last, ns.
  var refused: ClosedRange<Int64>?
  /// The last period in which it sent no audio, although it did before and after.
  var soundless: (fromNs: Int64, toNs: Int64)?
  /// The minimum number of bytes after an encrypted receiver report of this end.
  var minBehindReport: Int?

  /// Adds an address.
  mutating func met(_ endpoint: Endpoint) {
    if addresses.last == endpoint || addresses.count >= 64 || addresses.contains(endpoint) { return }
    addresses.append(endpoint)
  }

  /// Adds a user fragment of this end; returns whether it is new.
  @discardableResult
  mutating func name(_ ufrag: String) -> Bool {
    guard !ufrags.contains(ufrag), ufrags.count < Self.maxUfrags else { return false }
    ufrags.append(ufrag)
    return true
  }

  private static let maxUfrags = 32

  /// Records the address it gives for audio. An address changed by a proxy is not a change by this end.
  ///
  /// - Parameters:
  ///   - sequence: The CSeq of the message, which a proxy does not change.
  ///   - canMove: Whether the end may send it from another address: a request in an established call.
  mutating func names(sound endpoint: Endpoint, by host: Address, in sequence: String, canMove: Bool) {
    let isNew = !describers.contains(host) && describers.count < Self.maxDescribers
    if isNew { describers.append(host) }
    // Proxies were on the way before. A new host that has the audio itself is this end in another network.
    let hasMoved = canMove && isNew && sequence != soundSequence && endpoint.address == host
    if soundBy == nil || hasMoved { soundBy = host }
    guard soundBy == host else { return }
    soundSequence = sequence
    if soundAt != endpoint { (soundAt, soundWasAt) = (endpoint, soundAt) }
  }

  private static let maxDescribers = 16

  /// Merges what is known about the same end on another path.
  mutating func takeIn(_ other: TransportEnd) {
    for address in other.addresses { met(address) }
    controls = controls ?? other.controls
    ssrcs += other.ssrcs.prefix(max(0, 1000 - ssrcs.count))
    asHost += other.asHost
    consent.takeIn(other.consent)
    answers += other.answers
    answerSumMs += other.answerSumMs
    if other.answers > 0 { lastAnswerMs = other.lastAnswerMs }
    firstMediaNs = [firstMediaNs, other.firstMediaNs].compactMap { $0 }.min()
    firstRTCPNs = [firstRTCPNs, other.firstRTCPNs].compactMap { $0 }.min()
    minBehindReport = [minBehindReport, other.minBehindReport].compactMap { $0 }.min()
  }

  /// Replaces an intermediate agent by the end that was reached on the last leg.
  mutating func reached(_ callee: TransportEnd) {
    userAgent = callee.userAgent ?? userAgent
    addresses =
      callee.addresses
      + addresses.filter { !callee.addresses.contains($0) }.prefix(max(0, 64 - callee.addresses.count))
    (soundAt, soundWasAt, soundBy) = (callee.soundAt, callee.soundWasAt, callee.soundBy)
    (soundSequence, describers) = (callee.soundSequence, callee.describers)
  }

  /// The mean time to answer, ms; nil before the first answer.
  var meanAnswerMs: Double? { answers > 0 ? answerSumMs / Double(answers) : nil }
}

/// When an end was heard from without sending media, which distinguishes a sender that pauses from a broken
/// route.
struct FarEndActivity {
  /// The time after which media count as silent, and the minimum time between signs that are kept, ns.
  private static let apartNs: Int64 = 500_000_000
  /// The maximum number kept: half a day of silence.
  static let most = 100_000

  private(set) var times: [Int64] = []
  private var lookedNs: Int64 = .min

  /// Whether it is time to look again. The last media packet need not be looked up before.
  mutating func isDue(at timeNs: Int64) -> Bool {
    guard times.count < Self.most, lookedNs == .min || timeNs &- lookedNs >= Self.apartNs else {
      return false
    }
    lookedNs = timeNs
    return true
  }

  /// Takes a sign of life, and when media were last received.
  mutating func take(_ timeNs: Int64, lastMediaNs: Int64) {
    if timeNs &- lastMediaNs >= Self.apartNs { times.append(timeNs) }
  }
}

extension MediaTransport {
  /// Records that an end sent something other than media: a check, an answer to one, or a report.
  func isAlive(_ end: Int, at timeNs: Int64) {
    guard self[end].signs.isDue(at: timeNs),
      let last = media.lazy.filter({ $0.sender == end && $0.role == .media }).map(\.lastNs).max()
    else { return }
    self[end].signs.take(timeNs, lastMediaNs: last)
  }
}

/// Whether an end still answers the checks that maintain consent (RFC 7675).
struct Consent {
  private var answeredNs: Int64?
  /// Checks that it has not answered since, and the last of them.
  private var asked = 0
  private var askedNs: Int64 = .min

  /// After this time without an answer, an end is gone; browsers report ICE as disconnected by then, ns.
  fileprivate static let patienceNs: Int64 = 5_000_000_000
  private static let minAsked = 3

  mutating func ask(at timeNs: Int64) {
    asked += 1
    askedNs = max(askedNs, timeNs)
  }

  mutating func answer(at timeNs: Int64) {
    answeredNs = max(answeredNs ?? timeNs, timeNs)
    asked = 0
  }

  /// Merges the state of the same end on another path. The later answer counts.
  mutating func takeIn(_ other: Consent) {
    guard let theirs = other.answeredNs else { return }
    if theirs > answeredNs ?? .min { self = other }
  }

  /// Since when the end has been gone, given when it was last heard from; nil if it answers, or never did.
  func lostNs(heardAt lastReceivedNs: Int64) -> Int64? {
    guard let answeredNs, asked >= Self.minAsked else { return nil }
    let last = max(answeredNs, lastReceivedNs)
    return askedNs &- last >= Self.patienceNs ? last : nil
  }
}

extension MediaTransport {
  /// When an end was last heard from, by media or otherwise, ns.
  func lastReceivedNs(of end: Int) -> Int64 {
    let media = media.lazy.filter { $0.sender == end }.map(\.lastNs).max() ?? .min
    return max(media, self[end].signs.times.last ?? .min)
  }

  /// Since when an end has been gone without notice: until the call or the capture ended, it sent nothing and
  /// answered no check, or its host reported that its port is closed. Nil if it is there, or if this is
  /// unknown.
  func goneNs(_ end: Int) -> Int64? {
    // If the media of an end were not captured, the rest may be incomplete too.
    guard isWebRTC, self[end].firstMediaNs != nil else { return nil }
    let heard = lastReceivedNs(of: end)
    let refused = closedNs(end).flatMap { lastRefusedNs &- $0 >= Consent.patienceNs ? heard : nil }
    guard let lost = self[end].consent.lostNs(heardAt: heard) ?? refused else { return nil }
    // After the end of the call, no answers are expected.
    return overNs.map { $0 > lost &+ Consent.patienceNs } ?? true ? lost : nil
  }

  /// The time from which nothing that reaches an end is received there, because its host reported that the
  /// port is closed and nothing has come from it since.
  func closedNs(_ end: Int) -> Int64? {
    guard let closed = self[end].closedNs, closed > lastReceivedNs(of: end) else { return nil }
    return closed
  }

  /// Records that the host of an end has closed the port that media were sent to. For a PeerConnection this
  /// is reported as an event; for a SIP call the duration counts.
  func closed(_ end: Int, at timeNs: Int64) {
    if call != nil {
      let first =
        self[end].refused.map { $0.lowerBound > lastReceivedNs(of: end) ? $0.lowerBound : timeNs } ?? timeNs
      self[end].refused = min(first, timeNs)...timeNs
    }
    guard isWebRTC, self[end].firstMediaNs != nil else { return }
    lastRefusedNs = timeNs
    guard closedNs(end) == nil else { return }
    self[end].closedNs = timeNs
  }
}
