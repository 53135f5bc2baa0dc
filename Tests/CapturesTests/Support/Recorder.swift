import Bytes
import CallModel
import Captures

/// Keeps everything a capture gives, for tests to look at.
final class Recorder: RecordSink {
  var connections: [Int: ConnectionFacts] = [:]
  var facts: [Int: StreamFacts] = [:]
  var connectionOfStream: [Int: Int] = [:]
  var samples: [Int: [Sample]] = [:]
  /// Samples of all streams in the order they came.
  var sampled: [(stream: Int, timeMs: Double)] = []
  var totals: [Int: StreamTotals] = [:]
  var transports: [Int: [TransportSample]] = [:]
  var events: [EventRecord] = []
  var rejects: [Reject] = []
  var notes: [String] = []
  var packetCount = 0
  var error: SourceError?

  func connection(_ connection: Int, _ facts: ConnectionFacts) {
    var merged = connections[connection] ?? facts
    merged.identities.formUnion(facts.identities)
    merged.endpoint = facts.endpoint ?? merged.endpoint
    merged.direction = facts.direction ?? merged.direction
    connections[connection] = merged
  }
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    self.facts[stream] = facts
    connectionOfStream[stream] = connection
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    sampled.append((stream, sample.timeMs))
    samples[stream, default: []].append(copy sample)
  }
  func totals(_ totals: StreamTotals, of stream: Int) { self.totals[stream] = totals }
  func transport(_ transport: TransportSample, of connection: Int) {
    transports[connection, default: []].append(transport)
  }
  func event(_ event: EventRecord, of connection: Int?) { events.append(event) }
  func reject(_ reject: Reject) { rejects.append(reject) }
  func note(_ note: String) { notes.append(note) }
  func packets(_ count: Int) { packetCount = count }

  /// Streams with their figures, in the order they were met.
  var streams: [(facts: StreamFacts, totals: StreamTotals)] {
    facts.keys.sorted().compactMap { key in
      guard let f = facts[key], let t = totals[key] else { return nil }
      return (f, t)
    }
  }

  /// Reads a capture; a `SourceError` is kept, not thrown.
  static func read(
    _ bytes: [UInt8], name: String = "capture.pcap", assumeRTP: Bool = false, piece: Int = .max
  ) throws -> Recorder {
    let recorder = Recorder()
    var options = ReaderOptions(fileName: name)
    options.assumeRTP = assumeRTP
    do {
      let format = try bytes.withUnsafeBufferPointer {
        try CaptureReader.recognise(UnsafeBufferPointer(rebasing: $0.prefix(65_536)), name: name)
      }
      guard let format else {
        recorder.error = SourceError(.notAFormat, "not a capture")
        return recorder
      }
      try CaptureReader.read(
        format, from: MemoryBytes(bytes, piece: piece), into: recorder, options: options)
    } catch let error as SourceError {
      recorder.error = error
    }
    return recorder
  }
}
