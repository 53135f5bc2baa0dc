/// STUN requests that wait for their answer, and how long answers took.
struct Transactions {
  /// A request on its way.
  struct Request {
    var firstNs: Int64
    var sends: Int
    var useCandidate: Bool
    /// The flow that it was first seen on: a relay passes it on unchanged.
    var flow: FlowKey
  }

  private var open: [TransactionID: Request] = [:]
  private var sweptNs: Int64 = .min
  /// Requests waited for at once; RFC 8489 gives up after 39.5 s.
  private static let most = 8192
  private static let patienceNs: Int64 = 40_000_000_000

  /// Notes a request; answers how many times it has been sent, 0 where it was passed on.
  mutating func request(_ id: TransactionID, on flow: FlowKey, timeNs: Int64, useCandidate: Bool) -> Int {
    if var known = open[id] {
      let isSentAgain = known.flow == flow
      known.useCandidate = known.useCandidate || useCandidate
      if isSentAgain { known.sends += 1 }
      open[id] = known
      return isSentAgain ? known.sends : 0
    }
    if open.count >= Self.most || timeNs &- sweptNs > Self.patienceNs {
      open = open.filter { timeNs &- $0.value.firstNs < Self.patienceNs }
      if open.count >= Self.most { open.removeAll() }
      sweptNs = timeNs
    }
    open[id] = Request(firstNs: timeNs, sends: 1, useCandidate: useCandidate, flow: flow)
    return 1
  }

  /// The request that an answer belongs to; it waits no longer.
  mutating func answer(_ id: TransactionID) -> Request? { open.removeValue(forKey: id) }
}
