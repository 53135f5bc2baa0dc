import CallModel

/// A path of the source that is being written: what of a transport sample seldom changes.
struct PathRow {
  var part: Int
  private let facts: TransportSample

  init(part: Int, _ transport: TransportSample) {
    self.part = part
    self.facts = transport
  }

  func isSame(as other: TransportSample) -> Bool { facts.isOnPath(of: other) }

  /// Its columns, in the order of table `paths`.
  var columns: [String?] {
    [
      facts.pair, facts.local, facts.remote, facts.localType, facts.remoteType, facts.networkProtocol,
      facts.relayProtocol, facts.networkType, facts.iceState, facts.dtlsState,
    ]
  }
}

/// One instant of a path, on its way into the database.
struct WaitingPath {
  /// Places of the path and of its connection in the source.
  var path: Int
  var connection: Int
  var sample: TransportSample
}
