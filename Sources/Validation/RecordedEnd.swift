import CallModel
import Captures
import GetStats
import IO
import Scoring

/// One end of a recorded call, with its statistics in memory for scoring by several models.
final class RecordedEnd: RecordSink {
  private(set) var streams: [StreamFacts] = []
  private var steps: [(stream: Int, sample: Sample)] = []
  private var paths: [TransportSample] = []
  /// When both people spoke, if requested.
  private(set) var events: [EventRecord] = []

  /// Reads a file of statistics with one report per line.
  init(path: String) throws {
    var lines = LineReader(try InputFile(path: path))
    var reader = SnapshotLineReader(sink: self)
    while try lines.next({ _ = try reader.line($0, number: $1, offset: $2) }) {}
    try reader.finish()
    steps.sort { $0.sample.timeMs < $1.sample.timeMs }
    paths.sort { $0.timeMs < $1.timeMs }
  }

  /// Reads a capture taken at one end, which its name contains.
  /// - Parameter turns: whether to find out who spoke when.
  init(capture path: String, turns: Bool = false) throws {
    var options = ReaderOptions(fileName: path.split(separator: "/").last.map(String.init) ?? path)
    options.turns = turns
    try CaptureReader.read(.pcap, from: try InputFile(path: path), into: self, options: options)
    steps.sort { $0.sample.timeMs < $1.sample.timeMs }
    paths.sort { $0.timeMs < $1.timeMs }
  }

  /// Removes picture sizes.
  func forgetSizes() {
    for index in steps.indices {
      steps[index].sample[.width] = nil
      steps[index].sample[.height] = nil
    }
  }

  /// A scorer that has received everything.
  func scorer(_ model: ScoreModel, cut: WindowCut) -> EndpointScorer {
    var scorer = EndpointScorer(streams: streams, model: model, cut: cut)
    var path = 0
    for (stream, sample) in steps {
      while path < paths.count, paths[path].timeMs <= sample.timeMs {
        scorer.addTransport(paths[path])
        path += 1
      }
      scorer.add(sample, of: stream)
    }
    return scorer
  }

  /// Freezes and pauses of received streams by the source's last counters, ms; nil without any.
  var countedFrozenMs: Double? { lastCounter(.freezeMs).map { $0 + (lastCounter(.pauseMs) ?? 0) } }

  /// Sum of a counter's last values over received streams; nil without any.
  func lastCounter(_ metric: Metric) -> Double? {
    var last: [Int: Double] = [:]
    for (stream, sample) in steps where streams[stream].direction != .outbound {
      if let value = sample[metric] { last[stream] = value }
    }
    return last.isEmpty ? nil : last.values.reduce(0, +)
  }

  /// The power of the sent or the received audio, report by report.
  func sound(sent: Bool) -> [SpeechOfReports.Interval] {
    var intervals = SpeechOfReports.Intervals()
    for (stream, sample) in steps
    where streams[stream].kind == .audio && (streams[stream].direction == .outbound) == sent {
      intervals.take(sample)
    }
    return intervals.all
  }

  func connection(_ connection: Int, _ facts: ConnectionFacts) {}
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    guard stream >= 0, stream < 100_000 else { return }
    while streams.count <= stream { streams.append(StreamFacts()) }
    if facts.direction != .unknown { streams[stream].direction = facts.direction }
    streams[stream].kind = facts.kind ?? streams[stream].kind
    streams[stream].codec = facts.codec ?? streams[stream].codec
    streams[stream].fmtp = facts.fmtp ?? streams[stream].fmtp
    streams[stream].source = facts.source
    streams[stream].clockRate = facts.clockRate ?? streams[stream].clockRate
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    steps.append((stream, copy sample))
  }
  func totals(_ totals: StreamTotals, of stream: Int) {}
  func transport(_ transport: TransportSample, of connection: Int) {
    var transport = transport
    transport.connection = Int64(connection)
    paths.append(transport)
  }
  func event(_ event: EventRecord, of connection: Int?) {
    if event.event == .mediaSpoke { events.append(event) }
  }
  func reject(_ reject: Reject) {}
  func note(_ note: String) {}
  func packets(_ count: Int) {}
}
