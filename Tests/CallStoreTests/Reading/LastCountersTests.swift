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
  @Test("Frame rate is over the time in which frames arrived, however long video was reported")
  func frameRate() throws {
    var tally = StreamCounterTotals()
    for second in 0...60 {
      var sample = Sample(timeMs: 1_700_000_000_000 + Double(second) * 1000)
      sample.set(.frames, Double(min(max(0, second - 10), 15)) * 13)
      tally.add(sample)
    }
    #expect(abs(try #require(tally.frameRateMean) - 13) < 0.001)
  }

  @Test("are the sums of its counters, in any order of samples", arguments: 0..<12)
  func lastCounters(seed: Int) throws {
    var random = Seeded(UInt64(seed))
    let metrics: [Metric] = [.packets, .bytes, .lost, .concealedSamples, .freezeCount, .nack, .height]
    let leaders: [Metric] = [.packets, .totalSamples, .frames]
    var samples: [Sample] = []
    // What each counter said last before it began from zero again, and since.
    var (before, since): ([Metric: Double], [Metric: Double]) = ([:], [:])
    var age = 0
    for index in 0..<Int.random(in: 1...6000, using: &random) {
      let instant = index / 2  // every instant twice
      if index % 2 == 0 {
        age += 1
        if age > 20, Int.random(in: 0..<500, using: &random) == 0 {
          for (metric, value) in since where metric != .height { before[metric, default: 0] += value }
          since = since.filter { $0.key == .height }
          age = 1
        }
      }
      var sample = Sample(timeMs: Double(instant * 250))
      for metric in leaders { sample[metric] = Double(age * 10) }
      for metric in metrics where metric != .packets && Bool.random(using: &random) {
        sample[metric] = Double(Int.random(in: -5...1_000_000, using: &random))
      }
      // Bytes alone would show more resets; packets are there as well.
      for metric in metrics { sample[metric].map { since[metric] = $0 } }
      samples.append(sample)
    }
    var expected = before
    for (metric, value) in since { expected[metric, default: 0] += value }
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
    #expect(try !store.check().contains { $0.rule == Store.totalsRule }, "a check comes to the same")
  }

  @Test("a reset keeps earlier counts, and the mean bit rate")
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
    #expect(try store.value("SELECT bytes FROM streams") == .integer(4500))
    #expect(try store.value("SELECT bitrate_mean_bps FROM streams") == .real(7000))
    #expect(try store.value("SELECT rtt_ms FROM streams") == .real(10))
    let rates = try store.query("SELECT bytes, bitrate_bps FROM sample_rates ORDER BY t_ms").rows
    #expect(rates.map { $0[0] } == [.integer(1000), .integer(1000), .integer(500), .integer(1000)])
  }

  @Test("loss between samples is a share, and jitter buffer delay a mean")
  func rates() throws {
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for (second, counted) in [
        (50.0, 0.0, 3000.0, 48_000.0), (140, 10, 9000, 96_000), (150, 5, 9500, 106_000),
      ]
      .enumerated() {
        let values: [Metric: Double] = [
          .packets: counted.0, .lost: counted.1, .jitterBufferDelayMs: counted.2,
          .jitterBufferEmitted: counted.3,
        ]
        try writer.sample(Sample(Double(second) * 1000, values), of: 0, extra: nil)
      }
      return .imported
    }
    let rows = try store.query("SELECT loss_share, jitter_buffer_mean_ms FROM sample_rates ORDER BY t_ms")
      .rows
    #expect(rows.map { $0[0] } == [.real(0.1), .real(0)])
    #expect(rows.map { $0[1] } == [.real(0.125), .real(0.05)])
  }

  @Test(
    "the sound device's delay and corruption are means since the sample before, aware of resets; echo is as reported"
  )
  func promoted() throws {
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for (second, counted) in [
        (480_000.0, 48_000.0, 1.0, 10.0, 0.0), (1_440_000, 96_000, 2, 30, 1), (240_000, 24_000, 0.5, 5, 0),
      ].enumerated() {
        let values: [Metric: Double] = [
          .packets: 50 * Double(second + 1), .playoutDelayMs: counted.0, .playoutSamples: counted.1,
          .corruptionSum: counted.2, .corruptionMeasurements: counted.3, .jitterBufferFlushes: counted.4,
          .echoReturnLoss: 20, .psnrSum: 38 * counted.3, .psnrMeasurements: counted.3,
        ]
        try writer.sample(Sample(Double(second) * 1000, values), of: 0, extra: nil)
      }
      return .imported
    }
    let rows = try store.query(
      "SELECT device_delay_ms, corruption_share, jitter_buffer_flushes, echo_return_loss, psnr_db FROM sample_rates ORDER BY t_ms"
    ).rows
    #expect(rows.map { $0[0] } == [.real(20), .real(10)])
    #expect(rows.map { $0[1] } == [.real(0.05), .real(0.1)])
    #expect(rows.map { $0[2].number } == [1, 0])
    #expect(rows.map { $0[3].number } == [20, 20])
    #expect(rows.map { $0[4].number } == [38, 38])
  }

  @Test(
    "a receiver that stops and comes back begins its counters anew: the row has the sum, and lost may fall by itself"
  )
  func comesBack() throws {
    let store = try Store.inMemory()
    let counted: [(packets: Double, lost: Double, samples: Double, concealed: Double)] = [
      (50, 0, 48_000, 0), (582, 62, 615_840, 60_384), (590, 60, 616_000, 60_384), (49, 0, 47_040, 0),
      (392, 1, 400_000, 500),
    ]
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("callee"))
      try writer.stream(0, of: 0, audio())
      for (second, now) in counted.enumerated() {
        let sample = Sample(
          Double(second) * 1000,
          [
            .packets: now.packets, .lost: now.lost, .totalSamples: now.samples,
            .concealedSamples: now.concealed,
          ])
        try writer.sample(sample, of: 0, extra: nil)
      }
      return .imported
    }
    let row = try store.query(
      "SELECT packets, lost, total_samples, concealed_samples, concealed_share FROM streams"
    ).rows[0]
    #expect(row.map(\.number) == [982, 61, 1_016_000, 60_884, 60_884.0 / 1_016_000])
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
