import CallModel
import CallStore
import Rendering

/// A lane for every figure of every stream, which a reader may ask for by its name: gauges as they are, counters as growth a second.
enum MemberLanes {
  /// Points of a line: more would make the page of a long call too large.
  private static let mostPoints = 240
  /// Streams of one end, direction and kind; and streams in all.
  private static let mostStreams = 2
  private static let mostInAll = 12

  /// Lanes of a call, in the order of the columns; times from `zeroMs`. Throws what the store throws.
  package static func lanes(_ account: CallAccount, in store: Store, zeroMs: Double) throws -> [TimelineLane]
  {
    var lines: [Metric: [TimelineLane.Line]] = [:]
    var read = 0
    for (place, end) in account.ends.enumerated() {
      let name = VisibleText.cut(VisibleText.visible(end.name), to: 24)
      let groups = Dictionary(grouping: end.ownStreams) {
        "\($0.direction.rawValue) \($0.kind?.rawValue ?? "")"
      }
      for (group, streams) in groups.sorted(by: { $0.key < $1.key }) {
        for (rank, stream) in streams.prefix(mostStreams).enumerated() where read < mostInAll {
          read += 1
          let which = streams.count > 1 ? " " + StreamWords.name(stream) : ""
          for (metric, series) in try series(of: stream, in: store, zeroMs: zeroMs) {
            lines[metric, default: []].append(
              TimelineLane.Line(
                end: place, label: "\(name), \(group)\(which)",
                dash: group.hasPrefix("outbound") ? .dotted : stream.kind == .audio ? .dashed : .solid,
                rank: rank,
                isStep: metric.info.behaviour == .gauge, series: series))
          }
        }
      }
    }
    return Metric.allCases.compactMap { metric in
      guard let own = lines[metric] else { return nil }
      let info = metric.info
      let isCounter = info.behaviour == .counter
      return TimelineLane(
        id: "member-\(info.column)", title: info.column, unit: isCounter ? "\(info.unit)/s" : info.unit,
        scale: 1,
        decimals: 3, top: 0.001, note: "\(info.members): \(info.summary)", lines: own, isAskedFor: true)
    }
  }

  /// Metrics of which a graph says nothing: moments since the epoch.
  private static let moments: Set<Metric> = [.lastPacketMs, .farPacketsMs, .farReportMs, .estimatedPlayoutMs]

  private static func series(of stream: StreamAccount, in store: Store, zeroMs: Double) throws -> [(
    Metric, Series
  )] {
    var all: [Metric: Series] = [:]
    for part in stream.parts {
      let cursor = try store.samples(ofStream: part.key)
      var sample = Sample(timeMs: 0)
      var before: Sample?
      while try cursor.next(into: &sample) {
        for metric in Metric.allCases where sample.has(metric) && !moments.contains(metric) {
          guard let value = sample[metric] else { continue }
          guard metric.info.behaviour == .counter else {
            all[metric, default: Series()].append(sample.timeMs - zeroMs, value)
            continue
          }
          guard let earlier = before, let then = earlier[metric], sample.timeMs > earlier.timeMs else {
            continue
          }
          // A counter that fell began anew.
          let grown = value >= then || metric == .lost ? value - then : value
          all[metric, default: Series()].append(
            sample.timeMs - zeroMs, grown * 1000 / (sample.timeMs - earlier.timeMs))
        }
        before = sample
      }
    }
    return Metric.allCases.compactMap { metric in
      all[metric].flatMap { $0.isEmpty ? nil : (metric, $0.thinned(to: mostPoints)) }
    }
  }
}
