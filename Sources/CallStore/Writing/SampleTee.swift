import CallModel
import Concurrency

/// Passes samples on their way into the store to an observer, batch by batch, in order of time.
///
/// The last seconds of a batch are held back for the next one: reports of one time can be in two batches, and some are
/// late. A connection with samples later than that is dropped.
final class SampleTee {
  /// How much of each connection's samples is held back, ms.
  static let holdbackMs = 3000.0
  /// The most samples held back, and the most streams: a source with more is not observed any more.
  static let maxHeld = 4096
  static let maxStreams = 256

  /// The samples to pass next: runs of samples, each in order of time, and the streams announced before them.
  private struct Batch {
    var announcements: [StreamAnnouncement] = []
    var runs: [(stream: Int, samples: [QueuedSample])] = []
    var paths: [QueuedPathSample] = []
  }

  /// A stream that is new, or has moved to another connection.
  private struct StreamAnnouncement {
    var stream: Int
    var part: Int
    var facts: StreamFacts
  }

  /// The position of a sample in a batch: path samples are run -1. Small, because a batch is sorted.
  private struct Instant {
    var timeMs: Double
    /// The stream, or -1, and the path: the rank among samples of one time.
    var stream: Int32
    var path: Int32 = 0
    var run: Int32 = -1
    var index: Int32

    static func < (one: Instant, other: Instant) -> Bool {
      guard one.timeMs == other.timeMs else { return one.timeMs < other.timeMs }
      return (one.stream, one.path) < (other.stream, other.path)
    }
  }

  private struct Progress {
    /// The latest time received, and the last one passed.
    var latestMs = -Double.infinity
    var shown: Instant?
    var isGivenUp = false
  }

  private let watch: any SampleObserver
  private let background = BackgroundWork(depth: SourceWriter.maxQueuedBatches)
  /// Whether anything was passed in the background, which does not happen for small sources.
  private var hasBegun = false
  /// By stream index, the connection last announced for it, nil before that: as the writer has it.
  private var announced: [Int?] = []
  /// The same, as far as it was passed; by connection index.
  private var connectionOfStream: [Int?] = []
  private var progress: [Progress] = []
  private var held = Batch()
  private var isOver = false

  init(_ watch: any SampleObserver) { self.watch = watch }

  /// Passes runs of samples of some streams, in the background.
  func begin(_ runs: [SampleRun], _ paths: [QueuedPathSample]) throws {
    let batch = batch(runs, paths)
    hasBegun = true
    try background.begin { [unowned self] in show(batch, isLast: false) }
  }

  /// Passes the last runs, and everything held back: in the background if earlier ones were.
  func finish(_ runs: [SampleRun], _ paths: [QueuedPathSample]) throws {
    let batch = batch(runs, paths)
    let finish = { [unowned self] in
      show(batch, isLast: true)
      if !isOver { watch.finish() }
    }
    if hasBegun { try background.begin(finish) } else { finish() }
  }

  /// Stops passing samples.
  func stop() {
    background.close()
    giveUpAll()
  }

  /// Passes the keys, once the source is in the database.
  func stored(connections: [Int: Int64], streams: [Int64]) {
    background.close()
    guard !isOver else { return }
    watch.stored(connections: connections, streams: streams)
  }

  private func batch(_ runs: [SampleRun], _ paths: [QueuedPathSample]) -> Batch {
    var announcements: [StreamAnnouncement] = []
    for (row, _) in runs where row.index >= announced.count || announced[row.index] != row.part {
      announcements.append(StreamAnnouncement(stream: row.index, part: row.part, facts: row.facts))
      while announced.count <= row.index { announced.append(nil) }
      announced[row.index] = row.part
    }
    return Batch(announcements: announcements, runs: runs.map { ($0.row.index, $0.samples) }, paths: paths)
  }

  private func introduce(_ announcements: [StreamAnnouncement]) {
    for one in announcements where !isOver {
      if one.stream >= Self.maxStreams { return giveUpAll() }
      follow(one.part)
      while connectionOfStream.count <= one.stream { connectionOfStream.append(nil) }
      if let connection = connectionOfStream[one.stream] {
        giveUp(connection)
        giveUp(one.part)
      } else if !progress[one.part].isGivenUp {
        watch.stream(one.stream, of: one.part, one.facts)
      }
      connectionOfStream[one.stream] = one.part
    }
  }

  private func follow(_ connection: Int) {
    while progress.count <= connection { progress.append(Progress()) }
  }

  private func giveUp(_ connection: Int) {
    guard !progress[connection].isGivenUp else { return }
    progress[connection].isGivenUp = true
    watch.giveUp(connection: connection)
  }

  private func giveUpAll() {
    isOver = true
    held = Batch()
    for connection in progress.indices { giveUp(connection) }
  }

