import CallModel

/// The result of offers and answers between the ends of a call (RFC 3264): who may send what, and who holds
/// the call (section 8.4).
public struct OfferAnswer {
  /// What the end that sent a description does with each medium.
  private typealias MediaUses = [MediaKind: SDP.MediaUse]

  /// A description without an answer so far.
  private struct Offer {
    /// The number of the request that carries it or whose response carries it, and the end that sent that
    /// request.
    var number: Substring
    var requester: Int
    var end: Int
    var uses: MediaUses

    /// The medium that shows whether the call is on hold: the first that is not disabled.
    var medium: MediaKind? { SDP.audioAndVideo.first { uses[$0]?.takesPart == true } }
  }

  private var offers: [Offer] = []
  /// Ends that may not send a medium, as last negotiated; without an answer, as offered.
  public private(set) var silent: [MediaKind: Set<Int>] = [:]
  /// The media that take part by the last answer; nil before the first.
  public private(set) var kinds: Set<MediaKind>?
  /// Ends that do not receive any more, although they did before.
  public private(set) var holders: Set<Int> = []
  /// Ends that have been ready to receive at some time. If an end never was, the call is one-way, not on
  /// hold.
  private var listeners: Set<Int> = []

  /// The last offer without an answer. It takes effect immediately at the end that sent it.
  private var asked: Offer?

  /// The maximum number of pending offers. There may be several if both ends offer, or each leg of a call has
  /// its own.
  private static let most = 8

  public init() {}

  /// Starts with a call that is already established, in which both ends are assumed to have received media.
  public mutating func joinEstablishedCall() { listeners = [0, 1] }

  /// Takes a description that an end sent; returns whether it changed what is negotiated or offered. If it
  /// was not captured completely, anything it does not mention may have been in the missing part.
  public mutating func take(
    _ description: SDP, in message: SIPMessage, by end: Int, isWhole: Bool = true
  ) -> Bool {
    // A description in a rejection is not negotiated.
    if let status = message.status, status >= 300 { return false }
    let number = message.sequence.prefix { $0 != " " }
    let requester = message.status == nil ? end : 1 - end
    let uses = description.uses(isWhole: isWhole, assumesDirection: listeners.isEmpty)
    let known = offers.firstIndex { $0.number == number && $0.requester == requester }
    if let known, offers[known].end != end {
      agree(offers[known], uses)
      if asked?.number == number, asked?.requester == requester { asked = nil }
      return true
    }
    if let known, offers[known].uses == uses { return false }
    let offer = Offer(number: number, requester: requester, end: end, uses: uses)
    if let known { offers[known] = offer } else { offers.append(offer) }
    if offers.count > Self.most { offers.removeFirst() }
    if listeners.isEmpty {
      silent = Self.silent(offer, [:])
      return false
    }
    asked = offer
    return true
  }

  /// Takes a final response that rejects an offer; returns whether the offer was in effect.
  public mutating func refused(_ message: SIPMessage, by end: Int) -> Bool {
    guard let status = message.status, status >= 300, let offer = asked, offer.requester == 1 - end,
      offer.number == message.sequence.prefix(while: { $0 != " " })
    else { return false }
    asked = nil
    offers.removeAll { $0.number == offer.number && $0.requester == offer.requester }
    return true
  }

  /// Whether an end may not send a medium now, as last negotiated or as offered since.
  public func isSilent(_ kind: MediaKind, _ end: Int) -> Bool {
    if silent[kind]?.contains(end) == true { return true }
    return asked.map { Self.silent($0, [:])[kind]?.contains(end) == true } == true
  }

  /// Whether an end holds the call now, or has offered to.
  public func isHolding(_ end: Int) -> Bool {
    if holders.contains(end) { return true }
    guard let asked, asked.end == end, listeners.contains(end) else { return false }
    return asked.medium.flatMap { asked.uses[$0]?.receives } == false
  }

  private mutating func agree(_ offer: Offer, _ answer: MediaUses) {
    silent = Self.silent(offer, answer)
    kinds = Set(
      SDP.audioAndVideo.filter { offer.uses[$0]?.takesPart == true && answer[$0]?.takesPart == true })
    guard let kind = offer.medium, let offered = offer.uses[kind], let answered = answer[kind],
      answered.takesPart
    else { return }
    listen(offer.end, offered.receives)
    // If the offerer does not send, the answer cannot show whether the answerer would receive.
    if offered.sends { listen(1 - offer.end, answered.receives) }
  }

  private mutating func listen(_ end: Int, _ receives: Bool) {
    if receives {
      listeners.insert(end)
      holders.remove(end)
    } else if listeners.contains(end) {
      holders.insert(end)
    }
  }

  /// An end is silent where it does not want to send or the other does not want to receive.
  private static func silent(_ offer: Offer, _ answer: MediaUses) -> [MediaKind: Set<Int>] {
    var silent: [MediaKind: Set<Int>] = [:]
    for (kind, use) in offer.uses {
      let other = answer[kind]
      if !use.sends || other?.receives == false { silent[kind, default: []].insert(offer.end) }
      if !use.receives || other?.sends == false { silent[kind, default: []].insert(1 - offer.end) }
    }
    return silent
  }

  /// The canonical event for an end after a change of hold.
  public func event(for end: Int) -> EventName {
    switch (holders.contains(end), holders.contains(1 - end)) {
    case (true, true): .callDoubleHeld
    case (true, false): .callHeld
    case (false, true): .callRemotelyHeld
    case (false, false): .callResumed
    }
  }
}

extension SDP {
  /// What an end does with a medium.
  struct MediaUse: Equatable {
    /// Whether the medium is used at all. Port 0 rejects or removes it (RFC 3264 sections 6 and 8.2).
    var takesPart = false
    var sends = false
    var receives = false
  }

  fileprivate static let audioAndVideo: [MediaKind] = [.audio, .video]

  /// What the describing end does with sound and with pictures; where all of the description is known, nothing with what it does not
  /// name (fax takes the place of sound).
  ///
  /// A section that was cut before its direction says nothing of it; of the first description, what is usual is assumed.
  fileprivate func uses(isWhole: Bool, assumesDirection: Bool) -> [MediaKind: MediaUse] {
    var uses: [MediaKind: MediaUse] = [:]
    if isWhole { for kind in Self.audioAndVideo { uses[kind] = MediaUse() } }
    for (index, section) in media.enumerated() {
      guard let kind = MediaKind(rawValue: section.kind) else { continue }
      let mayGoOn = !isWhole && index == media.count - 1
      if mayGoOn, !assumesDirection, section.takesPart, section.direction.isEmpty { continue }
      var use = uses[kind] ?? MediaUse()
      if section.takesPart {
        use.takesPart = true
        if ["", "sendrecv", "sendonly"].contains(section.direction) { use.sends = true }
        let isReachable = section.address.map { !$0.isUnspecified } ?? true
        if isReachable, ["", "sendrecv", "recvonly"].contains(section.direction) { use.receives = true }
      }
      uses[kind] = use
    }
    return uses
  }
}
