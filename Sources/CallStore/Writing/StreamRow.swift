import CallModel
import SQLite

/// A stream of the source being written.
final class StreamRow {
  /// Index among the source's streams, which determines its key.
  let index: Int
  var part: Int
  var facts: StreamFacts
  var totals: StreamTotals?
  var tally = StreamCounterTotals()
  var stored = 0
  /// Of the stored samples; nil if a stored row was merged with a later sample.
  var checksum: SampleChecksum? = SampleChecksum()
  /// The latest stored time.
  var storedThrough = -Double.infinity
  /// Whether samples were so late that the totals have to be recomputed from the database.
  var hasLateSamples = false

  init(index: Int, part: Int, facts: StreamFacts) {
    self.index = index
    self.part = part
    self.facts = facts
  }

  /// Adds facts: nil leaves known ones unchanged.
  func add(_ more: StreamFacts) {
    facts.source = more.source
    if more.direction != .unknown { facts.direction = more.direction }
    facts.kind = more.kind ?? facts.kind
    facts.ssrc = more.ssrc ?? facts.ssrc
    facts.rtxSsrc = more.rtxSsrc ?? facts.rtxSsrc
    facts.mid = more.mid ?? facts.mid
    facts.rid = more.rid ?? facts.rid
    facts.trackIdentifier = more.trackIdentifier ?? facts.trackIdentifier
    facts.encodingIndex = more.encodingIndex ?? facts.encodingIndex
    facts.scalabilityMode = more.scalabilityMode ?? facts.scalabilityMode
    if let codec = more.codec {
      // Facts of another codec do not apply to this one.
      if let before = facts.codec, before != codec {
        (facts.fmtp, facts.payloadType, facts.channels) = (nil, nil, nil)
        (facts.clockRate, facts.clockRateGuessed) = (nil, nil)
      }
      facts.codec = codec
    }
    facts.fmtp = more.fmtp ?? facts.fmtp
    facts.payloadType = more.payloadType ?? facts.payloadType
    facts.clockRate = more.clockRate ?? facts.clockRate
    facts.clockRateGuessed = more.clockRateGuessed ?? facts.clockRateGuessed
    facts.channels = more.channels ?? facts.channels
    facts.local = more.local ?? facts.local
    facts.remote = more.remote ?? facts.remote
    facts.screen = more.screen ?? facts.screen
    facts.implementation = more.implementation ?? facts.implementation
    facts.intervalMs = more.intervalMs ?? facts.intervalMs
  }
}

/// The samples of a stream that wait to be stored, sorted by time, one per time.
///
/// Not part of `StreamRow`, whose reference is counted on the thread that stores rows too.
struct SampleQueue {
  private(set) var waiting: [QueuedSample] = []

  /// Inserts a sample; returns whether the queue became longer.
  mutating func enqueue(_ sample: borrowing Sample, extra: String?) -> Bool {
    guard let last = waiting.indices.last, sample.timeMs <= waiting[last].sample.timeMs else {
      waiting.append(QueuedSample(sample: copy sample, extra: extra))
      return true
    }
    let place = firstIndex(notBefore: sample.timeMs)
    if waiting[place].sample.timeMs == sample.timeMs {
      var more = copy sample
      more.look { waiting[place].sample.merge($0) }
      waiting[place].extra = extra ?? waiting[place].extra
      return false
    }
    waiting.insert(QueuedSample(sample: copy sample, extra: extra), at: place)
    return true
  }

  /// Empties the queue. Its capacity is reserved again if it was used, as each of thousands of streams has only a few
  /// samples.
  mutating func takeQueued() -> [QueuedSample] {
    let taken = waiting
    waiting = []
    if taken.count >= 16 { waiting.reserveCapacity(taken.count + taken.count / 8) }
    return taken
  }

