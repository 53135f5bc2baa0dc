import CallModel
import Packets
import Signalling

/// Whether both ends of an established call are still there, according to how they answer each other's
/// requests (RFC 3261 section 12.2, RFC 5057).
struct SIPDialog {
  /// One or more requests of an end since which nothing has come from the other.
  struct Unanswered {
    var isBye: Bool
    var firstNs: Int64
    var lastNs: Int64
  }

  /// By the end that sent them.
  private(set) var unanswered: [Int: Unanswered] = [:]
  /// The last INVITE or UPDATE of the established call that was answered with 408 or 481, and the end that
  /// sent it.
  private(set) var refusedRequest: (end: Int, status: Int, method: String, timeNs: Int64)?
  /// The end that sent a BYE that was answered with 408 or 481.
  private(set) var refusedBye: (end: Int, status: Int)?
  private var saidBye: Set<Int> = []
  /// The ends that answered a BYE with success: they were there.
  private var tookBye: Set<Int> = []

  /// The end that was sent a BYE again and again and never answered, also where a proxy says so; nil if there is none.
  var ignoresBye: Int? {
    if let refusedBye, refusedBye.status == 408 { return 1 - refusedBye.end }
    return unanswered.first { $0.value.isBye && $0.value.lastNs &- $0.value.firstNs >= Self.retransmittedNs }
      .map { 1 - $0.key }
  }
  /// After this time a BYE was sent three times (timer E, RFC 3261 section 17.1.2.2), ns.
  private static let retransmittedNs: Int64 = 1_400_000_000

  /// Whether an end hung up.
  func saidBye(_ end: Int) -> Bool { saidBye.contains(end) }

  /// Whether an end answered that the other hung up.
  func tookBye(_ end: Int) -> Bool { tookBye.contains(end) }

  /// The other end does not answer, or does not know the call.
  private static let goneStatuses = [408, 481]

  /// Takes a message of the call.
  mutating func take(_ message: SIPMessage, by end: Int, at timeNs: Int64, isUp: Bool) {
    guard isUp else { return }
    unanswered[1 - end] = nil
    let method = message.method
    guard let status = message.status else {
      if method == "ACK" || method == "CANCEL" { return }
      if method == "BYE" { saidBye.insert(end) }
      let first = unanswered[end]
      return unanswered[end] = Unanswered(
        isBye: first?.isBye ?? (method == "BYE"), firstNs: first?.firstNs ?? timeNs, lastNs: timeNs)
    }
    guard status >= 200 else { return }
    let isGone = Self.goneStatuses.contains(status)
    switch method {
    case "BYE":
      if status < 300 { tookBye.insert(end) }
      refusedBye = isGone && !saidBye.contains(end) ? (1 - end, status) : nil
    case "INVITE", "UPDATE":
      if isGone {
        refusedRequest = (1 - end, status, method, timeNs)
      } else if status < 300 {
        refusedRequest = nil
      }
    default: break
    }
  }
}

/// How to recognise that a call was broken when one end hung up.
extension SIPCall {
  /// Why a call ended that nobody wanted to end.
  struct BrokenCall {
    var reason: String
    var status: Int?
    /// When the end that is gone was last heard from, ns.
    var sinceNs: Int64?

    /// Adds it to the event that ends the call.
    func add(to w: inout ArgumentWriter) {
      if let status { w.add("code", status) }
      w.add("reason", reason)
      w.add("outcome", Outcome.dropped.rawValue)
      if let sinceNs { w.add("gone_since_ms", sinceNs.unixMs) }
    }
  }

  /// An end that learns that the call does not exist hangs up within this time, ns.
  private static let atOnceNs: Int64 = 5_000_000_000
  /// The time from the first to the last transmission of a request (timers A, B, E and F), ns.
  private static let transactionNs: Int64 = 31_500_000_000
  /// Media received this shortly before the end show that their sender was there, ns.
  private static let justBeforeNs: Int64 = 1_000_000_000

  /// Why an end hangs up, if it does so because the call is broken.
  func brokenCall(seenBy end: Int, at timeNs: Int64) -> BrokenCall? {
    if gaveUpAnswer(end, at: timeNs) { return BrokenCall(reason: "no ACK came for the answer") }
    guard let refused = dialog.refusedRequest, refused.end == end, timeNs &- refused.timeNs <= Self.atOnceNs
    else {
      return nil
    }
    return BrokenCall(
      reason: "\(refused.status) in answer to its own \(refused.method)", status: refused.status)
  }

  /// The end that was gone when the other hung up, and the evidence; nil if both were there, or if this is
  /// unknown.
  var goneEnd: (end: Int, brokenCall: BrokenCall)? {
    guard isOver, let overNs = path.hungUpNs else { return nil }
    for end in 0...1 {
      let isSilent = media.isSilent(.audio, end)
      let lastReceivedNs = path[end].firstMediaNs == nil ? nil : path.lastReceivedNs(of: end)
      func gone(_ reason: String, status: Int? = nil) -> (Int, BrokenCall) {
        (end, BrokenCall(reason: reason, status: status, sinceNs: lastReceivedNs))
      }
      func wasSilent(_ lengthNs: Int64, before timeNs: Int64) -> Bool? {
        lastReceivedNs.map { timeNs &- $0 >= lengthNs && !isSilent }
      }
      if let asked = dialog.unanswered[1 - end], path[end].hasSignalled,
        asked.lastNs &- asked.firstNs >= Self.transactionNs,
        asked.isBye
          ? wasSilent(Self.atOnceNs, before: asked.firstNs) ?? false
          : lastReceivedNs.map({ $0 &- asked.firstNs < Self.justBeforeNs }) ?? true
      {
        return gone("the other end was gone: it answered no request for 32 s")
      }
      if let refused = dialog.refusedBye, refused.end == 1 - end,
        wasSilent(Self.justBeforeNs, before: overNs) ?? true
      {
        return gone("the other end was gone: it knew nothing of the call", status: refused.status)
      }
      if let refused = path[end].refused, refused.upperBound &- refused.lowerBound >= Self.atOnceNs,
        overNs &- refused.upperBound <= Self.atOnceNs, dialog.saidBye(1 - end),
        !dialog.tookBye(end), wasSilent(Self.atOnceNs, before: overNs) == true
      {
        return gone("the other end was gone: its host said that its port is closed")
      }
    }
    return nil
  }
}
