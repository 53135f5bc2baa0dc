/// How far ICE has come on a path.
struct ICEState {
  /// First connectivity check, by each end.
  var firstCheckNs: (Int64?, Int64?) = (nil, nil)
  /// The first of both.
  var firstNs: Int64? { [firstCheckNs.0, firstCheckNs.1].compactMap { $0 }.min() }
  /// First answered check of each end, seen when its answer passed.
  var firstAnsweredNs: (Int64?, Int64?) = (nil, nil)
  /// First answer to a check with USE-CANDIDATE.
  var nominatedNs: Int64?
  var checks = 0
  var retransmissions = 0
  var roleConflicts = 0

  /// Takes in the checks of a restart; the first of all stay the first.
  mutating func takeIn(_ later: ICEState, isTurned: Bool) {
    func turned(_ both: (Int64?, Int64?)) -> (Int64?, Int64?) { isTurned ? (both.1, both.0) : both }
    let (first, answered) = (turned(later.firstCheckNs), turned(later.firstAnsweredNs))
    firstCheckNs = (firstCheckNs.0 ?? first.0, firstCheckNs.1 ?? first.1)
    firstAnsweredNs = (firstAnsweredNs.0 ?? answered.0, firstAnsweredNs.1 ?? answered.1)
    nominatedNs = nominatedNs ?? later.nominatedNs
    checks += later.checks
    retransmissions += later.retransmissions
    roleConflicts += later.roleConflicts
  }
}

/// What happened before the checks at one host's address: requests to STUN and TURN servers.
struct Gathering {
  var firstRequestNs: Int64
  var firstAnswerNs: Int64?
  var relayNs: Int64?
  var requests = 0
  var retransmissions = 0
  /// TURN answers of 401 and 438 are the usual challenge; others are trouble.
  var errors: [Int] = []
  var sawAllocate = false
}
