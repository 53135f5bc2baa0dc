import Bytes
import CallModel
import CallStore

/// The samples of several streams in the order of time, a batch at a time, so that memory does not grow with the call.
final class EndpointFeed {
  /// One stream, with the sample that comes next.
  private final class Track {
    let stream: Int
    let cursor: SampleCursor
    var sample = Sample(timeMs: 0)

    init(stream: Int, cursor: SampleCursor) {
      self.stream = stream
      self.cursor = cursor
    }
  }

  private struct Batch {
    var samples: [Sample] = []
    var streams: [Int] = []
  }

  private static let samplesTogether = 128

  private var tracks: [Track] = []
  private var present = Batch()
  private var coming = Batch()
  /// Reads the batch that comes next, where there is a connection for it.
  private let thread: BackgroundWork?

  /// Opens a cursor on each stream; `streams` are keys in the store, and are named by their place in it.
  ///
  /// - Parameter ahead: whether a thread of its own reads, which then has the store to itself until `close`.
  init(_ streams: [Int64], in store: Store, ahead: Bool) throws {
    thread = ahead ? BackgroundWork() : nil
    for (index, key) in streams.enumerated() {
      let track = Track(stream: index, cursor: try store.samples(ofStream: key))
      if try track.cursor.next(into: &track.sample) { tracks.append(track) }
    }
  }

  /// Hands over every sample, the earliest first; equal times come in the order of the streams.
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

  /// Ends the thread, before another has the store.
  func close() { thread?.close() }

  private func readOn() throws {
    guard let thread else { return try fill() }
    try thread.begin { [unowned self] in try fill() }
  }

  private func fill() throws {
    coming.samples.removeAll(keepingCapacity: true)
    coming.streams.removeAll(keepingCapacity: true)
    while coming.samples.count < Self.samplesTogether, var earliest = tracks.indices.first {
      for index in tracks.indices where tracks[index].sample.timeMs < tracks[earliest].sample.timeMs {
        earliest = index
      }
      let track = tracks[earliest]
      coming.samples.append(track.sample)
      coming.streams.append(track.stream)
      if try !track.cursor.next(into: &track.sample) { tracks.remove(at: earliest) }
    }
  }
}
