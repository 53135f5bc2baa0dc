import CallModel
import CallStore

/// A time in which nothing at all reached an end.
public struct Outage: Sendable, Equatable {
  public var fromMs: Double
  public var untilMs: Double

  var lengthMs: Double { untilMs - fromMs }

  /// The outages behind stalled windows, and those of at least 2.5 s behind windows in which much of the sound was lost: from the
  /// last packet before to the first one after. Windows are cut every 5 s, packets stop when they like.
  static func find(_ windows: [Window], _ streams: [StreamAccount], in store: Store) throws -> [Outage] {
    var outages: [Outage] = []
    for stretch in Stretch.starved(windows) {
      var times = PacketTimes()
      for stream in streams {
        for part in stream.parts {
          let cursor = try store.samples(
            ofStream: part.key, from: stretch.startMs - reachMs, to: stretch.endMs + reachMs)
          try times.read(cursor, kind: stream.kind)
        }
      }
      let gaps = times.gaps(from: stretch.startMs, to: stretch.endMs).map {
        Outage(fromMs: $0.from, untilMs: $0.to)
      }
      var found = gaps.filter { $0.lengthMs >= Self.leastMs && !$0.isPause(windows) }
      if found.isEmpty, stretch.windows.contains(where: { $0.state == .stalled }) {
        found = [
          gaps.max { $0.lengthMs < $1.lengthMs } ?? Outage(fromMs: stretch.startMs, untilMs: stretch.endMs)
        ]
      }
      outages += found.filter { $0 != outages.last }
    }
    return outages
  }

  /// Whether the far end sent nothing in it, as windows tell.
  private func isPause(_ windows: [Window]) -> Bool {
    windows.contains { $0.state == .silent && $0.startMs < untilMs - 1 && $0.endMs > fromMs + 1 }
  }

  private static let reachMs = 15_000.0
  private static let leastMs = 2500.0
}
