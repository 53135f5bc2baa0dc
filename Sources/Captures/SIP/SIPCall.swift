import CallModel
import Packets
import Signalling

/// A call with one Call-ID, with all the branches that proxies fork and all INVITEs until one is accepted
/// (RFC 3261 sections 13, 16 and 22).
struct SIPCall {
  /// The meaning of a message.
  struct Meaning {
    /// Its canonical event; nil for a rejection, which is final only if the call does not go on.
    var event: EventName?
    /// The rejection that does not count any more, or never did.
    var outdated: Refusal?
    /// How long the caller waited before it sent the INVITE with the requested credentials, ns; nil if that
    /// was automatic.
    var waitedNs: Int64?
    /// Whether it shows that the requested transfer happened.
    var isTransfer = false
    /// The latest time at which a call was established whose ACK was not captured, ns.
    var establishedByNs: Int64?
  }

  let path: MediaTransport
  /// The end of the path that is the caller.
  let callerEnd: Int
  /// The signalling address that sent the first INVITE, and the transaction of its last INVITE.
  let caller: Endpoint
  private var callersBranch = ""
  /// From-tags of the caller.
  private var callerTags: Set<String> = []
  /// The messages seen so far.
  var hops = SIPHops()
  /// Addresses offered for fax.
  var faxOffers: Set<Endpoint> = []

  /// The result of offers and answers.
  var media = OfferAnswer()
  /// Whether the snaplen truncated the last description before the direction of audio.
  var isDescriptionCut = false
  /// Whether both ends still know the dialog.
  var dialog = SIPDialog()
  /// The media last reported as those of the established call.
  var saidMedia: Set<MediaKind>?
  /// The media last reported as removed, once the call is established.
  private var takenAway: [MediaKind: Set<Int>]?
  /// The last transfer requested.
  private(set) var referral: SIPReferral?
  /// The Call-ID of the first leg, and the addresses to which its INVITEs were sent, which may forward it in
  /// another leg.
  private let callID: String
  private var targets: Set<Endpoint> = []
  /// The ends whose descriptions became events, by the number of the transaction.
  var described: [String: Set<Int>] = [:]
  static let mostDescribed = 64
  /// What the caller last offered, in words, for the reason of a rejection.
  var offered: String?
  /// The realms of the credentials in the caller's last INVITE.
  private var credentials: Set<String> = []
  /// The hosts that were sent an INVITE.
  private(set) var asked = AskedHosts()
  /// Hosts that forward the call.
  private var carriers: Set<Address> = []
  /// Whether it is known who the caller is. If the capture began later, "the caller" is the end that sent the
  /// first message captured.
  private(set) var knowsCaller = true
  private var isRequested = false
  private var isEstablished = false
  /// When the call was first answered, ns.
  private var answeredNs: Int64?
  private(set) var isOver = false
  /// When the first INVITE was sent, as long as there has been no response of any kind, ns.
  private(set) var unansweredSinceNs: Int64?
  /// Accepted INVITEs (number and tag), to distinguish their ACK from that of a rejection.
  private var accepted: Set<String> = []
  /// The tags of callees that answered and have not hung up. There is more than one if a forked call was
  /// answered twice.
  private var callees: Set<String> = []
  /// The current rejection of the call.
  private(set) var refusal: Refusal?

  /// The agents that answered provisionally, by their tags, and that of the host next to the caller.
  private(set) var ringing: [String: String] = [:]
  /// The To-tags of the phones that rang.
  private(set) var rung: Set<String> = []
  private(set) var server: String?

  private static let most = 64
  /// A program answers a challenge immediately. After this time, ns, a person was asked.
  private static let personsNs: Int64 = 2_000_000_000

  /// How often, and when last, an end retransmitted its answer because no ACK arrived.
  private var repeated: (end: Int, times: Int, lastNs: Int64)?
  /// An answer is retransmitted at intervals of up to 4 s (T2), for 32 s in total (RFC 3261 section
  /// 13.3.1.4).
  private static let repeatsNs: Int64 = 6_000_000_000
  private static let maxUnheard = 5
  /// Whether an ACK of the caller was captured.
  var isAcknowledged = false

