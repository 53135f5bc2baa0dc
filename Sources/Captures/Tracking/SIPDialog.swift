import CallModel
import Packets
import Signalling

/// Whether the ends of a call that stands still know of it, by what they answer each other (RFC 3261 section 12.2, RFC 5057).
struct SIPDialog {
  /// A request, or the last of several, that an end sent and since which nothing came from the other.
  struct Unanswered {
    var isBye: Bool
    var firstNs: Int64
    var lastNs: Int64
  }

  /// By who sent them.
  private(set) var unanswered: [Int: Unanswered] = [:]
  /// An end whose request to change the call was answered by that there is none.
  private(set) var disowned: (end: Int, status: Int, method: String, timeNs: Int64)?
  /// The end that sent a BYE, and that was told that there is no call.
  private(set) var byeDisowned: (end: Int, status: Int)?
  private var saidBye: Set<Int> = []

  /// Whether an end hung up.
  func saidBye(_ end: Int) -> Bool { saidBye.contains(end) }

  /// No call, or nobody behind it who would answer.
  private static let none = [408, 481]

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
    let isNone = Self.none.contains(status)
    switch method {
    case "BYE": byeDisowned = isNone && !saidBye.contains(end) ? (1 - end, status) : nil
    case "INVITE", "UPDATE":
      if isNone {
        disowned = (1 - end, status, method, timeNs)
      } else if status < 300 {
        disowned = nil
      }
    default: break
    }
  }
}

/// How it shows that a call was broken when somebody hung up.
extension SIPCall {
  /// Why a call is over that nobody wanted to end.
  struct Breach {
    var reason: String
    var status: Int?
    /// When the end that is gone was heard of last.
    var sinceNs: Int64?

    /// Says so of the event that ends the call.
    func add(to w: inout ArgumentWriter) {
      if let status { w.add("code", status) }
      w.add("reason", reason)
      w.add("outcome", Outcome.dropped.rawValue)
      if let sinceNs { w.add("gone_since_ms", sinceNs.unixMs) }
    }
  }

  /// Who is told that there is no call hangs up at once, ns.
  private static let atOnceNs: Int64 = 5_000_000_000
  /// The last copy of a request is sent so long after the first (timers A, B, E and F), ns.
  private static let transactionNs: Int64 = 31_500_000_000
  /// Who hung up, or was hung up on, sends no media from so shortly before on, ns.
  private static let justBeforeNs: Int64 = 1_000_000_000

  /// Why the end that hangs up does so, where it is because the call is broken.
  func breach(seenBy end: Int, at timeNs: Int64) -> Breach? {
    if gaveUpAnswer(end, at: timeNs) { return Breach(reason: "no ACK came for the answer") }
    guard let told = dialog.disowned, told.end == end, timeNs &- told.timeNs <= Self.atOnceNs else {
      return nil
    }
    return Breach(reason: "\(told.status) in answer to its own \(told.method)", status: told.status)
  }

  /// The end that was gone when the other hung up, and how that shows; nil where both were there, or nobody knows.
  var goneEnd: (end: Int, breach: Breach)? {
    guard isOver, let overNs = path.hungUpNs else { return nil }
    for end in 0...1 {
      let isHushed = media.isSilent(.audio, end)
      let heardNs = path[end].firstMediaNs == nil ? nil : path.heardNs(of: end)
      func gone(_ reason: String, status: Int? = nil) -> (Int, Breach) {
        (end, Breach(reason: reason, status: status, sinceNs: heardNs))
      }
      func wasSilent(_ lengthNs: Int64, before timeNs: Int64) -> Bool? {
        heardNs.map { timeNs &- $0 >= lengthNs && !isHushed }
      }
      if let asked = dialog.unanswered[1 - end], path[end].hasSignalled,
        asked.lastNs &- asked.firstNs >= Self.transactionNs,
        asked.isBye
          ? wasSilent(Self.atOnceNs, before: asked.firstNs) ?? false
          : heardNs.map({ $0 &- asked.firstNs < Self.justBeforeNs }) ?? true
      {
        return gone("the other end was gone: it answered no request for 32 s")
      }
      if let told = dialog.byeDisowned, told.end == 1 - end,
        wasSilent(Self.justBeforeNs, before: overNs) ?? true
      {
        return gone("the other end was gone: it knew nothing of the call", status: told.status)
      }
      if let refused = path[end].refused, refused.upperBound &- refused.lowerBound >= Self.atOnceNs,
        overNs &- refused.upperBound <= Self.atOnceNs, dialog.saidBye(1 - end),
        wasSilent(Self.atOnceNs, before: overNs) == true
      {
        return gone("the other end was gone: its host said that its port is closed")
      }
    }
    return nil
  }
}
