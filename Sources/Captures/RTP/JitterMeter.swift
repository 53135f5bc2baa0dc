/// Interarrival jitter by RFC 3550 A.8, with its mean and maximum over the packets, in ms.
struct JitterMeter {
  private var lastNs: Int64 = 0
  private var lastTimestamp: UInt32 = 0
  private var started = false
  private var sum = 0.0
  private var count = 0
  /// The current estimate, ms.
  private(set) var ms = 0.0
  private(set) var maxMs = 0.0

  /// The mean of the estimate over the packets, ms; nil before the second.
  var meanMs: Double? { count > 0 ? sum / Double(count) : nil }

  /// Takes a packet; `msPerTick` is 1000 over the RTP clock.
  @inline(__always)
  mutating func take(timeNs: Int64, timestamp: UInt32, msPerTick: Double) {
    if started {
      // No network causes this much jitter, so the timestamps have restarted.
      let beyondMs = 5000.0
      let arrival = Double(timeNs &- lastNs) / 1e6
      let media = Double(Int32(bitPattern: timestamp &- lastTimestamp)) * msPerTick
      let difference = abs(arrival - media)
      if difference < beyondMs {
        ms += (difference - ms) / 16
        sum += ms
        count &+= 1
        if ms > maxMs { maxMs = ms }
      }
    }
    started = true
    lastNs = timeNs
    lastTimestamp = timestamp
  }

  /// Forgets the last packet because the sender has restarted; the estimate is kept.
  mutating func rebase() { started = false }
}
