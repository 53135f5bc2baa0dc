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
  /// Whether any figure of decoding was ever more than 0; asked only of those who print what they do not measure.
  var isDecoded = false
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
