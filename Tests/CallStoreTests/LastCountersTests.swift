import CallModel
import Testing

@testable import CallStore

/// Small seeded generator, so that a failure can be seen again.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

@Suite("The figures of a whole stream")
struct LastCountersTests {
  @Test("are the last counters as reported, in whatever order samples come", arguments: 0..<12)
  func lastCounters(seed: Int) throws {
    var random = Seeded(UInt64(seed))
    let metrics: [Metric] = [.packets, .bytes, .lost, .concealedSamples, .freezeCount, .nack, .height]
    var samples: [Sample] = []
    for index in 0..<Int.random(in: 1...6000, using: &random) {
      var sample = Sample(timeMs: Double(index / 2 * 250))  // every instant twice
      for metric in metrics where Bool.random(using: &random) {
        sample[metric] = Double(Int.random(in: -5...1_000_000, using: &random))
      }
      samples.append(sample)
    }
    var expected: [Metric: Double] = [:]
    for sample in samples {
      for metric in metrics { sample[metric].map { expected[metric] = $0 } }
    }
    let times = Set(samples.map(\.timeMs)).count
    // Pairs of one instant keep their order; pairs of instants do not.
    var pairs = stride(from: 0, to: samples.count, by: 2).map {
      Array(samples[$0..<min($0 + 2, samples.count)])
    }
    if seed % 3 != 0 { pairs.shuffle(using: &random) }

    let store = try Store.inMemory()
    let source = try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for sample in pairs.flatMap({ $0 }) { try writer.sample(sample, of: 0, extra: nil) }
      return .imported
    }
    #expect(source.samples == times)
    #expect(try store.count("samples") == Int64(times))
    let row = try store.query(
      "SELECT packets, bytes, lost, concealed_samples, freeze_count, nack, height FROM streams"
    ).rows[0]
    #expect(row.map(\.number) == metrics.map { expected[$0] })
  }

  @Test("a reset leaves the last counters and the mean bit rate believable")
  func reset() throws {
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for (second, bytes) in [1000.0, 2000, 3000, 500, 1500].enumerated() {
        try writer.sample(Sample(Double(second) * 1000, [.bytes: bytes, .rttMs: 10]), of: 0, extra: nil)
      }
      return .imported
    }
    #expect(try store.value("SELECT bytes FROM streams") == .integer(1500))
    #expect(try store.value("SELECT bitrate_mean_bps FROM streams") == .real(7000))
    #expect(try store.value("SELECT rtt_ms FROM streams") == .real(10))
    let rates = try store.query("SELECT bytes, bitrate_bps FROM sample_rates ORDER BY t_ms").rows
    #expect(rates.map { $0[0] } == [.integer(1000), .integer(1000), .integer(500), .integer(1000)])
  }

  @Test("many streams at once take no more memory than a few thousand samples")
  func manyStreams() throws {
    let store = try Store.inMemory()
    let source = try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      for stream in 0..<3000 { try writer.stream(stream, of: 0, audio(ssrc: UInt32(stream))) }
      for second in 0..<3 {
        for stream in 0..<3000 {
          try writer.sample(Sample(Double(second), [.packets: Double(second)]), of: stream, extra: nil)
        }
      }
      return .imported
    }
    #expect(source.samples == 9000)
    #expect(
      try store.value("SELECT count(*) FROM streams WHERE packets = 2 AND samples = 3") == .integer(3000))
  }
}
