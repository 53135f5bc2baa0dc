import CallModel
import Testing

@Suite("Report times with any unit and origin")
struct ReportClockTests {
  private static let pollMs = 1_795_377_594_000.0

  /// The times of samples of reports a second apart, with or without the poll's own time beside them.
  private func read(from start: Double, step: Double, isPolled: Bool, poll: Double = 1) throws
    -> RecordingSink
  {
    let lines = (0..<6).map { second in
      let time = start + Double(second) * step
      let report = """
        {"id":"I","timestamp":\(time),"type":"inbound-rtp","kind":"audio","ssrc":7,"packetsReceived":\(second)}
        """
      let pollMs = (Self.pollMs + Double(second) * 1000) * poll
      return isPolled ? "{\"ts\":\(pollMs),\"stats\":[\(report)]}" : "[\(report)]"
    }
    return try readSource(lines.joined(separator: "\n"), as: .getstatsLines)
  }

  @Test(
    "a clock that began with the page or the machine is placed by the poll's, in its own unit",
    arguments: [
      (3.6e6, 1000.0), (18_079_607_138, 1000), (17_999_997_793, 1e6), (1_728_000_000, 1000), (18_000.5, 1),
      (2.5e12, 1e6), (18e12, 1e9), (1.2e11, 1000), (2e15, 1e9),
    ])
  func anchored(start: Double, step: Double) throws {
    let sink = try read(from: start, step: step, isPolled: true)
    let times = try #require(sink.streams.values.first).times
    #expect(times.count == 6)
    for (second, time) in times.enumerated() {
      #expect(abs(time - Self.pollMs - Double(second) * 1000) < 2, "\(times)")
    }
    #expect(sink.notes.keys.contains { $0.contains("placed by the time logged beside them") })
  }

  @Test(
    "without a time beside them they are a second apart all the same, and a note says that the date is not known"
  )
  func unanchored() throws {
    for (start, step) in [
      (3.6e6, 1000.0), (18_079_607_138, 1000), (17_999_997_793, 1e6), (1_728_000_000, 1000),
    ] {
      let sink = try read(from: start, step: step, isPolled: false)
      let times = try #require(sink.streams.values.first).times
      #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 1000) < 1 }, "\(start): \(times)")
      if start != 1_728_000_000 { #expect(sink.notes.keys.contains { $0.contains("unknown instant") }) }
    }
  }

  @Test("a time since 1970 is one in seconds, milliseconds, microseconds and nanoseconds")
  func units() throws {
    for unit in [1e-3, 1, 1e3, 1e6] {
      for isPolled in [true, false] {
        let sink = try read(from: Self.pollMs * unit, step: 1000 * unit, isPolled: isPolled, poll: unit)
        let times = try #require(sink.streams.values.first).times
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 1000) < 1 }, "\(times)")
        #expect(abs((times.first ?? 0) - Self.pollMs) < 1 && sink.notes.isEmpty, "\(unit) \(times)")
      }
    }
  }

  @Test("mediasoup's names are read, and its jitter in units of the codec's clock")
  func mediasoup() throws {
    let lines = (0..<3).map { second in
      """
      {"timestamp":\(1_795_400_000_000 + second * 1000),"stats":[{"timestamp":\(18_079_607_138 + second * 1000),\
      "ssrc":3514166852,"kind":"audio","mimeType":"audio/opus","packetsLost":0,"type":"inbound-rtp","jitter":96,\
      "byteCount":\(4500 * second),"packetCount":\(50 * second),"score":10}]}
      """
    }
    let stream = try #require(try readSource(lines.joined(separator: "\n")).streams.values.first)
    #expect(stream.series(.packets) == [0, 50, 100] && stream.series(.bytes) == [0, 4500, 9000])
    #expect(stream.series(.jitterMs) == [2, 2, 2] && stream.facts.codec == "opus")
  }

  @Test(
    "a wrapper that copies the codec's members into the report of the stream does not make it mediasoup's")
  func copiedCodec() throws {
    let text = """
      {"ts":1795400000000,"pc":"a","report":{"I":{"id":"I","timestamp":1795400000000,"type":"inbound-rtp","kind":"audio",\
      "ssrc":7,"packetsReceived":50,"jitter":0.018,"mimeType":"audio/opus","clockRate":48000,"payloadType":111}}}
      """
    let sink = try readSource(text)
    let stream = try #require(sink.streams.values.first)
    #expect(stream.series(.jitterMs) == [18] && sink.notes.isEmpty)
    #expect(
      stream.facts.codec == "opus" && stream.facts.clockRate == 48_000 && stream.facts.payloadType == 111)
  }
}
