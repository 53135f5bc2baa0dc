import CallModel
import CallStore
import Concurrency
import Scoring

/// Ends scored while their samples were imported, kept until they are judged so that samples need not be read back.
///
/// These scores are used only if they cover all that the store now has of an end: one connection of one source, with
/// the same streams, facts and samples, and nothing from elsewhere that affects a score.
public final class StreamedScores: Sendable {
  /// Memory for scores that wait, bytes; ends that do not fit are judged from the store.
  static let room = 4 << 20

  private struct State {
    var scans: [Int64: StreamedScore] = [:]
    var bytes = 0
    var used = 0

    mutating func take(_ connection: Int64) -> StreamedScore? {
      let scan = scans.removeValue(forKey: connection)
      bytes -= scan?.bytes ?? 0
      return scan
    }
  }

  let model: ScoreModel
  private let state = Locked(State())

  /// Creates an empty table.
  public init(model: ScoreModel = .standard) { self.model = model }

  /// An observer for the samples of the next source; nil if there is no memory for its scores.
  public func watch() -> (any SampleObserver)? {
    state.withLock { $0.bytes } < Self.room ? StreamingScorer(for: self) : nil
  }

  func keep(_ scan: StreamedScore, ofConnection connection: Int64) {
    state.withLock { state in
      state.scans[connection] = scan
      state.bytes += scan.bytes
    }
  }

  /// Number of ends that were judged by scores from the import.
  var used: Int { state.withLock { $0.used } }

  /// The scan of an end's streams, if it covers what the store has of them; returned only once.
  func take(_ streams: [StoredStream], of endpoint: Int64, in store: Store) throws -> EndpointScan? {
    guard let connection = streams.first?.connection,
      let passed = state.withLock({ $0.take(connection) }),
      streams.allSatisfy({ $0.connection == connection }), passed.isOf(streams),
      try store.isAlone(connection, at: endpoint)
    else { return nil }
    state.withLock { $0.used += 1 }
    return passed.scan
  }
}

/// The scan of one connection; a class, because it is large and many of them wait in a table.
final class StreamedScore: Sendable {
  struct Stream: Sendable {
    var key: Int64
    var facts: StreamFacts
    var samples: Int
  }

  let streams: [Stream]
  let scan: EndpointScan

  init(streams: [Stream], scan: EndpointScan) {
    self.streams = streams
    self.scan = scan
  }

  /// Approximate size in memory.
  var bytes: Int {
    MemoryLayout<EndpointScan>.size + streams.count * 2 * MemoryLayout<Stream>.size + scan.windows.bytes
  }

  func isOf(_ stored: [StoredStream]) -> Bool {
    streams.count == stored.count
      && zip(streams, stored).allSatisfy {
        $0.key == $1.key && $0.samples == $1.samples && $0.facts == $1.facts
      }
  }
}

/// Scores the connections of one source while their samples are being imported.
final class StreamingScorer: SampleObserver {
  /// A class, so that its contents are changed in place.
  private final class Connection {
    var streams: [Int] = []
    var facts: [StreamFacts] = []
    var samples: [Int] = []
    var scan: EndpointScan

    init(_ scoring: EndpointScoring) { scan = EndpointScan(scoring: scoring) }
  }

  private let passed: StreamedScores
  private let scoring: EndpointScoring
  /// By position in the source; connections that were given up are removed.
  private var connections: [Int: Connection] = [:]
  /// The connection of each stream, and its index there.
  private var places: [(connection: Connection, place: Int)?] = []

  init(for passed: StreamedScores) {
    self.passed = passed
    scoring = EndpointScoring(model: passed.model)
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    while places.count <= stream { places.append(nil) }
    let known = known(connection)
    places[stream] = (known, known.streams.count)
    known.streams.append(stream)
    known.facts.append(facts)
    known.samples.append(0)
    known.scan.addStream(facts)
  }

  func sample(_ sample: SampleView, of stream: Int) {
    guard let (connection, place) = places[stream] else { return }
    connection.samples[place] += 1
    connection.scan.add(sample, of: place)
  }

  func transport(_ sample: TransportSample, of connection: Int) {
    known(connection).scan.addTransport(sample)
  }

  private func known(_ connection: Int) -> Connection {
    if let known = connections[connection] { return known }
    let new = Connection(scoring)
    connections[connection] = new
    return new
  }

  func giveUp(connection: Int) {
    guard let gone = connections.removeValue(forKey: connection) else { return }
    for stream in gone.streams { places[stream] = nil }
  }

  func finish() {
    for connection in connections.values { connection.scan.finish() }
  }

  func stored(connections keys: [Int: Int64], streams: [Int64]) {
    for (connection, seen) in connections {
      guard let key = keys[connection] else { continue }
      let streams = zip(seen.streams, zip(seen.facts, seen.samples)).map { stream, known in
        StreamedScore.Stream(key: streams[stream], facts: known.0, samples: known.1)
      }
      passed.keep(StreamedScore(streams: streams, scan: seen.scan), ofConnection: key)
    }
    connections = [:]
    places = []
  }
}
