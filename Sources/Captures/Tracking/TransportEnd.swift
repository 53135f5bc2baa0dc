import Packets

/// One of the two ends of a path.
struct TransportEnd {
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
  var unseen = UncapturedReception()
  /// When it was heard of in a silence.
  var signs = FarEndActivity()
  /// Whether it answers checks.
  var consent = Consent()
  /// When its host said that its port is closed (ICMP), which it may have opened again.
  var closedNs: Int64?
  /// The last time in which its host said so of a call of SIP, from the first error to the last.
  var refused: ClosedRange<Int64>?
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
  mutating func takeIn(_ other: TransportEnd) {
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
  mutating func reached(_ callee: TransportEnd) {
    userAgent = callee.userAgent ?? userAgent
    addresses =
      callee.addresses
      + addresses.filter { !callee.addresses.contains($0) }.prefix(max(0, 64 - callee.addresses.count))
    (soundAt, soundWasAt, soundBy) = (callee.soundAt, callee.soundWasAt, callee.soundBy)
  }

  /// Mean time to answer, ms; nil before the first answer.
  var meanAnswerMs: Double? { answers > 0 ? answerSumMs / Double(answers) : nil }
}

/// When an end was heard of while none of its media passed: what tells a sender who pauses from a way that is broken.
struct FarEndActivity {
  /// Media is silent after so long, and signs are kept so far apart, ns.
  private static let apartNs: Int64 = 500_000_000
  /// Most that are kept: half a day of silence.
  static let most = 100_000

  private(set) var times: [Int64] = []
  private var lookedNs: Int64 = .min

  /// Whether it is time to look again; the last packet of media need not be looked for before.
  mutating func isDue(at timeNs: Int64) -> Bool {
    guard times.count < Self.most, lookedNs == .min || timeNs &- lookedNs >= Self.apartNs else {
      return false
    }
    lookedNs = timeNs
    return true
  }

  /// Takes a sign, and when media last passed.
  mutating func take(_ timeNs: Int64, lastMediaNs: Int64) {
    if timeNs &- lastMediaNs >= Self.apartNs { times.append(timeNs) }
  }
}

extension MediaTransport {
  /// Notes that an end sent something beside media: a check, an answer to one, a report.
  func isAlive(_ end: Int, at timeNs: Int64) {
    guard self[end].signs.isDue(at: timeNs),
      let last = media.lazy.filter({ $0.sender == end && $0.role == .media }).map(\.lastNs).max()
    else { return }
    self[end].signs.take(timeNs, lastMediaNs: last)
  }
}

/// What an end reports of sound that came to it and is not in the capture (RFC 3550 section 6.4.1): its numbers go on all the same.
struct UncapturedReception {
  private var ssrc: UInt32?
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Packets that came between its first report and its last, nil where it reported nothing of the kind.
  var packets: Int? { ssrc == nil || first == last ? nil : Int(last &- first) }

  /// Takes a report block, 24 bytes; the first stream that is reported is believed.
  mutating func take(block b: Octets) {
    let (reported, highest) = (b.word(0), b.word(8))
    if ssrc == nil { (ssrc, first, last) = (reported, highest, highest) }
    // What falls behind, or leaps further than a minute of sound, counts another stream.
    if reported == ssrc, highest &- last < 100_000 { last = highest }
  }
}

extension MediaTransport {
  /// Says of a call's end that nothing of what was sent to it was captured, where that shows: by its own reports; because its
  /// far end has not said one word of a call that stands all the same; or because a relay sends nothing at all to its host.
  func tellOneDirection() {
    guard call != nil, happenings.contains(where: { $0.event == "call.established" }) else { return }
    for end in 0...1 {
      let sent = media.filter { $0.sender == end && $0.role == .media }
      let others = media.filter { $0.sender != end && $0.role == .media }
      guard let first = sent.map(\.firstNs).min() else { continue }
      let packets = others.isEmpty ? self[end].unseen.packets : nil
      let isMute = others.isEmpty && !self[1 - end].hasSignalled && self[1 - end].firstRTCPNs == nil
      guard isMute || packets != nil || !others.isEmpty && isUnreached(from: sent, others) else { continue }
      var w = ArgumentWriter()
      if let packets { w.add("packets", packets) }
      add("unknown", "capture.one-direction", at: first, end: end, args: w.text)
    }
  }

