import CallModel

/// Growth of the counters used for scoring, over a period; a counter that was never seen stays unknown.
struct CounterDeltas {
  /// The counters that are kept, in the order of their slots.
  static let counters = Metric.allCases.compactMap { metric in
    slot(of: metric).map { (slot: $0, metric: metric) }
  }
  .sorted { $0.slot < $1.slot }.map(\.metric)

  /// The slot of a counter. Inlined, so that the slot of a named counter is a compile-time constant.
  @inline(__always)
  private static func slot(of metric: Metric) -> Int? {
    switch metric {
    case .packets: 0
    case .bytes: 1
    case .lost: 2
    case .expected: 3
    case .late: 4
    case .discarded: 5
    case .fecPackets: 6
    case .fecDiscarded: 7
    case .totalSamples: 8
    case .concealedSamples: 9
    case .silentConcealedSamples: 10
    case .concealmentEvents: 11
    case .insertedSamples: 12
    case .removedSamples: 13
    case .jitterBufferDelayMs: 14
    case .jitterBufferEmitted: 15
    case .frames: 16
    case .framesReceived: 17
    case .framesDropped: 18
    case .decodingNormal: 19
    case .decodingPlc: 20
    case .decodingCng: 21
    case .decodingPlcCng: 22
    case .pli: 23
    case .qpSum: 24
    case .interFrameDelayMs: 25
    case .squaredInterFrameDelayS2: 26
    case .processingDelayMs: 27
    case .freezeCount: 28
    case .freezeMs: 29
    case .rtxBytes: 30
    case .synthesizedMs: 31
    default: nil
    }
  }

  /// Values by slot: four vectors rather than an `InlineArray`, which would be copied to read one element (see
  /// `SampleValues`).
  private struct Sums {
    var a = SIMD8<Double>(), b = SIMD8<Double>(), c = SIMD8<Double>(), d = SIMD8<Double>()

    subscript(_ slot: Int) -> Double {
      @inline(__always) get {
        slot < 8 ? a[slot] : slot < 16 ? b[slot &- 8] : slot < 24 ? c[slot &- 16] : d[slot &- 24]
      }
      @inline(__always) set {
        switch slot {
        case ..<8: a[slot] = newValue
        case ..<16: b[slot &- 8] = newValue
        case ..<24: c[slot &- 16] = newValue
        default: d[slot &- 24] = newValue
        }
      }
    }
  }

  private var sums = Sums()
  private var known: UInt32 = 0

  /// Growth of a counter; nil if it was not reported.
  subscript(_ metric: Metric) -> Double? {
    @inline(__always) get {
      guard let slot = Self.slot(of: metric), known >> UInt32(slot) & 1 == 1 else { return nil }
      return sums[slot]
    }
    set {
      guard let slot = Self.slot(of: metric) else { return }
      sums[slot] = newValue ?? 0
      if newValue == nil { known &= ~(1 << UInt32(slot)) } else { known |= 1 << UInt32(slot) }
    }
  }

  /// Whether a counter decreased: it was reset, or the SSRC changed under the same id.
  static func isRestarted(_ earlier: SampleView, _ later: SampleView) -> Bool {
    for metric: Metric in [.packets, .expected, .totalSamples, .frames] {
      if let before = earlier[metric], let after = later[metric], after < before { return true }
    }
    return false
  }

  /// Growth from one sample to the next; `lost` may be negative, because duplicates and late packets decrease it.
  static func growth(from earlier: SampleView, to later: SampleView) -> CounterDeltas {
    var tally = CounterDeltas()
    for (slot, metric) in counters.enumerated() {
      guard let before = earlier[metric], let after = later[metric] else { continue }
      let grown = after - before
      guard grown.isFinite else { continue }
      tally.sums[slot] = metric == .lost ? grown : max(0, grown)
      tally.known |= 1 << UInt32(slot)
    }
    return tally
  }

  init() {}

  /// All counters of a sample as growth from zero.
  init(sinceZero sample: SampleView) {
    for (slot, metric) in Self.counters.enumerated() {
      guard let value = sample[metric], value.isFinite else { continue }
      sums[slot] = max(0, value)
      known |= 1 << UInt32(slot)
    }
  }

  /// Audio contained in packets that were lost or discarded and not restored, ms.
  func missingMs(packetMs: Double) -> Double {
    let recovered = max(0, (self[.fecPackets] ?? 0) - (self[.fecDiscarded] ?? 0))
    return max(0, max(0, self[.lost] ?? 0) + (self[.discarded] ?? 0) - recovered) * packetMs
  }

