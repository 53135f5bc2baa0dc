/// How far ICE has come on a path.
struct ICEState {
  /// First connectivity check, by each end.
  var firstCheckNs: (Int64?, Int64?) = (nil, nil)
  /// First answered check of each end, seen when its answer passed.
  var firstAnsweredNs: (Int64?, Int64?) = (nil, nil)
  /// First answer to a check with USE-CANDIDATE.
  var nominatedNs: Int64?
  var checks = 0
  var retransmissions = 0
  var roleConflicts = 0
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