  /// Whether nothing goes to the host that an end sends from, neither media nor signalling.
  private func isUnreached(from sent: [MediaStream], _ others: [MediaStream]) -> Bool {
    let relays = Set(sent.map(\.destination.address))
    let own = Set(sent.map(\.source.address)).subtracting(relays)
    return !own.isEmpty && own.isDisjoint(with: signalledTo.union(others.map(\.destination.address)))
  }
}

/// Whether an end still answers the checks that keep consent (RFC 7675).
struct Consent {
  private var answeredNs: Int64?
  /// Checks that it has not answered since, and the last of them.
  private var asked = 0
  private var askedNs: Int64 = .min

  /// Who does not answer for so long is gone: browsers say by then that ICE is disconnected, ns.
  fileprivate static let patienceNs: Int64 = 5_000_000_000
  private static let leastAsked = 3

  mutating func ask(at timeNs: Int64) {
    asked += 1
    askedNs = max(askedNs, timeNs)
  }

  mutating func answer(at timeNs: Int64) {
    answeredNs = max(answeredNs ?? timeNs, timeNs)
    asked = 0
  }

  /// Takes in those of the same end on another path; who answered last counts.
  mutating func takeIn(_ other: Consent) {
    guard let theirs = other.answeredNs else { return }
    if theirs > answeredNs ?? .min { self = other }
  }

  /// Since when the end is gone, where it was heard of last at a moment; nil where it answers, or never did.
  func lostNs(heardAt heardNs: Int64) -> Int64? {
    guard let answeredNs, asked >= Self.leastAsked else { return nil }
    let last = max(answeredNs, heardNs)
    return askedNs &- last >= Self.patienceNs ? last : nil
  }
}

extension MediaTransport {
  /// When an end was heard of last: by its media, or beside it.
  func heardNs(of end: Int) -> Int64 {
    let media = media.lazy.filter { $0.sender == end }.map(\.lastNs).max() ?? .min
    return max(media, self[end].signs.times.last ?? .min)
  }

  /// Since when an end is gone without a word: it sends nothing and answers no check any more, or its host says that its port is
  /// closed, until the call or the capture was over. Nil where it is there, or nobody knows.
  func goneNs(_ end: Int) -> Int64? {
    // Of one whose media was not captured not everything was.
    guard isWebRTC, self[end].firstMediaNs != nil else { return nil }
    let heard = heardNs(of: end)
    let refused = closedNs(end).flatMap { lastRefusedNs &- $0 >= Consent.patienceNs ? heard : nil }
    guard let lost = self[end].consent.lostNs(heardAt: heard) ?? refused else { return nil }
    // Nobody answers after the end.
    return overNs.map { $0 > lost &+ Consent.patienceNs } ?? true ? lost : nil
  }

  /// From when on nothing that reaches an end is heard there: its host said that its port is closed, and nothing came from it since.
  func closedNs(_ end: Int) -> Int64? {
    guard let closed = self[end].closedNs, closed > heardNs(of: end) else { return nil }
    return closed
  }

  /// Notes that the host of an end has closed the port that media was sent to: a PeerConnection is told then, and of a call of SIP it
  /// counts for how long.
  func closed(_ end: Int, at timeNs: Int64) {
    if call != nil {
      let first =
        self[end].refused.map { $0.lowerBound > heardNs(of: end) ? $0.lowerBound : timeNs } ?? timeNs
      self[end].refused = min(first, timeNs)...timeNs
    }
    guard isWebRTC, self[end].firstMediaNs != nil else { return }
    lastRefusedNs = timeNs
    guard closedNs(end) == nil else { return }
    self[end].closedNs = timeNs
  }
}
