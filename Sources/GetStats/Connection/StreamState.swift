import CallModel

/// One stream as the sink knows it, across the reports that tell of it.
final class StreamState {
  /// Its number in the source.
  let number: Int
  let isInbound: Bool
  var facts = StreamFacts()
  var isTold = false
  /// Time of the last sample given, and the snapshot that gave it.
  var lastTimeMs = -Double.infinity
  var snapshot = 0
  /// The report that told of it last.
  var report: ObjectIdentifier?

  // What an event is made of when it changes.
  var limitedBy: Double?
  var width: Double?
  var height: Double?

  init(number: Int, isInbound: Bool) {
    self.number = number
    self.isInbound = isInbound
  }
}