  /// Records that an end retransmitted the answer to an INVITE.
  mutating func repeatsAnswer(by end: Int, at timeNs: Int64) {
    repeated = (end, repeated?.end == end ? (repeated?.times ?? 0) + 1 : 1, timeNs)
  }

  /// How often an answer was sent that was never acknowledged; nil if that was not more often than a lost packet explains.
  var answersWithoutACK: Int? {
    guard let repeated, repeated.times >= Self.leastRepeats, !isAcknowledged else { return nil }
    return repeated.times + 1
  }
  private static let leastRepeats = 2

  /// Whether an end hangs up because its answer was never acknowledged.
  func gaveUpAnswer(_ end: Int, at timeNs: Int64) -> Bool {
    guard let repeated, repeated.end == end else { return false }
    return repeated.times >= Self.maxUnheard && timeNs &- repeated.lastNs <= Self.repeatsNs
  }

  /// A call begun by an INVITE or by a response to it.
  init(path: MediaTransport, callerEnd: Int, caller: Endpoint, tag: String) {
    self.path = path
    callID = path.call ?? ""
    self.callerEnd = callerEnd
    self.caller = caller
    if !tag.isEmpty { callerTags = [tag] }
  }

  /// A call that was already established, with an end that may or may not be the caller.
  init(path: MediaTransport, end: Int, of party: Endpoint, tag: String) {
    self.init(path: path, callerEnd: end, caller: party, tag: tag)
    knowsCaller = false
    isEstablished = true
    media.joinEstablishedCall()
  }

  /// The role of an end; nil if the caller is unknown.
  func name(of end: Int) -> String? { knowsCaller ? end == callerEnd ? "caller" : "callee" : nil }

  /// Whether somebody has answered.
  var isUp: Bool { isEstablished || !accepted.isEmpty }

  /// The end that a message comes from, according to its tags, regardless of who forwarded it; without tags,
  /// according to its address.
  func sender(of message: SIPMessage, _ source: Endpoint) -> Int {
    let isCallers =
      message.fromTag.isEmpty
      ? source == caller : callerTags.contains(message.fromTag) == (message.status == nil)
    return isCallers ? callerEnd : 1 - callerEnd
  }

  /// Whether an ACK acknowledges an answer that accepted the call. If no answer was captured, the ACK of a
  /// rejection is recognised by the transaction of its INVITE (RFC 3261 section 17.1.1.3).
  func accepts(_ ack: SIPMessage) -> Bool {
    guard accepted.isEmpty else { return accepted.contains(Self.key(ack)) }
    let isOfInvite = ack.branch == callersBranch && ack.branch.hasPrefix("z9hG4bK")
    return refusal == nil && !isOfInvite
  }

  private static func key(_ message: SIPMessage) -> String {
    "\(message.sequence.prefix { $0 != " " }) \(message.toTag)"
  }

  /// The tag of the callee in a message.
  private func calleeTag(_ message: SIPMessage) -> String {
    callerTags.contains(message.fromTag) ? message.toTag : message.fromTag
  }

  /// Whether a host to which the call was sent may forward it as another call, because nobody has answered or
  /// rejected it yet. A caller on the same host is another one, or begins another call, unless the call was sent to its
  /// very port.
  func isCarriedOn(by source: Endpoint) -> Bool {
    guard isUnanswered, source != caller else { return false }
    return targets.contains(source)
      || source.address != caller.address && targets.contains { $0.address == source.address }
  }

  /// Whether nobody has answered or rejected it yet.
  var isUnanswered: Bool { !isUp && !isOver && refusal?.isCallers != true }

  /// Whether a host is not one of its ends, but forwards the call.
  func isCarrier(_ host: Address) -> Bool { carriers.contains(host) }

  /// Adds another leg, in which the caller has another tag.
  mutating func addLeg(_ invite: SIPMessage, by host: Address) {
    if carriers.count < Self.most { carriers.insert(host) }
    if callerTags.count < Self.most { callerTags.insert(invite.fromTag) }
  }

  /// Merges a separate call that turned out to be another leg because of its media.
  mutating func takeIn(_ leg: SIPCall) {
    if carriers.count < Self.most { carriers.insert(leg.caller.address) }
    callerTags.formUnion(leg.callerTags.prefix(max(0, Self.most - callerTags.count)))
    accepted.formUnion(leg.accepted.prefix(max(0, Self.most - accepted.count)))
    faxOffers.formUnion(leg.faxOffers)
  }

