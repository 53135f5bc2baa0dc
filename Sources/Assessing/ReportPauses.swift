import CallModel
import CallStore
import Scoring

extension UnsentMedia {
  /// Part of the usual rate below which next to nothing was sent.
  private static let nextToNothing = 0.3
  /// How long before a pause of the reports tells the usual rate, ms.
  private static let usualMs = 30_000.0

  /// Adds the pauses of an end's reports in which its machine slept: its counters say after them that it sent next to
  /// nothing meanwhile.
  mutating func add(
    pauses: [ClosedRange<Double>], of streams: [StoredStream], in store: Store
  ) throws {
    for stream in streams where stream.facts.source == .stats && stream.facts.direction == .outbound {
      for pause in pauses {
        let (start, stop) = (pause.lowerBound, pause.upperBound)
        guard
          let before = try store.growth(of: stream, [.packets], from: start - Self.usualMs, to: start + 1),
          let usual = before.growth[0], usual > 0,
          let during = try store.growth(of: stream, [.packets], from: start - 1, to: stop + 1),
          let sent = during.growth[0],
          sent / during.lengthMs < Self.nextToNothing * usual / before.lengthMs
        else { continue }
        let span = QuietSpan(startMs: start, endMs: stop)
        if stream.facts.kind == .audio { sound.append(span) } else { picture.append(span) }
      }
    }
  }
}

extension Store {
  /// What the samples of a stream grew by in a period; nil unless they cover half of it.
  func growth(
    of stream: StoredStream, _ metrics: [Metric], from start: Double, to stop: Double
  ) throws -> (lengthMs: Double, growth: [Double?])? {
    let cursor = try samples(ofStream: stream.key, from: start, to: stop)
    var sample = Sample(timeMs: 0)
    var first: (timeMs: Double, values: [Double?])?
    var last: (timeMs: Double, values: [Double?])?
    while try cursor.next(into: &sample) {
      let values = metrics.map { sample[$0] }
      first = first ?? (sample.timeMs, values)
      last = (sample.timeMs, values)
    }
    guard let first, let last, last.timeMs - first.timeMs >= max((stop - start) / 2, Window.lengthMs / 2)
    else { return nil }
    let growth = zip(first.values, last.values).map { before, after in
      before.flatMap { before in after.map { $0 - before } }
    }
    return (last.timeMs - first.timeMs, growth)
  }
}
