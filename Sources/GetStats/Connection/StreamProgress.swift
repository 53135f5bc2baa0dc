import CallModel

/// How far the counters of a stream had come by its latest sample. They tell a clock that was set back from lines that
/// are out of order: counters go on with the call, whatever the clock says.
struct StreamProgress {
  /// When that was, how long after the one before, ms, and what the poll's clock and the report's own said.
  private(set) var timeMs = -Double.infinity
  private(set) var intervalMs = 1000.0
  private(set) var pollMs = Double.nan
  private(set) var ownMs = Double.nan
  private var packets = Double.nan
  private var bytes = Double.nan
  private var frames = Double.nan
  private var samples = Double.nan
  /// By how much packets grew last.
  private var growth = 0.0

  /// What a report's counters are to those of the latest sample.
  enum CounterOrder { case behind, equal, ahead }

  /// Growth beyond this many times that of the poll before, and this many packets, is that of another recording.
  private static let maxGrowth = (times: 20.0, least: 1000.0)
  /// Polls are no further apart than this where nothing tells, ms.
  private static let longestMs = 30_000.0

  /// Takes the next sample, if it is later than all before.
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

  /// Where a report stands to the latest sample by its counters alone.
  func standing(of sample: SampleView) -> CounterOrder {
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

  /// Whether what a report counts beyond the latest sample can have come since.
  func canFollow(_ sample: SampleView) -> Bool {
    guard let now = sample[.packets], !packets.isNaN else { return true }
    return now - packets <= max(Self.maxGrowth.least, Self.maxGrowth.times * growth)
  }
}

/// One stream as the sink knows it, across the reports that tell of it.
final class StreamState {
  /// Its number in the source.
  let number: Int
  let isInbound: Bool
  var facts = StreamFacts()
  var isReported = false
  /// The report, and the path, that told what is known of it last.
  var owner: ObjectIdentifier?
  var path = TransportSample(timeMs: 0)
  /// Time of the last sample given, and the snapshot that gave it.
  var lastTimeMs = -Double.infinity
  var snapshot = 0
  /// How far it has come.
  var progress = StreamProgress()
  var counters = CounterResetTracker()
  /// Whether any figure of decoding was ever more than 0; asked only of those who print what they do not measure.
  var isDecoded = false
  /// What the far end said of it last, where the stream's own report tells that.
  var farEnd: FarEndReport?
  /// What was told last of its members without a column.
  var reported = ReportedMembers()
  /// The report that told of it last.
  var report: ObjectIdentifier?

  /// Packets in the last sample; how many samples told of them, and in how many they were fewer than before.
  private var packets = 0.0
  private var counted = 0
  private var fallen = 0

  // What an event is made of when it changes.
  var limitedBy: Double?
  var width: Double?
  var height: Double?

  init(number: Int, isInbound: Bool) {
    self.number = number
    self.isInbound = isInbound
  }

  /// Whether it has carried media, as far as anybody counts: what is said of a codec before is a guess of the source's.
  var mayHaveCarried: Bool { counted == 0 || packets > 0 }

  /// Takes note of how many packets a later sample tells. True once, where they fell so often that nobody counts them:
  /// counters begin anew only where a receiver stopped.
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