  /// Which end alone is to send a medium: `caller`, `callee` or `nobody`, or `unknown` if the snaplen truncated the
  /// direction; nil if both are.
  func senders(of kind: MediaKind) -> String? {
    guard let muted = media.silent[kind] else { return isDescriptionCut ? "unknown" : nil }
    return zip([callerEnd, 1 - callerEnd], ["caller", "callee"]).first { !muted.contains($0.0) }?.1
      ?? "nobody"
  }

  /// Media that an end no longer receives because of the last negotiation, or receives again. Hold is
  /// reported separately and is left out here.
  mutating func changesOfMedia() -> [(kind: MediaKind, end: Int, isTaken: Bool)] {
    guard isUp, !isOver, media.holders.isEmpty else { return [] }
    let silent = media.silent
    defer { takenAway = silent }
    guard let before = takenAway else { return [] }
    var changes: [(MediaKind, Int, Bool)] = []
    for kind in [MediaKind.audio, .video] {
      for sender in 0...1 {
        let isTaken = silent[kind]?.contains(sender) == true
        if isTaken != (before[kind]?.contains(sender) == true) { changes.append((kind, 1 - sender, isTaken)) }
      }
    }
    return changes
  }

  /// Takes an ICMP error about a packet between two addresses; returns whether it was an INVITE that nobody answered.
  mutating func returned(_ error: ICMPError, from destination: Endpoint, at timeNs: Int64) -> Bool {
    !isUp && !isOver && asked.returned(error, from: destination, at: timeNs)
  }

  /// When the first sound of the callee came before the answer: early media, ns.
  var earlySoundNs: Int64? {
    let first = path.media.lazy.filter { $0.sender != callerEnd && $0.role == .media }.map(\.firstNs).min()
    guard knowsCaller, let first, first < (answeredNs ?? .max) - Self.aheadOfAnswerNs else { return nil }
    return first
  }
  /// Packets sent with the answer may overtake it, ns.
  private static let aheadOfAnswerNs: Int64 = 500_000_000

  /// Takes a message that was not seen before between these addresses.
  mutating func take(
    _ message: SIPMessage, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) -> Meaning {
    if message.status != nil || sender(of: message, source) != callerEnd { unansweredSinceNs = nil }
    if source != caller { asked.heard(source) }
    guard let status = message.status else { return request(message, source, destination, timeNs) }
    if message.method == "REFER", status >= 200 { referral?.answered(status) }
    if (200..<300).contains(status), let asked = unseenRequest(message, source, destination) {
      return request(asked, destination, source, timeNs)
    }
    guard message.method == "INVITE", !isOver else { return Meaning(event: .unknown) }
    if status >= 300 { return Meaning(outdated: refused(message, source, destination, timeNs)) }
    if status >= 200 { return answered(message, timeNs) }
    if status == 100, destination == caller { server = message.agent ?? server }
    guard !isUp, status != 100 else { return Meaning(event: .unknown) }
    if ringing.count < Self.most { ringing[message.toTag] = message.agent ?? "" }
    // Nothing else says that it rings: the sound that a 183 announces may never come.
    guard status == 180 else { return Meaning(event: .unknown) }
    if rung.count < Self.most { rung.insert(message.toTag) }
    return Meaning(event: .callRinging)
  }

  /// The BYE or CANCEL that a response proves although it was not captured itself; nil if it was.
  private func unseenRequest(_ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint)
    -> SIPMessage?
  {
    let isUnseen =
      switch message.method {
      case "BYE": !dialog.saidBye(1 - sender(of: message, source))
      case "CANCEL": refusal == nil && !isUp && isCallers(message, destination)
      default: false
      }
    guard isUnseen, !isOver else { return nil }
    var asked = message
    asked.status = nil
    return asked
  }

