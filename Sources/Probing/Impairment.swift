import CallModel

/// What a link does to the packets of one direction. A member that is absent does nothing.
public struct Impairment: Codable, Equatable, Sendable {
  /// Share of packets lost, each by itself, 0 to 1.
  public var loss: Double?
  /// Share of packets lost in runs, 0 to 1 (the model of Gilbert: a good and a bad state).
  public var burst_loss: Double?
  /// Mean length of such a run, packets; 4 where it is not given.
  public var burst_packets: Double?
  /// Delay of every packet, ms.
  public var delay_ms: Double?
  /// Standard deviation of the delay, ms. Packets stay in order unless `reorder`.
  public var jitter_ms: Double?
  /// Whether a packet may come before one that was sent earlier.
  public var reorder: Bool?
  /// Capacity, kbit/s: what comes faster waits, up to `queue_ms`.
  public var rate_kbps: Double?
  /// How long a packet may wait for the capacity before it is dropped, ms; 300 where it is not given.
  public var queue_ms: Double?
  /// Nothing passes.
  public var blackhole: Bool?

  public init() {}

  /// What of it cannot be, in words; nil where all can.
  var trouble: String? {
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

/// What becomes of a packet.
enum PacketFate: Equatable {
  case lost
  /// The queue in front of the capacity was full.
  case queueFull
  /// Nothing passes at present.
  case blackhole
  /// It goes on at this time, ms.
  case due(Double)
}

/// One direction of a link under an impairment: decides what becomes of each packet. A given seed gives the same decisions.
struct Link {
  private var impairment = Impairment()
  private var random: SplitMix64
  private var isInBurst = false
  /// When the capacity is free again, ms.
  private var freeAt = 0.0
  private var lastDue = 0.0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func change(to impairment: Impairment) { self.impairment = impairment }

  /// What becomes of a packet of so many bytes (UDP payload) that came at this time, ms.
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
      // IPv4 and UDP headers take capacity too.
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
  /// From 0 up to 1.
  mutating func share() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Mean 0, standard deviation 1, near enough (Irwin-Hall of twelve), within 6.
  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + share() } }
}
