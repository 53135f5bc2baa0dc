/// Sorted time spans without overlaps, for fast lookup of how much of another span they cover.
public struct SpanSet: Sendable {
  /// In order; adjacent spans do not touch.
  private var spans: [(start: Double, end: Double)] = []

  /// From spans in any order, which may overlap; the last may be open-ended.
  public init(_ spans: some Sequence<(start: Double, end: Double)>) {
    for span in spans.filter({ $0.end > $0.start }).sorted(by: { $0.start < $1.start }) {
      if let last = self.spans.last, span.start <= last.end {
        self.spans[self.spans.count - 1].end = max(last.end, span.end)
      } else {
        self.spans.append(span)
      }
    }
  }

  /// From the start of the first span to the end of the last; nil if there are none.
  public var whole: ClosedRange<Double>? {
    spans.first.flatMap { first in spans.last.map { first.start...$0.end } }
  }

  /// The spans between them.
  public var gaps: [ClosedRange<Double>] { zip(spans, spans.dropFirst()).map { $0.end...$1.start } }

  /// The parts of a time that they leave uncovered, in order.
  public func between(_ start: Double, _ end: Double) -> [(start: Double, end: Double)] {
    var holes: [(start: Double, end: Double)] = []
    var at = start
    var index = spans.endOfPrefix { $0.end <= start }
    while index < spans.count, spans[index].start < end {
      if spans[index].start > at { holes.append((at, spans[index].start)) }
      at = max(at, spans[index].end)
      index += 1
    }
    if at < end { holes.append((at, end)) }
    return holes
  }

  /// How much of a time they cover.
  public func covered(from start: Double, to end: Double) -> Double {
    var sum = 0.0
    var index = spans.endOfPrefix { $0.end <= start }
    while index < spans.count, spans[index].start < end {
      sum += min(end, spans[index].end) - max(start, spans[index].start)
      index += 1
    }
    return sum
  }
}
