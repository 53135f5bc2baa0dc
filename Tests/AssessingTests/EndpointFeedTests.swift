import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("Samples of many streams in one order")
struct EndpointFeedTests {
  /// When streams report: some together, some at odds, some stop early, one never does.
  private func times(of stream: Int) -> [Double] {
    guard stream != 1 else { return [] }
    let step = stream % 3 == 0 ? 1000.0 : 700 + Double(stream % 7) * 100
    return (0..<(stream % 5 == 4 ? 3 : 9)).map { 10_000 + Double($0) * step }
  }

  @Test(
    "the earliest comes first, then the first of the streams; few streams or hundreds", arguments: [3, 300])
  func order(count: Int) throws {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    try queue.write(
      SourceHeader(path: "a", sha256: "a", format: .getstatsLines, importedMs: 1), stored: { _ in }
    ) { writer in
      try writer.connection(0, ConnectionFacts())
      for stream in 0..<count {
        try writer.stream(stream, of: 0, StreamFacts())
        for (place, time) in times(of: stream).enumerated() {
          var sample = Sample(timeMs: time)
          sample.set(.packets, Double(place))
          try writer.sample(sample, of: stream, extra: nil)
        }
      }
      return SourceStatus(.imported)
    }
    try queue.flush()
    let feed = try EndpointFeed((1...Int64(count)).map { [$0] }, in: store, ahead: false)
    defer { feed.close() }
    var seen: [String] = []
    try feed.forEach { sample, stream in seen.append("\(sample.timeMs) \(stream) \(sample[.packets] ?? -1)") }
    let expected = (0..<count).flatMap { stream in
      times(of: stream).enumerated().map { (time: $1, stream: stream, place: $0) }
    }
    .sorted { ($0.time, $0.stream) < ($1.time, $1.stream) }
    #expect(seen == expected.map { "\($0.time) \($0.stream) \(Double($0.place))" })
  }
}
