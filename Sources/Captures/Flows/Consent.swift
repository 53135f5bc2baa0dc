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

extension Path {
  /// When an end was heard of last: by its media, or beside it.
  private func heardNs(of end: Int) -> Int64 {
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

  /// Notes that the host of an end of a PeerConnection has closed the port that media was sent to.
  func closed(_ end: Int, at timeNs: Int64) {
    guard isWebRTC, self[end].firstMediaNs != nil else { return }
    lastRefusedNs = timeNs
    guard closedNs(end) == nil else { return }
    self[end].closedNs = timeNs
  }
}
