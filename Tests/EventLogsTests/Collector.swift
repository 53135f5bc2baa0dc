import Bytes
import CallModel
import EventLogs

/// A sink that keeps what it is given.
final class Collector: RecordSink {
  var facts: [Int: ConnectionFacts] = [:]
  var identities: Set<Identity> = []
  var events: [(record: EventRecord, connection: Int?)] = []
  var rejects: [Reject] = []
  var notes: [String] = []

  func connection(_ connection: Int, _ news: ConnectionFacts) {
    var known = facts[connection] ?? ConnectionFacts()
    known.name = news.name ?? known.name
    known.endpoint = news.endpoint ?? known.endpoint
    known.call = news.call ?? known.call
    known.sdk = news.sdk ?? known.sdk
    known.direction = news.direction ?? known.direction
    known.userAgent = news.userAgent ?? known.userAgent
    known.identities.formUnion(news.identities)
    facts[connection] = known
    identities.formUnion(news.identities)
  }
  func event(_ event: EventRecord, of connection: Int?) { events.append((event, connection)) }
  func reject(_ reject: Reject) { rejects.append(reject) }
  func note(_ note: String) { notes.append(note) }
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {}
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {}
  func totals(_ totals: StreamTotals, of stream: Int) {}
  func transport(_ transport: TransportSample, of connection: Int) {}
  func packets(_ count: Int) {}

  /// The events as canonical names.
  var names: [EventName] { events.map(\.record.event) }
  /// Which end each connection is, in order.
  var directions: [CallDirection?] { facts.sorted { $0.key < $1.key }.map(\.value.direction) }
  /// The records alone.
  var records: [EventRecord] { events.map(\.record) }
}

/// Reads a text as a format.
func read(_ format: SourceFormat, _ text: String, name: String = "", piece: Int = .max) throws -> Collector {
  let sink = Collector()
  try EventLogReader.read(
    format, from: MemoryBytes(text, piece: piece), into: sink, options: ReaderOptions(fileName: name))
  return sink
}

/// What a text is recognised as.
func recognise(_ text: String, name: String = "") throws -> SourceFormat? {
  try Array(text.utf8).withUnsafeBufferPointer { try EventLogReader.recognise($0, name: name) }
}
