import CallModel
import Testing

@testable import CallStore

@Suite("Samples are observed in the order in which they are read back")
struct PassingSamplesTests {
  /// Writes down what it is shown.
  final class Witness: SampleObserver, @unchecked Sendable {
    var shown: [String] = []
    var samples: [(time: Double, stream: Int, packets: Double?)] = []
    var facts: [StreamFacts] = []
    var givenUp: Set<Int> = []
    var isFinished = false
    var keys: (connections: [Int: Int64], streams: [Int64])?

    func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) { self.facts.append(facts) }
    func sample(_ sample: SampleView, of stream: Int) {
      shown.append("\(Int(sample.timeMs)) stream \(stream)")
      samples.append((sample.timeMs, stream, sample[.packets]))
    }
    func transport(_ sample: TransportSample, of connection: Int) {
      shown.append("\(Int(sample.timeMs)) path")
    }
    func giveUp(connection: Int) { givenUp.insert(connection) }
    func finish() { isFinished = true }
    func stored(connections: [Int: Int64], streams: [Int64]) { keys = (connections, streams) }
  }

  let store: Store
  let witness = Witness()

  init() throws { store = try Store.inMemory() }

  private func write(_ name: String = "a", _ body: @escaping (SourceWriter) throws -> Void) throws {
    let queue = SourceQueue(store, watch: { [witness] in witness })
    try queue.write(.named(name), stored: { _ in }) { writer in
      try writer.connection(0, end("caller", Identity(.ufragLocal, name)))
      try body(writer)
      return .imported
    }
    try queue.flush()
  }

  private func sample(_ writer: SourceWriter, _ time: Double, of stream: Int) throws {
    try writer.sample(Sample(time, [.packets: time.rounded()]), of: stream, extra: nil)
  }

  /// Time, stream and packets of all samples of the store, in the order of time and stream.
  private func stored() throws -> [String] {
    try store.query("SELECT t_ms, stream_key, packets FROM samples ORDER BY t_ms, stream_key").rows.map {
      row in
      "\(row)"
    }
  }

  private var seen: [String] {
    witness.samples.map { seen in
      "\([Cell.real(seen.time), .integer(Int64(seen.stream + 1)), seen.packets.map { .integer(Int64($0)) } ?? .null])"
    }
  }

  @Test("by time; paths before the streams, streams in the order of the source")
  func order() throws {
    try write { writer in
      for stream in 0..<2 { try writer.stream(stream, of: 0, audio(ssrc: UInt32(stream))) }
      for time in [2000.0, 1000] {
        try sample(writer, time, of: 1)
        try sample(writer, time, of: 0)
        try writer.transport(TransportSample(timeMs: time), of: 0)
      }
    }
    #expect(
      witness.shown == [
        "1000 path", "1000 stream 0", "1000 stream 1", "2000 path", "2000 stream 0", "2000 stream 1",
      ])
    #expect(witness.isFinished && witness.givenUp.isEmpty)
    #expect(witness.keys?.connections == [0: 1])
    #expect(witness.keys?.streams == [1, 2])
  }

  @Test("a long source in many batches, its reports up to three seconds late", arguments: [1, 17, 311])
  func long(seed: Int) throws {
    try write { writer in
      for stream in 0..<5 { try writer.stream(stream, of: 0, audio(ssrc: UInt32(stream))) }
      for second in 0..<3000 {
        for stream in 0..<5 {
          let late = Double((second * 7919 + stream * 104_729) * seed % 2900)
          try sample(writer, Double(second) * 1000.25 + 10_000 - late, of: stream)
        }
      }
    }
    #expect(witness.givenUp.isEmpty)
    #expect(try seen == stored())
  }

  @Test(
    "what comes too late, twice in two batches, or is no number: its connection is given up, others are not")
  func givenUp() throws {
    let odd: [(String, (SourceWriter, Double) throws -> Void)] = [
      ("late", { writer, time in if time == 3_000_000 { try sample(writer, 5000, of: 0) } }),
      ("twice", { writer, time in if time > 2_000_000 { try sample(writer, time - 900_000, of: 0) } }),
      (
        "no number",
        { writer, time in
          if time == 5000 { try writer.sample(Sample(time + 1, [.packets: .infinity]), of: 0, extra: nil) }
        }
      ),
    ]
    for (name, disturb) in odd {
      witness.givenUp = []
      witness.samples = []
      try write(name) { writer in
        try writer.connection(1, end("callee", Identity(.ufragLocal, "other \(name)")))
        for stream in 0..<2 { try writer.stream(stream, of: stream, audio(ssrc: UInt32(stream))) }
        for second in 0..<4000 {
          for stream in 0..<2 { try sample(writer, Double(second) * 1000, of: stream) }
          try disturb(writer, Double(second) * 1000)
        }
      }
      #expect(witness.givenUp == [0], "\(name)")
      #expect(witness.samples.count { $0.stream == 1 } == 4000, "\(name)")
    }
  }

  @Test(
    "a stream that turns out to be of another connection, and a connection that turns out to be another one")
  func moved() throws {
    try write { writer in
      try writer.connection(1, end("callee"))
      for stream in 0..<2 { try writer.stream(stream, of: 0, audio(ssrc: UInt32(stream))) }
      for second in 0..<2100 { try sample(writer, Double(second) * 1000, of: 0) }
      try writer.stream(0, of: 1, audio(ssrc: 0))
      try sample(writer, 3_000_000, of: 0)
    }
    #expect(witness.givenUp == [0, 1])
    witness.givenUp = []
    try write("b") { writer in
      try writer.stream(0, of: 0, audio(ssrc: 9))
      try sample(writer, 1000, of: 0)
      try writer.connection(1, ConnectionFacts())
      try writer.stream(1, of: 1, audio(ssrc: 10))
      try sample(writer, 1000, of: 1)
      try writer.connection(1, end("caller"))
    }
    #expect(witness.givenUp.isEmpty)
    #expect(witness.keys?.connections == [:])
  }

  @Test("a source with too many streams is not observed")
  func many() throws {
    try write { writer in
      for stream in 0...SampleTee.maxStreams {
        try writer.stream(stream, of: 0, audio(ssrc: UInt32(stream)))
        for second in 0..<20 { try sample(writer, Double(second) * 1000, of: stream) }
      }
    }
    #expect(witness.givenUp == [0])
    #expect(!witness.isFinished && witness.keys == nil)
  }

  @Test("a rejected source has no keys")
  func refused() throws {
    let queue = SourceQueue(store, watch: { [witness] in witness })
    #expect(throws: TestFailure.self) {
      try queue.write(.named("a"), stored: { _ in }) { writer in
        _ = try writeSmallSource(writer)
        throw TestFailure("refused")
      }
    }
    try queue.flush()
    #expect(witness.keys == nil)
  }
}
