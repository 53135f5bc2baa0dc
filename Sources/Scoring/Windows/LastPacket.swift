import CallModel

/// Follows when the last packet of a stream came, as far as the reports say it on their own clock.
struct LastPacket {
  /// Longest before a first report, ms, that its last packet is taken to have come: no other report bounds it.
  private static let longestMs = 2000.0

  /// Milliseconds since the Unix epoch; nil where it is not known.
  private(set) var timeMs: Double?

  /// Takes the first report that counts packets.
  mutating func begin(_ sample: SampleView, previous: Double?) {
    timeMs = Self.first(sample, previous: previous)
  }

  /// What the first report with packets says.
  static func first(_ sample: SampleView, previous: Double?) -> Double? {
    sample.lastPacketTime(after: previous ?? sample.timeMs - longestMs)
  }

  /// Takes the next report. Where nothing came, and where what came was repair, the last packet stays what it was.
  mutating func add(_ sample: SampleView, after earlier: SampleView) {
    if let before = earlier[.packets], let now = sample[.packets], now <= before { return }
    if let time = sample.lastPacketTime(after: earlier.timeMs) {
      timeMs = time
    } else if sample[.lastPacketMs] != earlier[.lastPacketMs] {
      timeMs = nil
    }
  }

  /// Forgets it, where a counter began anew.
  mutating func forget() { timeMs = nil }
}
