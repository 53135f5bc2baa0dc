import CallModel
import Packets
import Signalling

/// One call by its Call-ID, over all the branches that proxies make of it and all INVITEs until one is accepted (RFC 3261
/// sections 13, 16 and 22).
struct SIPCall {
  /// A final answer that refuses, or the CANCEL of who called, which stands unless the call goes on.
  struct Refusal {
    var message: SIPMessage
    var timeNs: Int64
    /// Whether it reached who called, rather than a proxy that may try the next.
    var isCallers: Bool
    /// Whether it asks for another INVITE: elsewhere, with credentials, or with a session's length that is taken
    /// (RFC 3261 sections 8.1.3.4 and 22, RFC 4028 section 6).
    var asksAgain: Bool { message.status.map { $0 < 400 || [401, 407, 422].contains($0) } ?? false }
    var isCancel: Bool { message.status == nil }
    /// Why the caller cancelled, where that came before it.
    var cancelReason: String?
    /// Whether somebody was rung before.
    var hasRung = false
    var outcome: Outcome {
      guard let status = message.status else { return .cancelled }
      let outcome = Outcome(sipStatus: status)
      guard outcome == .failed else { return outcome }
      // A Reason says more than that it rang.
      return message.reason.map { SIPReason($0).outcome ?? outcome }
        ?? Outcome(sipStatus: status, afterRinging: hasRung)
    }
  }

  /// What a message means.
  struct Meaning {
    /// Its canonical event; nil for a refusal, which is one only if the call does not go on.
    var event: String?
    /// The refusal that does not stand any more, or never did.
    var outdated: Refusal?
    /// How long who called waited with the INVITE that has the credentials it was asked for, ns; nil where that went by itself.
    var waitedNs: Int64?
    /// Whether it makes the transfer that was asked for one.
    var isTransfer = false
    /// When the call stood at the latest, of which the ACK was not captured.
    var stoodNs: Int64?
  }

  let path: MediaTransport
  /// The end of the path that is the caller.
  let callerEnd: Int
  /// Signalling address that sent the first INVITE, and the transaction of its last one.
  private let caller: Endpoint
  private var callersBranch = ""
  /// Tags under which the caller calls.
  private var callerTags: Set<String> = []
  /// Messages met.
  var hops = SIPHops()
  /// Addresses offered for fax.
  var faxOffers: Set<Endpoint> = []

  /// What the descriptions agree on.
  var media = OfferAnswer()
  /// Whether the snaplen cut the last description before it said who may send sound.
  var isDescriptionCut = false
  /// Whether its ends still know of it.
  var dialog = SIPDialog()
  /// What was told last of media that were taken away, once the call stands.
  private var takenAway: [MediaKind: Set<Int>]?
  /// The transfer asked for last.
  private(set) var referral: SIPReferral?
  /// Call-ID under which it began, and addresses to which its INVITEs went, of whoever carries it on.
  private let callID: String
  private var targets: Set<Address> = []
  /// Hosts that carry it on.
  private var carriers: Set<Address> = []
  /// Whether it is known who called: not where the capture begins later; then "the caller" is who spoke first.
  private(set) var knowsCaller = true
  private var isRequested = false
  private var hasRung = false
  private var isEstablished = false
  /// When it was answered first.
  private var answeredNs: Int64?
  private(set) var isOver = false
  /// When it was asked for, as long as nobody has answered anything.
  private(set) var unheardSinceNs: Int64?
  /// INVITEs that were accepted (number and tag), so that their ACK is told from that of a refusal.
  private var accepted: Set<String> = []
  /// Callees that answered and did not hang up, by their tags: more than one where a call was forked.
  private var callees: Set<String> = []
  /// How the call was refused, as it stands.
  private(set) var refusal: Refusal?

  private static let most = 64
  /// A program answers a challenge at once; who takes so long asks a person, ns.
  private static let personsNs: Int64 = 2_000_000_000

  /// How often and when an end sent its answer again last: nothing acknowledged it there.
  private var repeated: (end: Int, times: Int, lastNs: Int64)?
  /// An answer is sent again every 4 s at last (T2), for 32 s in all (RFC 3261 section 13.3.1.4).
  private static let repeatsNs: Int64 = 6_000_000_000
  private static let mostUnheard = 5

  /// Notes that an end sent the answer to an INVITE again.
  mutating func repeatsAnswer(by end: Int, at timeNs: Int64) {
    repeated = (end, repeated?.end == end ? (repeated?.times ?? 0) + 1 : 1, timeNs)
  }

  /// Whether who hangs up does so because its answer was never acknowledged.
  func gaveUpAnswer(_ end: Int, at timeNs: Int64) -> Bool {
    guard let repeated, repeated.end == end else { return false }
    return repeated.times >= Self.mostUnheard && timeNs &- repeated.lastNs <= Self.repeatsNs
  }

