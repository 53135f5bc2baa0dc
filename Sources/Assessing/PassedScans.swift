import Bytes
import CallModel
import CallStore
import Scoring

/// Ends that were scored while their samples were imported, until they are judged: those need not be read back.
///
/// An end is judged by what passed only where that is all there is of it, as the store has it now: one connection of one
/// source, with the same streams, facts and samples, and nothing that a score takes from elsewhere.
public final class PassedScans: Sendable {
  /// Room for what waits to be judged, bytes; what has none is judged from the store.
  static let room = 4 << 20

  private struct State {
    var scans: [Int64: PassedScan] = [:]
    var bytes = 0
    var used = 0

    mutating func take(_ connection: Int64) -> PassedScan? {
      let scan = scans.removeValue(forKey: connection)
      bytes -= scan?.bytes ?? 0
      return scan
    }
  }

  let model: ScoreModel
  private let state = Locked(State())

  /// None yet.
  public init(model: ScoreModel = .standard) { self.model = model }

  /// Who looks at the samples of the next source, nil where there is no room for what would be seen.
  public func watch() -> (any SampleWatch)? {
    state.withLock { $0.bytes } < Self.room ? PassingScan(for: self) : nil
  }

  func keep(_ scan: PassedScan, ofConnection connection: Int64) {
    state.withLock { state in
      state.scans[connection] = scan
      state.bytes += scan.bytes
    }
  }

  /// Ends that were judged by what passed.
  var used: Int { state.withLock { $0.used } }

  /// What was seen of the streams of an end, if it is what the store has of them; given once.
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

/// What was seen of one connection; an object, for it is large and many of them wait in a table.
final class PassedScan: Sendable {
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

  /// About what it takes in memory.
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