  private mutating func request(
    _ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint, _ timeNs: Int64
  ) -> Meaning {
    switch message.method {
    case "INVITE":
      if targets.count < Self.most { targets.insert(destination) }
      if isUp { return Meaning(event: .callUpdated) }
      asked.invite(destination, by: source, at: timeNs)
      if message.toTag.isEmpty, callerTags.count < Self.most { callerTags.insert(message.fromTag) }
      if source == caller { (callersBranch, credentials) = (message.branch, message.credentials) }
      // The same request again, with the requested credentials or to the next target.
      let outdated = withdraw()
      if !isRequested { unansweredSinceNs = timeNs }
      defer { isRequested = true }
      if let asked = outdated, [401, 407].contains(asked.message.status), source == caller,
        timeNs &- asked.timeNs >= Self.personsNs
      {
        return Meaning(event: .callRequestSent, outdated: outdated, waitedNs: timeNs &- asked.timeNs)
      }
      return Meaning(event: isRequested ? .unknown : .callRequestSent, outdated: outdated)
    case "ACK":
      if isEstablished || isOver || !accepts(message) { return Meaning(event: .unknown) }
      isEstablished = true
      return Meaning(event: .callEstablished)
    case "BYE":
      let wasCallee = callees.remove(calleeTag(message)) != nil
      // After the rejection of the last INVITE there is nothing to hang up (RFC 3261 section 13.2.2.3).
      let isRejected = !isUp && refusal.map { $0.isCallers && !$0.isCancel && !$0.asksAgain } == true
      if isOver || isRejected || wasCallee && !callees.isEmpty { return Meaning(event: .unknown) }
      isOver = true
      // A call that ends with a BYE had been answered.
      return Meaning(
        event: .callEnded, outdated: withdraw(), isTransfer: referral?.hungUp() ?? false,
        establishedByNs: isEstablished ? nil : answeredNs)
    case "CANCEL":
      // An answered request cannot be cancelled, and if a proxy cancels one branch, others may still answer.
      guard !isUp, !isOver, refusal?.isCallers != true, isCallers(message, source) else {
        return Meaning(event: .unknown)
      }
      defer { refusal = Refusal(message: message, timeNs: timeNs, isCallers: true) }
      return Meaning(outdated: refusal)
    case "UPDATE": return Meaning(event: isUp && !isOver ? .callUpdated : .unknown)
    case "REFER":
      referral = SIPReferral(message, by: sender(of: message, source))
      return Meaning(event: .unknown)
    case "NOTIFY":
      let isTransfer = message.fragment.map { referral?.reported($0) ?? false } ?? false
      return Meaning(event: .unknown, isTransfer: isTransfer)
    default: return Meaning(event: .unknown)
    }
  }

  private mutating func answered(_ message: SIPMessage, _ timeNs: Int64) -> Meaning {
    let isFirst = !isUp
    if isFirst { answeredNs = timeNs }
    if accepted.count < Self.most { accepted.insert(Self.key(message)) }
    // There is only one callee on another leg.
    if callees.count < Self.most, message.callID == callID { callees.insert(calleeTag(message)) }
    return Meaning(event: isFirst ? .callAnswered : .unknown, outdated: withdraw())
  }

  /// Records a rejection of the whole call. Returns the rejection that it replaces, or itself if another
  /// branch was answered.
  private mutating func refused(
    _ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint, _ timeNs: Int64
  ) -> Refusal? {
    let isCallers = isCallers(message, destination)
    var new = Refusal(message: message, timeNs: timeNs, isCallers: isCallers, hasRung: !rung.isEmpty)
    let isPassedOn = refusal.map { $0.message.status == message.status && $0.message.toTag == message.toTag }
    new.origin = isPassedOn == true ? refusal?.origin : source
    new.isOfCredentials = isCallers && !credentials.isDisjoint(with: message.challenges)
    if let refusal { new.cancelReason = refusal.isCancel ? refusal.message.reason : refusal.cancelReason }
    if isUp || refusal?.isCallers == true && !isCallers { return new }
    defer { refusal = new }
    return refusal
  }

  /// Whether a message belongs to the last INVITE of the caller, between the caller and the first proxy.
  private func isCallers(_ message: SIPMessage, _ party: Endpoint) -> Bool {
    // Without its INVITE, the responses that reached the caller show that they are its own.
    party == caller && (message.branch == callersBranch || callersBranch.isEmpty)
  }

  private mutating func withdraw() -> Refusal? {
    defer { refusal = nil }
    return refusal
  }
}