  private func show(_ new: Batch, isLast: Bool) {
    introduce(new.announcements)
    guard !isOver else { return }
    let batch = Batch(runs: held.runs + new.runs, paths: held.paths + new.paths)
    held = Batch()
    var waiting = 0
    for instant in instants(of: batch) {
      let connection = connection(of: instant, in: batch)
      let state = progress[connection]
      guard !state.isGivenUp else { continue }
      guard isLast || instant.timeMs <= state.latestMs - Self.holdbackMs else {
        waiting += 1
        hold(instant, of: batch)
        continue
      }
      guard state.shown.map({ $0 < instant }) ?? true, show(instant, of: batch, connection) else {
        giveUp(connection)
        continue
      }
      progress[connection].shown = instant
    }
    if waiting > Self.maxHeld { giveUpAll() }
  }

  /// Passes one sample; returns false, and passes nothing, if it is not stored as it is: non-finite values are stored
  /// as unknown.
  private func show(_ instant: Instant, of batch: Batch, _ connection: Int) -> Bool {
    let index = Int(instant.index)
    if instant.run < 0 {
      guard batch.paths[index].sample.isFinite else { return false }
      watch.transport(batch.paths[index].sample, of: connection)
      return true
    }
    return batch.runs[Int(instant.run)].samples.withUnsafeBufferPointer { samples in
      guard let first = samples.baseAddress else { return false }
      let sample = (first + index).sample
      guard sample.isFinite else { return false }
      watch.sample(sample, of: Int(instant.stream))
      return true
    }
  }

  private func connection(of instant: Instant, in batch: Batch) -> Int {
    instant.run < 0
      ? batch.paths[Int(instant.index)].connection : connectionOfStream[Int(instant.stream)] ?? 0
  }

  /// All samples of a batch in order.
  private func instants(of batch: Batch) -> [Instant] {
    var instants: [Instant] = []
    instants.reserveCapacity(batch.paths.count + batch.runs.reduce(0) { $0 + $1.samples.count })
    for (index, path) in batch.paths.enumerated() {
      note(path.sample.timeMs, of: path.connection)
      instants.append(
        Instant(
          timeMs: path.sample.timeMs, stream: -1, path: Int32(clamping: path.path), index: Int32(index)))
    }
    for (run, entry) in batch.runs.enumerated() {
      let connection = connectionOfStream[entry.stream] ?? 0
      for index in entry.samples.indices {
        let timeMs = entry.samples[index].sample.timeMs
        note(timeMs, of: connection)
        instants.append(
          Instant(timeMs: timeMs, stream: Int32(entry.stream), run: Int32(run), index: Int32(index)))
      }
    }
    instants.sort(by: <)
    return instants
  }

  private func note(_ timeMs: Double, of connection: Int) {
    follow(connection)
    progress[connection].latestMs = max(progress[connection].latestMs, timeMs)
  }

  /// Keeps a sample for the next batch; called in order.
  private func hold(_ instant: Instant, of batch: Batch) {
    let index = Int(instant.index)
    if instant.run < 0 { return held.paths.append(batch.paths[index]) }
    let sample = batch.runs[Int(instant.run)].samples[index]
    if let run = held.runs.firstIndex(where: { $0.stream == Int(instant.stream) }) {
      held.runs[run].samples.append(sample)
    } else {
      held.runs.append((Int(instant.stream), [sample]))
    }
  }
}

/// Observes the samples of one source while they are stored, in the order in which they would be read back: by time,
/// then by stream.
///
/// Streams and connections are identified by their index in the source; their keys come at the end. Used by one thread
/// at a time.
public protocol SampleObserver: AnyObject {
  /// A new stream, with its current facts.
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts)
  /// The next sample of a stream.
  func sample(_ sample: SampleView, of stream: Int)
  /// The next sample of a connection's path, before the samples of its time.
  func transport(_ sample: TransportSample, of connection: Int)
  /// What was passed for a connection differs from the store; nothing more follows for it.
  func giveUp(connection: Int)
  /// The end of the source.
  func finish()
  /// The source is in the database, with these keys for its connections and streams.
  func stored(connections: [Int: Int64], streams: [Int64])
}

/// A path of the source being written: the facts of transport samples that seldom change.
struct PathRow {
  var part: Int
  private let facts: TransportSample
  /// Of its samples; nil if they were not in order of time, as one may have been merged into another.
  private(set) var checksum: SampleChecksum? = SampleChecksum()
  private var lastMs = -Double.infinity

  init(part: Int, _ transport: TransportSample) {
    self.part = part
    self.facts = transport
  }

  func isSame(as other: TransportSample) -> Bool { facts.isOnPath(of: other) }

  /// Records a sample that is going to be stored.
  mutating func note(_ sample: TransportSample) {
    if sample.timeMs > lastMs { checksum?.add(sample) } else { checksum = nil }
    lastMs = max(lastMs, sample.timeMs)
  }

  /// Its columns, in the order of table `paths`.
  var columns: [String?] {
    [
      facts.pair, facts.local, facts.remote, facts.localType, facts.remoteType, facts.networkProtocol,
      facts.relayProtocol, facts.networkType, facts.iceState, facts.dtlsState,
    ]
  }
}

/// A path sample on its way into the database.
struct QueuedPathSample {
  /// Indices of the path and of its connection in the source.
  var path: Int
  var connection: Int
  var sample: TransportSample
}
