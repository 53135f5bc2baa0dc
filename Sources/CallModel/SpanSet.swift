/// Spans of time, sorted once and without overlaps, so that it is quickly told what they cover of another.
public struct SpanSet: Sendable {
  /// In order; none touches the next.
  private var spans: [(start: Double, end: Double)] = []

  /// The spans in any order, overlapping or not; the last may have no end.
  public init(_ spans: some Sequence<(start: Double, end: Double)>) {
    for span in spans.filter({ $0.end > $0.start }).sorted(by: { $0.start < $1.start }) {
      if let last = self.spans.last, span.start <= last.end {
        self.spans[self.spans.count - 1].end = max(last.end, span.end)
      } else {
        self.spans.append(span)
      }
    }
  }

  /// What lies between them.
  public var gaps: [ClosedRange<Double>] { zip(spans, spans.dropFirst()).map { $0.end...$1.start } }

  /// How much of a time they cover.
  public func covered(from start: Double, to end: Double) -> Double {
    var sum = 0.0
    var index = first(endingAfter: start)
    while index < spans.count, spans[index].start < end {
      sum += min(end, spans[index].end) - max(start, spans[index].start)
      index += 1
    }
    return sum
  }

  private func first(endingAfter time: Double) -> Int {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].end > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
