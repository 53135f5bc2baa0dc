import Glibc

/// Whether the machine that placed a call was fast enough: a browser without enough processor time looks like a bad
/// network, so its call is reported separately. What a page does wrong is no fault of the machine.
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

  mutating func add(stallMs: Double) {
    stalls += 1
    longestStallMs = max(longestStallMs, stallMs)
  }

  mutating func look(at truth: RelayTruth) {
    if longestStallMs > Self.longestPause {
      faults.append("a page froze for \(Int(longestStallMs)) ms: the machine has too little processor time")
    } else if stalls > Self.maxPauses {
      faults.append(
        "pages froze for more than 0.3 s \(stalls) times: the machine has too little processor time")
    }
    let packets = truth.totals.values.reduce(0) { $0 + $1.packets }
    if packets > 0, Double(truth.late_packets) > Self.lateShare * Double(packets) {
      faults.append("the relay sent \(truth.late_packets) of \(packets) packets more than 50 ms late")
    }
  }
}

/// How much of the machine's processors was idle lately. A page that stands still while processors are idle is busy with
/// its own script, or waits for it; one that stands still while there are none is starved.
struct ProcessorIdleness {
  private var samples: [(at: Double, idle: Double, all: Double)] = []

  /// Idle share below which a machine is taken to be out of processor time.
  private static let leastIdle = 0.1
  private static let keptSeconds = 30.0
  private static let everySeconds = 0.2

  /// Looks at the counters, at most five times a second; `now` of `MonotonicClock`.
  mutating func look(now: Double) {
    guard now - (samples.last?.at ?? -1) >= Self.everySeconds, let (idle, all) = Self.counters() else {
      return
    }
    samples.removeAll { now - $0.at > Self.keptSeconds }
    samples.append((now, idle, all))
  }

  /// Whether the machine had no processor time to spare in a period that has just ended; true if that is not known.
  func wasStarved(forMs lengthMs: Double) -> Bool {
    guard let last = samples.last,
      let first = samples.last(where: { $0.at <= last.at - lengthMs / 1000 }) ?? samples.first,
      last.all > first.all
    else { return true }
    return (last.idle - first.idle) / (last.all - first.all) < Self.leastIdle
  }

  /// Ticks of all processors that were idle or waited for a disk, and all ticks (proc(5)).
  private static func counters() -> (idle: Double, all: Double)? {
    let file = open("/proc/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0, let line = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").first
    else { return nil }
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    return ticks.count == 8 ? (ticks[3] + ticks[4], ticks.reduce(0, +)) : nil
  }
}
