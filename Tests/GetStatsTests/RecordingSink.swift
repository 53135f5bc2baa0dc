import Bytes
import CallModel
import GetStats

/// Remembers everything a reader gives, so that tests can ask.
final class RecordingSink: RecordSink {
  struct Stream {
    var connection: Int
    var facts: StreamFacts
    var samples: [Sample] = []
    var extras: [String] = []
    /// The last value known of a metric.
    func last(_ metric: Metric) -> Double? { samples.last { $0.has(metric) }?[metric] }
    /// All values, unknown ones as nil.
    func series(_ metric: Metric) -> [Double?] { samples.map { $0[metric] } }
    var times: [Double] { samples.map(\.timeMs) }
  }

  private(set) var connections: [Int: ConnectionFacts] = [:]
  private(set) var streams: [Int: Stream] = [:]
  private(set) var transports: [Int: [TransportSample]] = [:]
  private(set) var events: [(record: EventRecord, connection: Int?)] = []
  private(set) var rejects: [Reject] = []
  private(set) var notes: [String: Int] = [:]

  func connection(_ connection: Int, _ facts: ConnectionFacts) {
    var known = connections[connection] ?? ConnectionFacts()
    known.name = facts.name ?? known.name
    known.endpoint = facts.endpoint ?? known.endpoint
    known.call = facts.call ?? known.call
    known.person = facts.person ?? known.person
    known.userAgent = facts.userAgent ?? known.userAgent
    known.direction = facts.direction ?? known.direction
    known.identities.formUnion(facts.identities)
    connections[connection] = known
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    precondition(connections[connection] != nil, "a connection comes before its streams")
    streams[stream, default: Stream(connection: connection, facts: facts)].facts = facts
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    precondition(streams[stream] != nil, "a stream comes before its samples")
    streams[stream]?.samples.append(copy sample)
    if let extra { streams[stream]?.extras.append(extra) }
  }

  func totals(_ totals: StreamTotals, of stream: Int) {}
  func transport(_ transport: TransportSample, of connection: Int) {
    transports[connection, default: []].append(transport)
  }
  func event(_ event: EventRecord, of connection: Int?) { events.append((event, connection)) }
  func reject(_ reject: Reject) { rejects.append(reject) }
  func note(_ note: String) { notes[note, default: 0] += 1 }
  func packets(_ count: Int) {}

  // MARK: Questions

  /// The streams of a connection by name (or all), in order.
  func streams(of name: String? = nil, _ direction: StreamDirection, _ kind: MediaKind? = nil) -> [Stream] {
    streams.sorted { $0.key < $1.key }.map(\.value).filter { stream in
      (name == nil || connections[stream.connection]?.name == name) && stream.facts.direction == direction
        && (kind == nil || stream.facts.kind == kind)
    }
  }

  /// Names of events, in order.
  var eventNames: [EventName] { events.map(\.record.event) }

  /// The number of a connection.
  func number(of name: String) -> Int? { connections.first { $0.value.name == name }?.key }
}

/// Recognises a source as the tool would, reads it, and gives what came of it.
func readSource(_ text: String, as format: SourceFormat? = nil, name: String = "") throws -> RecordingSink {
  try readSource(MemoryBytes(text), as: format, name: name)
}

/// The same for any source.
func readSource(_ source: any ByteSource, as format: SourceFormat? = nil, name: String = "") throws
  -> RecordingSink
{
  let headed = HeadedSource(source)
  let recognised = try headed.head.withUnsafeBufferPointer { try GetStatsReader.recognise($0, name: name) }
  guard let format = format ?? recognised else { throw SourceError(.notAFormat, "not recognised") }
  let sink = RecordingSink()
  try GetStatsReader.read(format, from: headed, into: sink, options: ReaderOptions(fileName: name))
  return sink
}

/// Which format a text is taken for.
func recognised(_ text: String) throws -> SourceFormat? {
  try Array(text.utf8).withUnsafeBufferPointer { try GetStatsReader.recognise($0, name: "") }
}
