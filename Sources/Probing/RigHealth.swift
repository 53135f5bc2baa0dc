/// Whether the machine that placed a call was fast enough: a browser without enough processor time looks like a bad
/// network, so its call is reported separately.
struct RigHealth: Sendable, Equatable {
  /// The problems in words; empty if there are none.
  private(set) var faults: [String] = []
  private var stalls = 0
  private var longestStallMs = 0.0

  /// Longest pause of a page's timers, ms, before its statistics say more of the machine than of the call.
  private static let longestPause = 1000.0
  /// The most pauses of more than 0.3 s.
  private static let maxPauses = 10
  /// Share of packets sent by the relay more than 50 ms late, above which its delays are not those of the plan.
  private static let lateShare = 0.01

  var isHealthy: Bool { faults.isEmpty }

  mutating func add(fault: String) {
    if !faults.contains(fault), faults.count < 20 { faults.append(fault) }
  }

  mutating func add(stallMs: Double) {
    stalls += 1
    longestStallMs = max(longestStallMs, stallMs)
  }

  mutating func look(at truth: RelayTruth) {
    if longestStallMs > Self.longestPause {
      add(
        fault: "a page froze for \(Int(longestStallMs)) ms: the machine has too little processor time")
    } else if stalls > Self.maxPauses {
      add(
        fault:
          "pages froze for more than 0.3 s \(stalls) times: the machine has too little processor time")
    }
    let packets = truth.totals.values.reduce(0) { $0 + $1.packets }
    if packets > 0, Double(truth.late_packets) > Self.lateShare * Double(packets) {
      add(fault: "the relay sent \(truth.late_packets) of \(packets) packets more than 50 ms late")
    }
    if packets == 0 { add(fault: "no packet came to the relay: the pages made no connection through it") }
  }
}
