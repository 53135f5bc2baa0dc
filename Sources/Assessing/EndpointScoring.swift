import CallModel
import CallStore
import Concurrency
import Scoring

extension References {
  /// The references of a call as stored (JSON object of `run.json`).
  init(json: String?) {
    self.init()
    guard let json else { return }
    func number(_ name: String) -> Double? { memberText(name, of: json).flatMap(Double.init) }
    frameRate = number("frame_rate")
    if let width = number("render_width"), let height = number("render_height") { pixels = width * height }
    videoBps = number("target_bps")
    codecNeutral = memberText("codec_neutral", of: json) == "true"
  }
}

/// Scores one end as seen by one kind of source, from the contents of the store.
struct EndpointScoring {
  let model: ScoreModel
  var cut: WindowCut = .fromFirstMedia
  var references = References.none

  /// Whether the scores depend on samples and the standard rules only.
  func needsSamplesOnly(_ events: [EventRecord]) -> Bool {
    guard case .fromFirstMedia = cut else { return false }
    return references == .none && clientScores(events).isEmpty && quietSpans(events).isEmpty
      && !events.contains(where: CodecTimes.isOfReceived)
  }

  /// One pass over the streams, each in parts, together with the transport's round trips, the client's own reports and
  /// what the far end knows of the sources of these streams.
  func scan(
    _ streams: [[StoredStream]], paths: TransportFeed, events: [EventRecord],
    motion: [UInt32: SpanSet], unsent: [UInt32: SpanSet], untilMs: Double? = nil, endedMs: Double?,
    from store: Store,
    readers: Readers
  ) throws -> EndpointScan {
    let samples = streams.joined().reduce(0) { $0 + $1.samples }
    return try readers.lend(if: samples >= Readers.fewestSamples) { reader in
      let feed = try EndpointFeed(streams.map { $0.map(\.key) }, in: reader ?? store, ahead: reader != nil)
      defer { feed.close() }
      var scan = EndpointScan(
        streams.compactMap { $0.first?.facts }, of: streams.map { $0.map(\.connection) }, scoring: self,
        events: events, motion: motion, unsent: unsent, untilMs: untilMs, endedMs: endedMs)
      var next = try paths.next()
      func passPaths(until timeMs: Double) throws {
        while let sample = next, sample.timeMs <= timeMs {
          scan.addTransport(sample)
          next = try paths.next()
        }
      }
      try feed.forEach { sample, stream in
        try passPaths(until: sample.timeMs)
        scan.add(sample, of: stream)
      }
      try passPaths(until: .infinity)
      scan.finish()
      return scan
    }
  }
}

/// Delivers the samples of several streams in time order, in batches, so that memory does not grow with the call.
final class EndpointFeed {
  /// One stream with its next sample.
  private final class Track {
    let stream: Int
    let cursor: SampleCursor
    private(set) var sample = Sample(timeMs: 0)

    init(stream: Int, cursor: SampleCursor) {
      self.stream = stream
      self.cursor = cursor
    }

    /// Advances to the next sample; returns false at the end.
    func next(resting: Bool) throws -> Bool {
      let isThere = try cursor.next(into: &sample)
      if resting { cursor.rest(after: sample) }
      return isThere
    }
  }

  private struct Batch {
    var samples: [Sample] = []
    var streams: [Int] = []
  }

  private static let samplesTogether = 128
  /// Maximum number of cursors that keep their position in the file.
  private static let maxPlaces = 256

  /// A binary heap: each track's sample comes before those of its two children (2i + 1, 2i + 2).
  private var tracks: [Track] = []
  private var present = Batch()
  private var coming = Batch()
  private let areResting: Bool
  /// Reads the next batch, if there is a connection for it.
  private let thread: BackgroundWork?

  /// Opens a cursor on each part of each stream. `streams` are keys in the store; a stream is identified by its index.
  ///
  /// - Parameter ahead: whether a separate thread reads; it then needs exclusive use of the store until `close`.
  init(_ streams: [[Int64]], in store: Store, ahead: Bool) throws {
    thread = ahead ? BackgroundWork() : nil
    let parts = streams.enumerated().flatMap { index, keys in keys.map { (index, $0) } }
    areResting = parts.count > Self.maxPlaces
    for (index, key) in parts {
      let track = Track(stream: index, cursor: try store.samples(ofStream: key))
      if try track.next(resting: areResting) { tracks.append(track) }
    }
    tracks.sort(by: Self.comesFirst)
  }

  /// Delivers every sample, the earliest first; samples with equal times come in the order of the streams.
  func forEach(_ body: (SampleView, _ stream: Int) throws -> Void) throws {
    try readOn()
    while true {
      try thread?.wait()
      guard !coming.samples.isEmpty else { return }
      swap(&present, &coming)
      try readOn()
      try present.samples.withUnsafeBufferPointer { samples in
        guard let first = samples.baseAddress else { return }
        for index in samples.indices { try body(SampleView(first + index), present.streams[index]) }
      }
    }
  }

  /// Stops the thread, before others use the store.
  func close() { thread?.close() }

  private func readOn() throws {
    guard let thread else { return try fill() }
    try thread.begin { [unowned self] in try fill() }
  }

  private func fill() throws {
    coming.samples.removeAll(keepingCapacity: true)
    coming.streams.removeAll(keepingCapacity: true)
    while coming.samples.count < Self.samplesTogether, let track = tracks.first {
      coming.samples.append(track.sample)
      coming.streams.append(track.stream)
      if try !track.next(resting: areResting) {
        tracks.swapAt(0, tracks.count - 1)
        tracks.removeLast()
      }
      sink()
    }
  }

  /// Restores the heap after the sample of its top track was replaced by a later one.
  private func sink() {
    var place = 0
    while true {
      let children = (2 * place + 1..<2 * place + 3).clamped(to: tracks.indices)
      guard let first = children.min(by: { Self.comesFirst(tracks[$0], tracks[$1]) }),
        Self.comesFirst(tracks[first], tracks[place])
      else { return }
      tracks.swapAt(place, first)
      place = first
    }
  }

  private static func comesFirst(_ a: Track, _ b: Track) -> Bool {
    (a.sample.timeMs, a.stream) < (b.sample.timeMs, b.stream)
  }
}
