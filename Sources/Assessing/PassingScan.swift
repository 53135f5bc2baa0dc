import CallModel
import CallStore
import Scoring

/// Scores the connections of one source while their samples pass on their way into the store.
final class PassingScan: SampleWatch {
  /// An object, so that what is in it is changed where it lies.
  private final class Connection {
    var streams: [Int] = []
    var facts: [StreamFacts] = []
    var samples: [Int] = []
    var scan: EndpointScan

    init(_ scoring: EndpointScoring) { scan = EndpointScan(scoring: scoring) }
  }

  private let passed: PassedScans
  private let scoring: EndpointScoring
  /// By place in the source; a connection that was given up is not here any more.
  private var connections: [Int: Connection] = [:]
  /// The connection of a stream, and the stream's place there.
  private var places: [(connection: Connection, place: Int)?] = []

  init(for passed: PassedScans) {
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
        PassedScan.Stream(key: streams[stream], facts: known.0, samples: known.1)
      }
      passed.keep(PassedScan(streams: streams, scan: seen.scan), ofConnection: key)
    }
    connections = [:]
    places = []
  }
}
