import CallModel

/// The impairments of one direction of a link. Absent members have no effect.
public struct Impairment: Codable, Equatable, Sendable {
  /// Share of packets lost independently, 0 to 1.
  public var loss: Double?
  /// Share of packets lost in bursts, 0 to 1 (Gilbert model: a good and a bad state).
  public var burst_loss: Double?
  /// Mean burst length, packets; 4 by default.
  public var burst_packets: Double?
  /// Delay of every packet, ms.
  public var delay_ms: Double?
  /// Standard deviation of the delay, ms. Packets stay in order unless `reorder`.
  public var jitter_ms: Double?
  /// Whether packets may overtake earlier ones.
  public var reorder: Bool?
  /// Capacity, kbit/s: packets beyond it wait, up to `queue_ms`.
  public var rate_kbps: Double?
  /// How long a packet may wait for capacity before it is dropped, ms; 300 by default.
  public var queue_ms: Double?
  /// No packet passes.
  public var blackhole: Bool?

  public init() {}

  /// What is invalid; nil if everything is valid.
  var problem: String? {
    for (name, value) in [("loss", loss), ("burst_loss", burst_loss)] {
      if let value, !(0...1).contains(value) { return "`\(name)` is a share from 0 to 1, and is \(value)" }
    }
    if burst_loss == 1 { return "`burst_loss` is below 1; for everything there is `blackhole`" }
    let positive = [("burst_packets", burst_packets), ("rate_kbps", rate_kbps), ("queue_ms", queue_ms)]
    for (name, value) in positive {
      if let value, !(value > 0 && value <= 1e7) { return "`\(name)` is above 0, and is \(value)" }
    }
    for (name, value) in [("delay_ms", delay_ms), ("jitter_ms", jitter_ms)] {
      if let value, !(0...60_000).contains(value) {
        return "`\(name)` is from 0 to 60000 ms, and is \(value)"
      }
    }
    return nil
  }
}

/// The fate of a packet.
enum PacketFate: Equatable {
  case lost
  /// Dropped, as the queue for the capacity was full.
  case queueFull
  /// Dropped, as no packets pass at present.
  case blackhole
  /// Forwarded at this time, ms.
  case due(Double)
}

/// One direction of an impaired link: decides the fate of each packet, deterministically for a seed.
struct Link {
  private var impairment = Impairment()
  private var random: SplitMix64
  private var isInBurst = false
  /// When capacity is available again, ms.
  private var freeAt = 0.0
  private var lastDue = 0.0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func change(to impairment: Impairment) { self.impairment = impairment }

  /// The fate of a packet with a UDP payload of this size that arrives at this time, ms.
  mutating func fate(ofBytes bytes: Int, at now: Double) -> PacketFate {
    if impairment.blackhole == true { return .blackhole }
    if let loss = impairment.loss, random.share() < loss { return .lost }
    if let share = impairment.burst_loss, share > 0 {
      let length = max(1, impairment.burst_packets ?? 4)
      let leave = 1 / length
      // The share of time in the bad state is enter / (enter + leave).
      let enter = min(1, leave * share / (1 - share))
      isInBurst = isInBurst ? random.share() >= leave : random.share() < enter
      if isInBurst { return .lost }
    }
    var due = now
    if let rate = impairment.rate_kbps {
      let begins = max(now, freeAt)
      if begins - now > impairment.queue_ms ?? 300 { return .queueFull }
      // IPv4 and UDP headers use capacity too.
      freeAt = begins + Double(bytes + 28) * 8 / rate
      due = freeAt
    }
    due += impairment.delay_ms ?? 0
    if let jitter = impairment.jitter_ms { due = max(now, due + random.normal() * jitter) }
    if impairment.reorder != true { due = max(due, lastDue) }
    lastDue = max(due, lastDue)
    return .due(due)
  }
}

extension SplitMix64 {
  /// Uniform in [0, 1).
  mutating func share() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Approximately normal with mean 0 and standard deviation 1 (Irwin-Hall of twelve), within ±6.
  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + share() } }
}
