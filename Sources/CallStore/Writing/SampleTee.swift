import CallModel
import Concurrency
import SQLite

/// Shows a watch what goes into the store, batch by batch, in the order of time.
///
/// The last seconds of a batch wait for the next one: reports of one instant can lie in two batches, and some come late.
/// A connection of which something comes later than that is given up.
final class SampleTee {
  /// How much of a connection's part in a batch waits for the next one, ms.
  static let holdbackMs = 3000.0
  /// Most that may wait, and most streams: a source with more of them is not watched any more.
  static let maxHeld = 4096
  static let maxStreams = 256

  /// What is to be shown next: runs of samples, each in the order of time, of streams of which is known by then what `announcements` says.
  private struct Batch {
    var announcements: [StreamAnnouncement] = []
    var runs: [(stream: Int, samples: [QueuedSample])] = []
    var paths: [QueuedPathSample] = []
  }

  /// A stream that was not told yet, or is another connection's now.
  private struct StreamAnnouncement {
    var stream: Int
    var part: Int
    var facts: StreamFacts
  }

  /// Where an instant of a batch lies, and its place in the order: that of a path comes before the streams, as stream -1.
  private struct Instant {
    var timeMs: Double
    var stream: Int
    var path = 0
    var connection: Int
    var run = 0
    var index: Int

    var order: (Double, Int, Int) { (timeMs, stream, path) }
  }

  private struct Progress {
    /// The latest that was met, and what was shown last.
    var latestMs = -Double.infinity
    var shown = (-Double.infinity, -1, -1)
    var isGivenUp = false
  }

  private let watch: any SampleObserver
  private let background = BackgroundWork(depth: SourceWriter.maxQueuedBatches)
  /// Whether anything was shown beside the giver, as of a small source nothing is.
  private var hasBegun = false
  /// By the place of a stream the connection that was told of it last, nil before it came: as the giver has it.
  private var announced: [Int?] = []
  /// The same, as far as it was shown; by the place of a connection.
  private var connectionOfStream: [Int?] = []
  private var progress: [Progress] = []
  private var held = Batch()
  private var isOver = false

  init(_ watch: any SampleObserver) { self.watch = watch }

  /// Shows runs of samples of some streams, beside the caller.
  func begin(_ runs: [SampleRun], _ paths: [QueuedPathSample]) throws {
    let batch = batch(runs, paths)
    hasBegun = true
    try background.begin { [unowned self] in show(batch, isLast: false) }
  }

  /// Shows the last runs, and all that was held back: beside the caller, where others were.
  func finish(_ runs: [SampleRun], _ paths: [QueuedPathSample]) throws {
    let batch = batch(runs, paths)
    let finish = { [unowned self] in
      show(batch, isLast: true)
      if !isOver { watch.finish() }
    }
    if hasBegun { try background.begin(finish) } else { finish() }
  }

  /// Shows nothing any more.
  func stop() {
    background.close()
    giveUpAll()
  }

  /// Tells the keys, once the source is in the database.
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
      let state = progress[instant.connection]
      guard !state.isGivenUp else { continue }
      guard isLast || instant.timeMs <= state.latestMs - Self.holdbackMs else {
        waiting += 1
        hold(instant, of: batch)
        continue
      }
      guard state.shown < instant.order, show(instant, of: batch) else {
        giveUp(instant.connection)
        continue
      }
      progress[instant.connection].shown = instant.order
    }
    if waiting > Self.maxHeld { giveUpAll() }
  }

  /// Shows one instant; false, and nothing is shown, where it is not stored as it is: what is no number becomes unknown
  /// there.
  private func show(_ instant: Instant, of batch: Batch) -> Bool {
    if instant.stream < 0 {
      guard batch.paths[instant.index].sample.isFinite else { return false }
      watch.transport(batch.paths[instant.index].sample, of: instant.connection)
      return true
    }
    return batch.runs[instant.run].samples.withUnsafeBufferPointer { samples in
      guard let first = samples.baseAddress else { return false }
      let sample = (first + instant.index).sample
      guard sample.isFinite else { return false }
      watch.sample(sample, of: instant.stream)
      return true
    }
  }

  /// All of a batch in order.
  private func instants(of batch: Batch) -> [Instant] {
    var instants: [Instant] = []
    for (index, path) in batch.paths.enumerated() {
      instants.append(
        Instant(
          timeMs: path.sample.timeMs, stream: -1, path: path.path, connection: path.connection, index: index))
    }
    for (run, entry) in batch.runs.enumerated() {
      let connection = connectionOfStream[entry.stream] ?? 0
      for index in entry.samples.indices {
        instants.append(
          Instant(
            timeMs: entry.samples[index].sample.timeMs, stream: entry.stream, connection: connection,
            run: run,
            index: index))
      }
    }
    for instant in instants {
      follow(instant.connection)
      progress[instant.connection].latestMs = max(progress[instant.connection].latestMs, instant.timeMs)
    }
    return instants.sorted { $0.order < $1.order }
  }

  /// Keeps an instant for the next batch; they come in order.
  private func hold(_ instant: Instant, of batch: Batch) {
    if instant.stream < 0 { return held.paths.append(batch.paths[instant.index]) }
    let sample = batch.runs[instant.run].samples[instant.index]
    if let run = held.runs.firstIndex(where: { $0.stream == instant.stream }) {
      held.runs[run].samples.append(sample)
    } else {
      held.runs.append((instant.stream, [sample]))
    }
  }
}

/// Looks at the samples of one source while they are stored, in the order in which they could be read back: by time, and
/// at one time by stream.
///
/// Streams and connections are named by their places in the source; their keys come at the end. Used by one thread at a
/// time.
public protocol SampleObserver: AnyObject {
  /// A stream that was not told yet, as it is known now.
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts)
  /// The next instant of a stream.
  func sample(_ sample: SampleView, of stream: Int)
  /// The next instant of a connection's path, before the samples of its time.
  func transport(_ sample: TransportSample, of connection: Int)
  /// What was told of a connection is not as the store has it; no more of it is told.
  func giveUp(connection: Int)
  /// The source was read to its end.
  func finish()
  /// The source is in the database, its connections and streams under these keys.
  func stored(connections: [Int: Int64], streams: [Int64])
}

/// A path of the source that is being written: what of a transport sample seldom changes.
struct PathRow {
  var part: Int
  private let facts: TransportSample
  /// Over its samples; nil where they did not come in the order of time, for one may have added to another.
  private(set) var checksum: SampleChecksum? = SampleChecksum()
  private var lastMs = -Double.infinity

  init(part: Int, _ transport: TransportSample) {
    self.part = part
    self.facts = transport
  }

  func isSame(as other: TransportSample) -> Bool { facts.isOnPath(of: other) }

  /// Takes note of a sample that is going to be stored.
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

/// One instant of a path, on its way into the database.
struct QueuedPathSample {
  /// Places of the path and of its connection in the source.
  var path: Int
  var connection: Int
  var sample: TransportSample
}
