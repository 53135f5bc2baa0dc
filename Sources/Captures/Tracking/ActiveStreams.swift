/// Streams with recent packets, which are processed at each tick.
struct ActiveStreams {
  private var streams: [MediaStream] = []
  private var isInOrder = true

  /// Marks a stream as active until it becomes idle.
  mutating func wake(_ stream: MediaStream) {
    stream.isAwake = true
    if let last = streams.last, last.number > stream.number { isInOrder = false }
    streams.append(stream)
  }

  /// All of them, in the order in which they were recognised.
  mutating func inOrder() -> [MediaStream] {
    if !isInOrder { streams.sort { $0.number < $1.number } }
    isInOrder = true
    return streams
  }

  /// Removes those that are idle.
  mutating func letSleep(_ isIdle: (MediaStream) -> Bool) {
    streams.removeAll { stream in
      stream.isAwake = !isIdle(stream)
      stream.mayWait = stream.mayWait && stream.isAwake
      return !stream.isAwake
    }
  }
}
