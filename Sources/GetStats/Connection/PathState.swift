import CallModel

/// The current path of a connection's media.
struct PathState {
  /// Facts that do not change from poll to poll.
  var sample = TransportSample(timeMs: 0)
  var transport: Report?
  var pair: Report?
  /// The nominated pairs, one of which carries the media, if nothing says which.
  var nominated: [Report] = []
  /// goog-* statistics and Chrome's bandwidth estimate, from before it was part of the pair.
  var bandwidth: Report?
  /// Whether the snapshot has any report of a path: many logs only have those of streams.
  var isReported = false
  /// Whether the path changed since it was last emitted.
  var isChanged = false
  var lastTimeMs = -Double.infinity
  /// Its members without a column as last emitted, and their pair.
  var reported = ReportedMembers()
  var emittedPair: ObjectIdentifier?
  var hasEmittedPairs = false
  /// The connectivity checks, until the connection is up.
  var checks = CheckCounts()
}
