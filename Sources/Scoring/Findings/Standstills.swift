import CallModel

/// Times in which the far end stood still for so short that nothing else tells of it: whoever listens hears a hole, the network
/// is not to blame.
struct Standstills {
  /// Who does so more often has nothing to say, or a machine that is told of as a whole.
  private static let mostTold = 3

  private let spans: [UnsentSpan]

  /// - Parameter told: findings that may tell of it already.
  init(_ context: FindingContext, told: [Finding]) {
    let longer = SpanSet(
      told.filter { $0.code == "far-end-silent" }.compactMap { finding in
        finding.startMs.flatMap { start in finding.endMs.map { (start, $0) } }
      })
    spans = context.unsent.filter { span in
      let time = (start: span.startMs, end: span.endMs)
      return span.isStandstill && longer.covered(from: time.start, to: time.end) == 0
        && !context.quietTimes.hasMost(of: time)
    }
  }

  var findings: [Finding] {
    guard let first = spans.first, let last = spans.last else { return [] }
    if spans.count > Self.mostTold {
      let whole = SpanSet(spans.map { ($0.startMs, $0.endMs) }).covered(from: first.startMs, to: last.endMs)
      return [
        Self.finding(
          from: first.startMs, to: last.endMs, ms: whole, times: spans.count,
          "The far end stood still \(spans.count) times, for \(seconds(whole)) in all")
      ]
    }
    return spans.map {
      let length = $0.endMs - $0.startMs
      return Self.finding(
        from: $0.startMs, to: $0.endMs, ms: length, times: nil,
        "The far end stood still for \(seconds(length))")
    }
  }

  private static func finding(from start: Double, to end: Double, ms: Double, times: Int?, _ text: String)
    -> Finding
  {
    Finding(
      "far-end-silent", .info, from: start, to: end,
      Evidence().with("not_sent_ms", ms).with("by", "sequence numbers").with("times", times.map(Double.init)),
      "\(text): its sound went on where it had stopped, with no number of its packets missing.")
  }
}
