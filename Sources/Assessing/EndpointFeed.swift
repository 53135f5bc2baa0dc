import CallModel
import CallStore

/// The samples of several streams in the order of time, one at a time, so that memory does not grow with the call.
struct EndpointFeed {
  private final class Track {
    let stream: Int
    let cursor: SampleCursor
    var sample = Sample(timeMs: 0)

    init(stream: Int, cursor: SampleCursor) {
      self.stream = stream
      self.cursor = cursor
    }
  }

  private var tracks: [Track] = []

  /// Opens a cursor on each stream; `streams` are keys in the store, and are named by their place in it.
  init(_ streams: [Int64], in store: Store) throws {
    for (index, key) in streams.enumerated() {
      let track = Track(stream: index, cursor: try store.samples(ofStream: key))
      if try track.cursor.next(into: &track.sample) { tracks.append(track) }
    }
  }

  /// Hands over every sample, the earliest first; equal times come in the order of the streams.
  mutating func forEach(_ body: (borrowing Sample, _ stream: Int) throws -> Void) throws {
    while var earliest = tracks.indices.first {
      for index in tracks.indices where tracks[index].sample.timeMs < tracks[earliest].sample.timeMs {
        earliest = index
      }
      let track = tracks[earliest]
      try body(track.sample, track.stream)
      if try !track.cursor.next(into: &track.sample) { tracks.remove(at: earliest) }
    }
  }
}
