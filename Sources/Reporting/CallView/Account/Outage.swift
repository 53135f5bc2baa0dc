import CallModel
import CallStore

/// A time in which nothing at all reached an end.
public struct Outage: Sendable, Equatable {
  public var fromMs: Double
  public var untilMs: Double

  var lengthMs: Double { untilMs - fromMs }

  /// The outages behind stalled windows, from the last packet before to the first sample that has new ones after. Windows are
  /// cut every 5 s, packets stop when they like.
  static func find(_ windows: [Window], _ streams: [StreamAccount], in store: Store) throws -> [Outage] {
    var outages: [Outage] = []
    for gap in Stretch.gaps(windows) {
      let middle = (gap.startMs + gap.endMs) / 2
      var from = gap.startMs - Self.reachMs
      var until = gap.endMs + Self.reachMs
      for part in streams.flatMap(\.parts) {
        let cursor = try store.samples(ofStream: part.key, from: from, to: until)
        var sample = Sample(timeMs: 0)
        var before: Sample?
        while try cursor.next(into: &sample) {
          defer { before = sample }
          guard let last = before, let now = sample[.packets], let then = last[.packets], now > then else {
            continue
          }
          // New packets came between the two samples.
          if sample.timeMs <= middle {
            from = max(from, sample.look { $0.lastPacketTime(after: last.timeMs) } ?? sample.timeMs)
          } else {
            until = min(until, max(last.timeMs, middle))
            break
          }
        }
      }
      // One that lasts to the end of the recording has no packet after it.
      outages.append(
        Outage(
          fromMs: from > gap.startMs - Self.reachMs ? from : gap.startMs,
          untilMs: until < gap.endMs + Self.reachMs ? until : gap.endMs))
    }
    return outages
  }

  private static let reachMs = 15_000.0
}
