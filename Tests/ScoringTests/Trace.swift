import CallModel
import Scoring

/// A small call written by hand: what one end's statistics say, poll by poll.
struct Trace {
  /// When the first packet comes: some time that is no round number.
  static let start = 1_700_000_000_123.0

  var streams: [StreamFacts] = []
  var steps: [(time: Double, stream: Int, sample: Sample)] = []
  var transports: [TransportSample] = []

  /// Adds a stream and gives its place.
  mutating func stream(
    _ kind: MediaKind, _ direction: StreamDirection = .inbound, _ source: StreamSource = .stats
  ) -> Int {
    var facts = StreamFacts()
    facts.source = source
    facts.kind = kind
    facts.direction = direction
    facts.codec = kind == .audio ? "opus" : "VP8"
    streams.append(facts)
    return streams.count - 1
  }

  /// A report of a stream, `time` seconds after the first packet.
  mutating func report(_ stream: Int, at time: Double, _ values: [Metric: Double]) {
    var sample = Sample(timeMs: Self.start + time * 1000)
    for (metric, value) in values { sample[metric] = value }
    steps.append((sample.timeMs, stream, sample))
  }

  /// The path's report: bytes received so far, round trip, and when the last packet came.
  mutating func path(at time: Double, bytes: Double, rttMs: Double = 40, last: Double? = nil) {
    var sample = TransportSample(timeMs: Self.start + time * 1000)
    sample.bytesReceived = bytes
    sample.rttMs = rttMs
    sample.lastPacketMs = last.map { Self.start + $0 * 1000 }
    transports.append(sample)
  }

  /// The far end was heard of in a capture, beside its media.
  mutating func sign(at time: Double) { transports.append(TransportSample(timeMs: Self.start + time * 1000)) }

  /// Perfect sound (50 packets a second of 20 ms at 48 kHz) from a stream's start to `until`, polled every `every` seconds.
  mutating func cleanAudio(
    _ stream: Int, until: Double, every: Double = 1,
    change: (_ time: Double, _ values: inout [Metric: Double]) -> Void = { _, _ in }
  ) {
    var time = every
    while time <= until + 1e-9 {
      let packets = (time * 50).rounded(.down) + 1
      var values: [Metric: Double] = [
        .packets: packets, .lost: 0, .jitterMs: 2, .bytes: packets * 80, .totalSamples: time * 48_000,
        .concealedSamples: 0, .silentConcealedSamples: 0, .jitterBufferDelayMs: time * 48_000 * 30,
        .jitterBufferEmitted: time * 48_000, .lastPacketMs: Self.start + (packets - 1) * 20,
      ]
      change(time, &values)
      report(stream, at: time, values)
      time += every
    }
  }

  /// A perfect picture, 20 frames a second.
  mutating func cleanVideo(
    _ stream: Int, until: Double, every: Double = 1,
    change: (_ time: Double, _ values: inout [Metric: Double]) -> Void = { _, _ in }
  ) {
    var time = every
    while time <= until + 1e-9 {
      var values: [Metric: Double] = [
        .packets: time * 100, .lost: 0, .bytes: time * 100_000, .frames: time * 20, .width: 640, .height: 360,
        .freezeCount: 0, .freezeMs: 0, .pauseCount: 0, .pauseMs: 0,
        .lastPacketMs: Self.start + time * 1000 - 10,
        .interFrameDelayMs: time * 1000 - 60,
      ]
      change(time, &values)
      report(stream, at: time, values)
      time += every
    }
  }

  /// The windows of this call.
  func windows(
    _ model: ScoreModel = .callqa1, cut: WindowCut = .fromFirstMedia, quiet: [QuietSpan] = [],
    clientScores: [ClientScore] = [], motion: [UInt32: SpanSet] = [:], endedMs: Double? = nil
  ) -> [Window] {
    let pieces = pieces(
      model, cut: cut, quiet: quiet, clientScores: clientScores, motion: motion, endedMs: endedMs)
    return pieces.settled + pieces.rest
  }

  /// The same in two parts: windows taken as they settled (none unless `asTheySettle`), and what the end gave.
  func pieces(
    _ model: ScoreModel = .callqa1, cut: WindowCut = .fromFirstMedia, quiet: [QuietSpan] = [],
    clientScores: [ClientScore] = [], motion: [UInt32: SpanSet] = [:], endedMs: Double? = nil,
    asTheySettle: Bool = false
  ) -> (settled: [Window], rest: [Window]) {
    var settled: [Window] = []
    var scorer = EndpointScorer(
      streams: streams, model: model, cut: cut, clientScores: clientScores, quiet: quiet,
      motion: motion, endedMs: endedMs)
    let steps = steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    var paths = transports.sorted { $0.timeMs < $1.timeMs }[...]
    for (_, step) in steps {
      while let next = paths.first, next.timeMs <= step.time {
        scorer.addTransport(next)
        paths = paths.dropFirst()
      }
      scorer.add(step.sample, of: step.stream)
      if asTheySettle { settled += scorer.takeSettled() }
    }
    for next in paths { scorer.addTransport(next) }
    return (settled, scorer.finish())
  }
}
