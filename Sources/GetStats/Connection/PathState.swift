import CallModel

/// The way the media of a connection takes, as last heard.
struct PathState {
  /// What does not change from poll to poll.
  var sample = TransportSample(timeMs: 0)
  var transport: Report?
  var pair: Report?
  /// The pairs of which one carries the media, where nothing says which.
  var nominated: [Report] = []
  /// goog-* and Chrome's bandwidth estimate of before it stood in the pair.
  var bandwidth: Report?
  /// Whether the snapshot has any report of a path: many logs have those of the streams only.
  var isReported = false
  /// Whether something changed since it was last given.
  var isChanged = false
  var lastTimeMs = -Double.infinity
  /// What was told last of its members without a column, and of which pair.
  var reported = ReportedMembers()
  var emittedPair: ObjectIdentifier?
  var hasEmittedPairs = false
  /// The search for it, as long as none was found.
  var checks = CheckCounts()
}
