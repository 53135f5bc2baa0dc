import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("An end is judged alike by what passed and by what is read back")
struct StreamedScoresTests {
  /// What a call told, as a source writes it.
  typealias Source = @Sendable (SourceWriter) throws -> Void

  /// Everything concluded of what is in a store.
  private func conclusions(_ store: Store) throws -> [String] {
    try ["windows", "findings", "calls", "setups"].flatMap { table in
      try store.query("SELECT * FROM \(table) ORDER BY 1, 2").rows.map { "\(table): \($0)" }
    }
  }

  /// Imports the sources twice, once with a watch, and gives what both concluded and how many ends were judged by it.
  private func judge(_ sources: [Source], references: String? = nil) throws
    -> (passed: [String], read: [String], used: Int)
  {
    let passed = StreamedScores()
    let stores = try [passed, nil].map { passed in
      let store = try Store(path: "memory", access: .memory)
      let queue = SourceQueue(store, watch: { passed?.watch() })
      for (number, source) in sources.enumerated() {
        var header = SourceHeader(
          path: "\(number)", sha256: "\(number)", format: .getstatsLines, importedMs: 1000)
        header.call = "one"
        try queue.write(header, stored: { _ in }) { writer in
          try source(writer)
          return SourceStatus(.imported)
        }
      }
      try queue.flush()
      if let references { try store.hold(calls: [1], run: nil, against: references) }
      try Assessor(store: store, passed: passed).assessStale()
      return store
    }
    return (try conclusions(stores[0]), try conclusions(stores[1]), passed.used)
  }

  /// One end: sound from the start, a picture that begins late, loss and an outage, round trips of the path.
  private func end(_ name: String, seconds: Int, pictureFrom: Int, every stepMs: Double = 1000) -> Source {
    { writer in
      var facts = ConnectionFacts()
      facts.name = name
      facts.endpoint = name
      try writer.connection(0, facts)
      try writer.stream(0, of: 0, stream(.inbound, .audio, 1))
      try writer.stream(1, of: 0, stream(.outbound, .audio, 2))
      for step in 0..<Int(Double(seconds) * 1000 / stepMs) {
        let time = 1_000_000 + Double(step) * stepMs
        let second = Double(step) * stepMs / 1000
        if second == Double(pictureFrom) { try writer.stream(2, of: 0, stream(.inbound, .video, 3)) }
        let isOut = second.truncatingRemainder(dividingBy: 600) > 580
        var sound = Sample(timeMs: time)
        sound.set(.packets, isOut ? 29_000 : (second * 50).rounded())
        sound.set(.lost, (second / 7).rounded(.down))
        sound.set(.totalSamples, (second * 48_000).rounded())
        sound.set(.concealedSamples, (second / 11).rounded(.down) * 960)
        sound.set(.jitterMs, 5 + second.truncatingRemainder(dividingBy: 13))
        try writer.sample(sound, of: 0, extra: nil)
        var sent = Sample(timeMs: time)
        sent.set(.packets, (second * 50).rounded())
        sent.set(.rttMs, 40 + second.truncatingRemainder(dividingBy: 90))
        try writer.sample(sent, of: 1, extra: nil)
        if second >= Double(pictureFrom) {
          var picture = Sample(timeMs: time)
          picture.set(.packets, ((second - Double(pictureFrom) + 1) * 80).rounded())
          picture.set(.frames, ((second - Double(pictureFrom) + 1) * 25).rounded())
          picture.set(.width, 640)
          picture.set(.height, 360)
          picture.set(.freezeCount, (second / 40).rounded(.down))
          picture.set(.freezeMs, (second / 40).rounded(.down) * 700)
          try writer.sample(picture, of: 2, extra: nil)
        }
        var path = TransportSample(timeMs: time)
        path.rttMs = 30
        path.local = step < 900 ? "192.0.2.1:4000" : "198.51.100.1:4000"
        path.bytesReceived = second * 9000
        try writer.transport(path, of: 0)
      }
    }
  }

  private func stream(_ direction: StreamDirection, _ kind: MediaKind, _ ssrc: UInt32) -> StreamFacts {
    var facts = StreamFacts()
    (facts.direction, facts.kind, facts.ssrc) = (direction, kind, ssrc)
    facts.codec = kind == .audio ? "opus" : "VP8"
    return facts
  }

  @Test("two ends, short and long, a picture from the start or late", arguments: [20, 2000], [0, 15, 1200])
  func twoEnds(seconds: Int, pictureFrom: Int) throws {
    let result = try judge([
      end("caller", seconds: seconds, pictureFrom: pictureFrom),
      end("callee", seconds: seconds, pictureFrom: 3, every: 500),
    ])
    #expect(result.passed == result.read)
    #expect(result.passed.count > seconds / 5)
    #expect(result.used == 2)
  }

  @Test("where it is not all that there is of an end, the end is read back")
  func notAll() throws {
    let caller = end("caller", seconds: 60, pictureFrom: 0)
    // Two sources of one end: the streams of both are judged together.
    let second: Source = { writer in
      var facts = ConnectionFacts()
      (facts.name, facts.endpoint) = ("caller", "caller")
      try writer.connection(0, facts)
      try writer.stream(0, of: 0, stream(.inbound, .audio, 77))
      for second in 0..<60 {
        try writer.sample(Sample(timeMs: 1_000_000 + Double(second) * 1000), of: 0, extra: nil)
      }
    }
    // What is known of a stream only later counts for all of it.
    let late: Source = { writer in
      try caller(writer)
      var facts = stream(.inbound, .audio, 1)
      facts.codec = "PCMU"
      try writer.stream(0, of: 0, facts)
      for second in 2000..<4100 {
        var sample = Sample(timeMs: 1_000_000 + Double(second) * 1000)
        sample.set(.packets, Double(second) * 50)
        try writer.sample(sample, of: 0, extra: nil)
      }
      facts.codec = "G722"
      try writer.stream(0, of: 0, facts)
    }
    let held: Source = { writer in
      try caller(writer)
      try writer.event(EventRecord(timeMs: 1_020_000, event: .callHeld, raw: "onHold"), of: 0)
    }
    let cases: [(String, [Source], String?)] = [
      ("two sources", [caller, second], nil), ("facts that came late", [late], nil), ("on hold", [held], nil),
      ("held against references", [caller], "{\"frame_rate\": 30}"),
    ]
    for (name, sources, references) in cases {
      let result = try judge(sources, references: references)
      #expect(result.passed == result.read, "\(name)")
      #expect(result.used == 0, "\(name)")
    }
  }

  @Test("when there is no room left, what comes is not watched")
  func room() throws {
    let passed = StreamedScores()
    let stream = StreamedScore.Stream(key: 1, facts: StreamFacts(), samples: 0)
    #expect(passed.watch() != nil)
    let many = StreamedScores.room / MemoryLayout<StreamedScore.Stream>.size
    passed.keep(
      StreamedScore(streams: Array(repeating: stream, count: many), scan: EndpointScan()), ofConnection: 1)
    #expect(passed.watch() == nil)
  }
}
