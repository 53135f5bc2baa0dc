import CallModel

/// One stream as the sink knows it, across the reports that tell of it.
final class StreamState {
  /// Its number in the source.
  let number: Int
  let isInbound: Bool
  var facts = StreamFacts()
  var isTold = false
  /// The report, and the path, that told what is known of it last.
  var teller: ObjectIdentifier?
  var path = TransportSample(timeMs: 0)
  /// Time of the last sample given, and the snapshot that gave it.
  var lastTimeMs = -Double.infinity
  var snapshot = 0
  /// How far it has come.
  var progress = StreamProgress()
  var counters = RunningCounters()
  /// Whether any figure of decoding was ever more than 0; asked only of those who print what they do not measure.
  var isDecoded = false
  /// What the far end said of it last, where the stream's own report tells that.
  var farEnd: FarEndReport?
  /// The report that told of it last.
  var report: ObjectIdentifier?

  /// Packets in the last sample; how many samples told of them, and in how many they were fewer than before.
  private var packets = 0.0
  private var counted = 0
  private var fallen = 0

  // What an event is made of when it changes.
  var limitedBy: Double?
  var width: Double?
  var height: Double?

  init(number: Int, isInbound: Bool) {
    self.number = number
    self.isInbound = isInbound
  }

  /// Whether it has carried media, as far as anybody counts: what is said of a codec before is a guess of the source's.
  var mayHaveCarried: Bool { counted == 0 || packets > 0 }

  /// Takes note of how many packets a later sample tells. True once, where they fell so often that nobody counts them:
  /// counters begin anew only where a receiver stopped.
  func notesGrowth(_ packets: Double) -> Bool {
    defer { self.packets = packets }
    counted += 1
    guard packets < self.packets else { return false }
    fallen += 1
    return fallen == Self.mostRestarts && counted <= fallen * Self.rarest
  }

  private static let mostRestarts = 6
  private static let rarest = 5
}