  /// A call that a message about an INVITE begins.
  init(path: MediaTransport, callerEnd: Int, caller: Endpoint, tag: String) {
    self.path = path
    callID = path.call ?? ""
    self.callerEnd = callerEnd
    self.caller = caller
    if !tag.isEmpty { callerTags = [tag] }
  }

  /// A call that stood already, with an end of which nobody knows whether it called.
  init(path: MediaTransport, end: Int, of party: Endpoint, tag: String) {
    self.init(path: path, callerEnd: end, caller: party, tag: tag)
    knowsCaller = false
    isEstablished = true
    media.joinCallThatStands()
  }

  /// What an end is called; nil where nobody knows who called.
  func name(of end: Int) -> String? { knowsCaller ? end == callerEnd ? "caller" : "callee" : nil }

  /// Whether somebody answered.
  var isUp: Bool { isEstablished || !accepted.isEmpty }

  /// The end that a message comes from: its tags say so, whoever passed it on; without tags its address.
  func sender(of message: SIPMessage, _ source: Endpoint) -> Int {
    let isCallers =
      message.fromTag.isEmpty
      ? source == caller : callerTags.contains(message.fromTag) == (message.status == nil)
    return isCallers ? callerEnd : 1 - callerEnd
  }

  /// Whether an ACK acknowledges an answer that accepted. Where no answer was captured, that of a refusal is known by the
  /// transaction of its INVITE (RFC 3261 section 17.1.1.3).
  func accepts(_ ack: SIPMessage) -> Bool {
    guard accepted.isEmpty else { return accepted.contains(Self.key(ack)) }
    let isOfInvite = ack.branch == callersBranch && ack.branch.hasPrefix("z9hG4bK")
    return refusal == nil && !isOfInvite
  }

  private static func key(_ message: SIPMessage) -> String {
    "\(message.sequence.prefix { $0 != " " }) \(message.toTag)"
  }

  /// The tag of the callee's side in a message.
  private func calleeTag(_ message: SIPMessage) -> String {
    callerTags.contains(message.fromTag) ? message.toTag : message.fromTag
  }

  /// Whether somebody whom it was passed to may carry it on as another call: nobody answered or refused it yet.
  func isCarriedOn(by host: Address) -> Bool {
    isUnanswered && targets.contains(host)
  }

  /// Whether nobody answered or refused it yet.
  var isUnanswered: Bool { !isUp && !isOver && refusal?.isCallers != true }

  /// Whether a host is none of its ends, but carries it on.
  func isCarrier(_ host: Address) -> Bool { carriers.contains(host) }

  /// Takes in another leg of it, in which the caller has another tag.
  mutating func addLeg(_ invite: SIPMessage, by host: Address) {
    if carriers.count < Self.most { carriers.insert(host) }
    if callerTags.count < Self.most { callerTags.insert(invite.fromTag) }
  }

  /// Takes in what was a call of its own until its media showed that it is another leg.
  mutating func takeIn(_ leg: SIPCall) {
    if carriers.count < Self.most { carriers.insert(leg.caller.address) }
    callerTags.formUnion(leg.callerTags.prefix(max(0, Self.most - callerTags.count)))
    accepted.formUnion(leg.accepted.prefix(max(0, Self.most - accepted.count)))
    faxOffers.formUnion(leg.faxOffers)
  }

  /// Who alone is to send sound: `caller`, `callee`, `nobody`, or `unknown` where the snaplen cut what says it; nil where both are.
  var senders: String? {
    if isDescriptionCut { return "unknown" }
    guard let muted = media.silent[.audio] else { return nil }
    return zip([callerEnd, 1 - callerEnd], ["caller", "callee"]).first { !muted.contains($0.0) }?.1
      ?? "nobody"
  }

  /// Media that from now on do not come to an end by what was agreed last, and did before; or the other way round. Of hold, which is
  /// told as such, nothing is told here.
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

  /// Takes a message that was not met between these addresses before.
  mutating func take(
    _ message: SIPMessage, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) -> Meaning {
    if message.status != nil || sender(of: message, source) != callerEnd { unheardSinceNs = nil }
    guard let status = message.status else { return request(message, source, destination, timeNs) }
    if message.method == "REFER", status >= 200 { referral?.answered(status) }
    guard message.method == "INVITE", !isOver else { return Meaning(event: "unknown") }
    if status >= 300 { return Meaning(outdated: refused(message, destination, timeNs)) }
    if status >= 200 { return answered(message, timeNs) }
    guard !isUp, status != 100 else { return Meaning(event: "unknown") }
    if status == 180 { hasRung = true }
    return Meaning(event: status == 183 ? "call.early-media" : "call.ringing")
  }

