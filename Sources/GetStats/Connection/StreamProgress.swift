import CallModel

/// The counters of a stream at its latest sample. They distinguish a clock that was set back from lines out of order:
/// counters go on with the call, whatever the clock.
struct StreamProgress {
  /// Time of that sample, ms after the one before it, and the times by the poll's and the report's own clock.
  private(set) var timeMs = -Double.infinity
  private(set) var intervalMs = 1000.0
  private(set) var pollMs = Double.nan
  private(set) var ownMs = Double.nan
  private var packets = Double.nan
  private var bytes = Double.nan
  private var frames = Double.nan
  private var samples = Double.nan
  /// The last increase of packets.
  private var growth = 0.0

  /// How a report's counters compare with those of the latest sample.
  enum CounterOrder { case behind, equal, ahead }

  /// An increase of more than this many times that of the poll before, and more than this many packets, is from another
  /// recording.
  private static let maxGrowth = (times: 20.0, least: 1000.0)
  /// Longest poll interval if it is unknown, ms.
  private static let longestMs = 30_000.0

  /// Records a sample, if it is later than all before.
  mutating func add(_ sample: SampleView, pollMs: Double, ownMs: Double) {
    guard sample.timeMs > timeMs else { return }
    if timeMs.isFinite { intervalMs = min(sample.timeMs - timeMs, Self.longestMs) }
    timeMs = sample.timeMs
    self.pollMs = pollMs
    if !ownMs.isNaN { self.ownMs = ownMs }
    if let value = sample[.packets] {
      growth = value > packets ? value - packets : 0
      packets = value
    }
    bytes = sample[.bytes] ?? bytes
    frames = sample[.frames] ?? frames
    samples = sample[.totalSamples] ?? samples
  }

  /// Compares a report with the latest sample by its counters alone.
  func order(of sample: SampleView) -> CounterOrder {
    var isAhead = false
    for (before, now) in [
      (packets, sample[.packets]), (bytes, sample[.bytes]), (frames, sample[.frames]),
      (samples, sample[.totalSamples]),
    ] {
      guard let now, !before.isNaN else { continue }
      if now < before { return .behind }
      if now > before { isAhead = true }
    }
    return isAhead ? .ahead : .equal
  }

  /// Whether the increase since the latest sample is plausible.
  func canFollow(_ sample: SampleView) -> Bool {
    guard let now = sample[.packets], !packets.isNaN else { return true }
    return now - packets <= max(Self.maxGrowth.least, Self.maxGrowth.times * growth)
  }
}

/// A stream of the sink, across the reports about it.
final class StreamState {
  /// Its number in the source.
  let number: Int
  let isInbound: Bool
  var facts = StreamFacts()
  var isReported = false
  /// The report, and the path, that its facts are from.
  var owner: ObjectIdentifier?
  var path = TransportSample(timeMs: 0)
  /// Time of the last sample emitted, and its snapshot.
  var lastTimeMs = -Double.infinity
  var snapshot = 0
  /// Its latest counters.
  var progress = StreamProgress()
  var counters = CounterResetTracker()
  /// Whether any figure of decoding was ever above 0; only used for writers that print unmeasured figures.
  var isDecoded = false
  /// The last remote report, if it is part of the stream's own report.
  var farEnd: FarEndReport?
  /// Its members without a column as last emitted.
  var reported = ReportedMembers()
  /// The last report about it.
  var report: ObjectIdentifier?

  /// Packets in the last sample; the number of samples with packets, and in how many the number fell.
  private var packets = 0.0
  private var counted = 0
  private var fallen = 0

  // Values whose change is emitted as an event.
  var limitedBy: Double?
  var width: Double?
  var height: Double?
  var slot = ReusedSlot()

  init(number: Int, isInbound: Bool) {
    self.number = number
    self.isInbound = isInbound
  }

  /// Whether it may have carried media, according to its packets: before that, its codec is a guess of the source.
  var mayHaveCarried: Bool { counted == 0 || packets > 0 }

  /// Records the packets of a later sample. Returns true once the number has fallen so often that it is not a count:
  /// counters are reset only if a receiver stopped.
  func notesGrowth(_ packets: Double) -> Bool {
    defer { self.packets = packets }
    counted += 1
    guard packets < self.packets else { return false }
    fallen += 1
    return fallen == Self.maxRestarts && counted <= fallen * Self.rarest
  }

  private static let maxRestarts = 6
  private static let rarest = 5
}