  /// A part of the growth, with separate shares for counters of time, of concealment, and of packets.
  func part(time: Double, concealment: Double, packets: Double) -> CounterDeltas {
    var part = self
    for (slot, metric) in Self.counters.enumerated() {
      switch metric {
      case .concealedSamples, .silentConcealedSamples, .concealmentEvents: part.sums[slot] *= concealment
      case .totalSamples, .insertedSamples, .removedSamples: part.sums[slot] *= time
      default: part.sums[slot] *= packets
      }
    }
    return part
  }

  /// Adds a part of other growth.
  mutating func add(_ other: CounterDeltas, times factor: Double) {
    known |= other.known
    sums.a += other.sums.a * factor
    sums.b += other.sums.b * factor
    sums.c += other.sums.c * factor
    sums.d += other.sums.d * factor
  }
}

extension Segment {
  /// The time from the first packet of an audio stream to its first report.
  ///
  /// Until the jitter buffer has settled, it conceals, stretches and drops regardless of the network: that is start-up
  /// and does not count. What lost packets explain does count, however late the first report comes.
  init(opening sample: SampleView, from start: Double) {
    var nothing = Sample(timeMs: start)
    self = nothing.look { Segment(from: $0, to: sample) }
    growth = CounterDeltas(sinceZero: sample)
    for metric: Metric in [
      .late, .insertedSamples, .removedSamples, .decodingNormal, .decodingPlc, .decodingCng, .decodingPlcCng,
    ] { growth[metric] = nil }
    // Playout may have started long before there was anything to play.
    let span = to - from
    let played = max(span, sample[.totalSamplesDurationMs] ?? span)
    guard played > 0, let total = growth[.totalSamples] else { return }
    growth[.totalSamples] = total * span / played
    power = sample[.totalAudioEnergy].map { max(0, $0) / (span / 1000) }
    let concealed = min(growth[.concealedSamples] ?? 0, growth.missingMs(packetMs: packetMs) * total / played)
    growth[.concealedSamples] = growth[.concealedSamples].map { _ in concealed }
    growth[.silentConcealedSamples] = growth[.silentConcealedSamples].map { min($0, concealed) }
  }
}

/// Decides whether counters cover the time between two reports, however long, or nothing counted during it: the machine
/// slept, the stream was not reported, or the clock was set.
struct CounterContinuity {
  /// Maximum time between two reports that counts as covered regardless of the counters, ms.
  static let longestMs = 30_000.0
  /// Maximum time that counts as covered if the counters continued, ms: twice the longest usual telemetry period of a
  /// minute, plus a margin.
  static let longestCountedMs = 150_000.0

  /// A time between reports is unusual if it is at least this long, and longer than its predecessor by this factor.
  private static let unusualMs = 5000.0
  private static let unusualFactor = 5.0
  /// Minimum share of the usual packets that must have arrived.
  private static let share = 0.5
  /// Minimum frame rate of moving video if nothing usual is known, frames per second.
  private static let frameRate = 2.0

  /// Length of the previous segment, ms, and its packets per millisecond.
  private var usual: (lengthMs: Double, packetsPerMs: Double)?

  /// Takes the next segment; returns whether it was covered.
  mutating func covers(_ segment: Segment, kind: MediaKind?) -> Bool {
    let length = segment.to - segment.from
    let packets = segment.growth[.packets] ?? segment.growth[.expected]
    let before = usual
    usual = (length, (packets ?? 0) / length)
    let isUnusual = before.map { length > max(Self.unusualMs, Self.unusualFactor * $0.lengthMs) } ?? false
    if length <= Self.longestMs, !isUnusual { return true }
    guard length <= Self.longestCountedMs else { return false }
    guard let packets else { return length <= Self.longestMs }
    let isGoingOn = before.map { packets >= Self.share * $0.packetsPerMs * length } ?? false
    return isGoingOn || fills(segment, packets: packets, kind: kind)
  }

  /// Whether enough arrived for the length of the segment, without comparing it with the previous one.
  private func fills(_ segment: Segment, packets: Double, kind: MediaKind?) -> Bool {
    let length = segment.to - segment.from
    switch kind {
    case .video: return (segment.growth[.frames] ?? 0) * 1000 >= Self.frameRate * length
    default: return packets * segment.packetMs >= Self.share * length
    }
  }
}