  private mutating func request(
    _ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint, _ timeNs: Int64
  ) -> Meaning {
    switch message.method {
    case "INVITE":
      if targets.count < Self.most { targets.insert(destination.address) }
      if isUp { return Meaning(event: "call.updated") }
      if message.toTag.isEmpty, callerTags.count < Self.most { callerTags.insert(message.fromTag) }
      if source == caller { callersBranch = message.branch }
      // The same request once more: with what was asked for, or to the next target.
      let outdated = withdraw()
      if !isRequested { unheardSinceNs = timeNs }
      defer { isRequested = true }
      if let asked = outdated, [401, 407].contains(asked.message.status), source == caller,
        timeNs &- asked.timeNs >= Self.personsNs
      {
        return Meaning(event: "call.request-sent", outdated: outdated, waitedNs: timeNs &- asked.timeNs)
      }
      return Meaning(event: isRequested ? "unknown" : "call.request-sent", outdated: outdated)
    case "ACK":
      if isEstablished || isOver || !accepts(message) { return Meaning(event: "unknown") }
      isEstablished = true
      return Meaning(event: "call.established")
    case "BYE":
      let wasCallee = callees.remove(calleeTag(message)) != nil
      if isOver || wasCallee && !callees.isEmpty { return Meaning(event: "unknown") }
      isOver = true
      // Who hangs up was taken up.
      return Meaning(
        event: "call.ended", outdated: withdraw(), isTransfer: referral?.hungUp() ?? false,
        stoodNs: isEstablished ? nil : answeredNs)
    case "CANCEL":
      // What has its answer is cancelled no more, and of a branch that a proxy gives up others may answer.
      guard !isUp, !isOver, refusal?.isCallers != true, isCallers(message, source) else {
        return Meaning(event: "unknown")
      }
      defer { refusal = Refusal(message: message, timeNs: timeNs, isCallers: true) }
      return Meaning(outdated: refusal)
    case "UPDATE": return Meaning(event: isUp && !isOver ? "call.updated" : "unknown")
    case "REFER":
      referral = SIPReferral(message, by: sender(of: message, source))
      return Meaning(event: "unknown")
    case "NOTIFY":
      let isTransfer = message.fragment.map { referral?.reported($0) ?? false } ?? false
      return Meaning(event: "unknown", isTransfer: isTransfer)
    default: return Meaning(event: "unknown")
    }
  }

  private mutating func answered(_ message: SIPMessage, _ timeNs: Int64) -> Meaning {
    let isFirst = !isUp
    if isFirst { answeredNs = timeNs }
    if accepted.count < Self.most { accepted.insert(Self.key(message)) }
    // Behind another leg there is nobody else.
    if callees.count < Self.most, message.callID == callID { callees.insert(calleeTag(message)) }
    return Meaning(event: isFirst ? "call.answered" : "unknown", outdated: withdraw())
  }

  /// Notes a refusal of the whole call; answers the one that it takes the place of, or itself where another branch is up.
  private mutating func refused(_ message: SIPMessage, _ destination: Endpoint, _ timeNs: Int64) -> Refusal? {
    let isCallers = isCallers(message, destination)
    var new = Refusal(message: message, timeNs: timeNs, isCallers: isCallers, hasRung: hasRung)
    if let refusal { new.cancelReason = refusal.isCancel ? refusal.message.reason : refusal.cancelReason }
    if isUp || refusal?.isCallers == true && !isCallers { return new }
    defer { refusal = new }
    return refusal
  }

  /// Whether a message is of the last INVITE that who called sent, between them and the first proxy.
  private func isCallers(_ message: SIPMessage, _ party: Endpoint) -> Bool {
    party == caller && message.branch == callersBranch
  }

  private mutating func withdraw() -> Refusal? {
    defer { refusal = nil }
    return refusal
  }
}

/// Which messages of a call were met, and between whom: a proxy that was captured shows each of them twice.
struct SIPHops {
  /// What a message is beside those before it.
  enum Sighting: Equatable {
    case new
    /// The same on its way through a proxy: between other addresses, or in another transaction.
    case passedOn
    /// The same between the same addresses again, met so many times by now.
    case again(Int)
    /// The same at once: captured at another place as well, as where a capture agent copies it.
    case copied
  }

  private var onHop: [String: (times: Int, lastNs: Int64)] = [:]
  private var messages: Set<String> = []
  /// Messages remembered of a call.
  private static let most = 512
  /// Nobody sends again so soon (T1 is half a second, RFC 3261 section 17.1.1.1), ns.
  private static let soonNs: UInt64 = 50_000_000

  /// Takes a message that went between two addresses.
  mutating func meet(
    _ message: SIPMessage, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) -> Sighting {
    let identity =
      "\(message.status ?? 0) \(message.sequence) \(message.method) \(message.fromTag) \(message.toTag)"
    let hop = "\(identity) \(message.branch) \(source.text) \(destination.text)"
    if let (times, lastNs) = onHop[hop] {
      if (timeNs &- lastNs).magnitude < Self.soonNs { return .copied }
      onHop[hop] = (times + 1, timeNs)
      return .again(times + 1)
    }
    guard onHop.count < Self.most else { return .new }
    onHop[hop] = (1, timeNs)
    return messages.insert(identity).inserted ? .new : .passedOn
  }
}
