/// Interarrival jitter by RFC 3550 A.8, with its mean and maximum over the packets, in ms. Steps of the sender's timing,
/// after which the packets stay as late as they are, are left out.
struct JitterMeter {
  private var lastNs: Int64 = 0
  private var lastTimestamp: UInt32 = 0
  private var started = false
  private var sum = 0.0
  private var count = 0
  /// How late the last packet came, ms, as long as it is open whether the network held it back.
  private var openMs: Double?
  /// The current estimate, ms.
  private(set) var ms = 0.0
  private(set) var maxMs = 0.0

  /// The mean of the estimate over the packets, ms; nil before the second.
  var meanMs: Double? { count > 0 ? sum / Double(count) : nil }

  /// Takes a packet; `msPerTick` is 1000 over the RTP clock.
  @inline(__always)
  mutating func take(timeNs: Int64, timestamp: UInt32, msPerTick: Double) {
    if started {
      let arrival = Double(timeNs &- lastNs) / 1e6
      let media = Double(Int32(bitPattern: timestamp &- lastTimestamp)) * msPerTick
      if let late = openMs {
        openMs = nil
        // What the network held back is followed at once by the next packet.
        if arrival < media / 2 { add(late) }
      }
      let difference = arrival - media
      if abs(difference) < Self.stepMs {
        add(abs(difference))
      } else if difference > 0, difference < Self.beyondMs {
        openMs = difference
      }
    }
    started = true
    lastNs = timeNs
    lastTimestamp = timestamp
  }

  /// From the first on it may be a step of the sender's timing, as in `TimingSteps`; the network causes no more than the
  /// second, ms.
  private static let (stepMs, beyondMs) = (250.0, 5000.0)

  @inline(__always)
  private mutating func add(_ difference: Double) {
    ms += (difference - ms) / 16
    sum += ms
    count &+= 1
    if ms > maxMs { maxMs = ms }
  }

  /// Forgets the last packet because the sender has restarted; the estimate is kept.
  mutating func rebase() { started = false }
}
