import CallModel
import Scoring

/// Tests of findings: what a call written by hand is found to have.
protocol FindingSuite {}

extension FindingSuite {
  func codes(_ trace: Trace, _ context: FindingContext = FindingContext()) -> [String] {
    findings(trace, context).map(\.name)
  }

  func findings(_ trace: Trace, _ context: FindingContext = FindingContext()) -> [Finding] {
    var scan = FindingScan(streams: trace.streams)
    var scorer = EndpointScorer(streams: trace.streams)
    var paths = trace.transports[...]
    for step in trace.steps.enumerated().sorted(by: {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }) {
      while let next = paths.first, next.timeMs <= step.element.time {
        scan.addTransport(next)
        scorer.addTransport(next)
        paths = paths.dropFirst()
      }
      scan.add(step.element.sample, of: step.element.stream)
      scorer.add(step.element.sample, of: step.element.stream)
    }
    for next in paths { scan.addTransport(next) }
    _ = scorer.finish()
    var context = context
    context.unsent = scorer.unsentSpans
    return scan.finish(context)
  }

  func events(_ events: (EventName, Double)...) -> FindingContext {
    var context = FindingContext()
    context.events = events.map {
      EventRecord(timeMs: Trace.start + $0.1 * 1000, event: $0.0, raw: $0.0.rawValue)
    }
    return context
  }

  /// Sound both ways for 40 s over a path that works.
  func healthy(
    energy: Double = 0.002, received: (Double) -> Double = { $0 }, heard: (Double) -> Double = { $0 },
    change: (Double, inout [Metric: Double]) -> Void = { _, _ in }
  ) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    let outbound = trace.stream(.audio, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      let got = received(time)
      trace.report(
        inbound, at: time,
        [
          .packets: got * 50, .totalAudioEnergy: got * energy, .totalSamplesDurationMs: time * 1000,
          .lastPacketMs: Trace.start + got * 1000,
        ])
      var sent: [Metric: Double] = [.packets: time * 50]
      change(time, &sent)
      trace.report(outbound, at: time, sent)
      trace.path(at: time, bytes: heard(time) * 10_000)
    }
    return trace
  }
}