  private func firstIndex(notBefore time: Double) -> Int {
    var low = 0
    var high = waiting.count
    while low < high {
      let middle = (low + high) / 2
      if waiting[middle].sample.timeMs < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A sample on its way into the database.
struct QueuedSample {
  var sample: Sample
  /// JSON object of members without a column.
  var extra: String?
}

extension UnsafePointer<QueuedSample> {
  /// A view of the sample in place: it is the first stored property.
  @inline(__always)
  var sample: SampleView { SampleView(UnsafeRawPointer(self).assumingMemoryBound(to: Sample.self)) }

  /// Its members without a column, without a copy of the sample beside them.
  @inline(__always)
  var extra: String? {
    MemoryLayout<QueuedSample>.offset(of: \.extra).flatMap {
      UnsafeRawPointer(self).load(fromByteOffset: $0, as: String?.self)
    }
  }
}

/// A column of a row to be written.
struct Column {
  let name: String
  let value: Cell

  init(_ name: String, _ value: some CellConvertible) {
    self.name = name
    self.value = value.cell
  }
}

extension StreamRow {
  /// First and last time of the stream.
  var span: Span {
    var span = tally.span
    span.add(totals?.firstMs)
    span.add(totals?.lastMs)
    return span
  }

  /// The row of table `streams`. Totals of a capture take precedence over the last sample.
  func columns(key: Int64, part: Int64) -> [Column] {
    facts(key: key, part: part) + packets + quality
  }

  private func facts(key: Int64, part: Int64) -> [Column] {
    [
      Column("stream_key", key), Column("connection_key", part), Column("source", facts.source.rawValue),
      Column("direction", facts.direction.rawValue), Column("kind", facts.kind?.rawValue),
      Column("ssrc", facts.ssrc),
      Column("rtx_ssrc", facts.rtxSsrc), Column("mid", facts.mid), Column("rid", facts.rid),
      Column("track_identifier", facts.trackIdentifier),
      Column("encoding_index", facts.encodingIndex), Column("scalability_mode", facts.scalabilityMode),
      Column("codec", facts.codec),
      Column("fmtp", facts.fmtp),
      Column("payload_type", facts.payloadType), Column("clock_rate", facts.clockRate),
      Column("clock_rate_guessed", facts.clockRateGuessed), Column("channels", facts.channels),
      Column("screen", facts.screen),
      Column("implementation", facts.implementation), Column("interval_ms", facts.intervalMs),
      Column("local", facts.local),
      Column("remote", facts.remote),
      Column("first_ms", totals?.firstMs ?? tally.span.first),
      Column("last_ms", totals?.lastMs ?? tally.span.last),
      Column("samples", stored), Column("sample_checksum", checksum?.stored),
      Column("metrics", Metric.list(tally.last)), Column("extra", totals?.extra),
    ]
  }

  private var packets: [Column] {
    [
      Column("packets", totals?.packets ?? total(.packets)), Column("bytes", totals?.bytes ?? total(.bytes)),
      Column("expected", totals?.expected ?? total(.expected)), Column("lost", totals?.lost ?? total(.lost)),
      Column("duplicates", totals?.duplicates ?? total(.duplicates)),
      Column("reordered", totals?.reordered ?? total(.reordered)),
      Column("late", totals?.late ?? total(.late)), Column("restarts", totals?.restarts),
      Column("fec", totals?.fec ?? total(.fecPackets)),
      Column("rtx", totals?.rtx ?? total(.rtxPackets)), Column("probes", totals?.probes),
      Column("capture_duplicates", totals?.captureDuplicates),
      Column("jitter_mean_ms", totals?.jitterMeanMs ?? tally.jitterMean),
      Column("jitter_max_ms", totals?.jitterMaxMs ?? tally.jitterMax),
      Column("frame_jitter_mean_ms", totals?.frameJitterMeanMs),
      Column("max_delta_ms", totals?.maxDeltaMs), Column("wireshark_packets", totals?.wiresharkPackets),
      Column("wireshark_lost", totals?.wiresharkLost),
      Column("wireshark_jitter_mean_ms", totals?.wiresharkJitterMeanMs),
      Column("wireshark_jitter_max_ms", totals?.wiresharkJitterMaxMs),
      Column("burst_density", totals?.burstDensity),
      Column("gap_density", totals?.gapDensity), Column("burst_ms", totals?.burstMs),
      Column("gap_ms", totals?.gapMs),
    ]
  }

  private var quality: [Column] {
    [
      Column("rtt_ms", totals?.rttMs ?? tally.rttMean),
      Column("bitrate_mean_bps", totals?.bitrateMeanBps ?? bitrate),
      Column("loss_share_mean", totals?.lossShare),
      Column("concealed_samples", total(.concealedSamples)),
      Column("silent_concealed_samples", total(.silentConcealedSamples)),
      Column("total_samples", total(.totalSamples)),
      Column("concealed_share", totals?.concealedShare ?? tally.concealedShare),
      Column("freeze_count", total(.freezeCount)), Column("freeze_ms", tally.total(.freezeMs)),
      Column("pause_count", total(.pauseCount)),
      Column("pause_ms", tally.total(.pauseMs)), Column("frame_rate_mean", tally.frameRateMean),
      Column("width", last(.width)),
      Column("height", last(.height)), Column("nack", total(.nack)), Column("pli", total(.pli)),
      Column("fir", total(.fir)),
    ]
  }

  private static let minRateMs = 1000.0

  private var bitrate: Double? {
    guard let bytes = totals?.bytes, let first = totals?.firstMs, let end = totals?.lastMs, end > first else {
      return tally.bitrateMean
    }
    // Within one second there may be a burst, which is not a rate.
    guard end - first >= Self.minRateMs else { return nil }
    return Double(bytes) * 8000 / (end - first)
  }

  /// The total of a counter, as an integer.
  private func total(_ metric: Metric) -> Int? {
    tally.total(metric).flatMap { Int(exactly: $0.rounded()) }
  }

  /// The last value of a gauge, as an integer.
  private func last(_ metric: Metric) -> Int? {
    tally.last[metric].flatMap { Int(exactly: $0.rounded()) }
  }
}

/// Samples of one stream on their way into the database, in order of time.
typealias SampleRun = (row: StreamRow, samples: [QueuedSample])

/// The samples taken from the queues of a source together.
struct QueuedBatch {
  var runs: [SampleRun]
  var events: [(part: Int, record: EventRecord)]
  var paths: [QueuedPathSample]

  /// Inserts all of them into the database.
  func store(in database: SourceTransaction) throws {
    for run in runs { try database.store(run.samples, of: run.row) }
    for event in events { try database.store(event.record, part: event.part) }
    for path in paths { try database.store(path.sample, path: path.path) }
  }
}
