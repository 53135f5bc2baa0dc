import CallModel
import EventLogs
import Foundation
import GetStats
import IO
import Scoring
import SharedRecordings

/// The folder of recorded calls, which lies beside the package where there is one.
enum Recordings {
  static let folder = SharedRecordings.folder("calls")

  /// Every end of every call, as `t00-clean/caller`.
  static let ends: [String] = {
    let calls = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return calls.sorted().flatMap { call in
      ["callee", "caller"].map { "\(call)/\($0)" }
        .filter {
          FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0).stats.jsonl.gz").path)
        }
    }
  }()

  /// Ends of calls in whose network nothing was done.
  static let cleanEnds = ends.filter { end in
    ["t00-clean", "t22-h264-clean", "t27-audio-clean", "t34-clean-again"].contains { end.hasPrefix($0 + "/") }
  }
}

/// One end of a recorded call: its streams and all that they reported, in the order of the file.
final class RecordedEnd: RecordSink {
  private(set) var streams: [StreamFacts] = []
  private(set) var steps: [(stream: Int, sample: Sample)] = []
  private(set) var paths: [TransportSample] = []
  private(set) var events: [EventRecord] = []

  /// Reads the statistics of an end such as `t00-clean/caller`; with `every` 2 only every second line of it.
  init(_ end: String, every: Int = 1, offset: Int = 0) throws {
    let path = Recordings.folder.appendingPathComponent("\(end).stats.jsonl.gz").path
    var lines = LineReader(try InputFile(path: path))
    var reader = SnapshotLineReader(sink: self)
    var more = true
    while more {
      more = try lines.next { bytes, number, byte in
        guard number % every == offset else { return }
        _ = try reader.line(bytes, number: number, offset: byte)
      }
    }
    try reader.finish()
    try readEvents(Recordings.folder.appendingPathComponent("\(end).events.jsonl.gz").path)
  }

  private func readEvents(_ path: String) throws {
    var lines = LineReader(try InputFile(path: path))
    var reader = RunLogLineReader(sink: self)
    var more = true
    while more {
      more = try lines.next { bytes, number, byte in
        _ = try reader.line(bytes, number: number, offset: byte)
      }
    }
    try reader.finish()
  }

  /// What a score cannot say of this end.
  func findings() -> [Finding] {
    var scan = FindingScan(streams: streams)
    var path = 0
    for (stream, sample) in steps.sorted(by: { $0.sample.timeMs < $1.sample.timeMs }) {
      while path < paths.count, paths[path].timeMs <= sample.timeMs {
        scan.addTransport(paths[path])
        path += 1
      }
      scan.add(sample, of: stream)
    }
    var scorer = scorer(.standard, cut: .fromFirstMedia)
    var context = FindingContext()
    _ = scorer.finish()
    context.frozen = scorer.frozenSpans
    context.unsent = scorer.unsentSpans
    context.events = events
    return scan.finish(context)
  }

  /// The windows of this end.
  func windows(_ model: ScoreModel = .standard, cut: WindowCut = .fromFirstMedia) -> [Window] {
    var scorer = scorer(model, cut: cut)
    return scorer.finish()
  }

  /// The same windows, each taken as soon as nothing can change it.
  func windowsAsTheySettle() -> [Window] {
    var settled: [Window] = []
    var scorer = scorer(.standard, cut: .fromFirstMedia) { settled += $0.takeSettled() }
    return settled + scorer.finish()
  }

  /// A scorer that was given everything.
  func scorer(
    _ model: ScoreModel, cut: WindowCut, afterEach: (inout EndpointScorer) -> Void = { _ in }
  ) -> EndpointScorer {
    var scorer = EndpointScorer(streams: streams, model: model, cut: cut)
    var path = 0
    for (stream, sample) in steps.sorted(by: { $0.sample.timeMs < $1.sample.timeMs }) {
      while path < paths.count, paths[path].timeMs <= sample.timeMs {
        scorer.addTransport(paths[path])
        path += 1
      }
      scorer.add(sample, of: stream)
      afterEach(&scorer)
    }
    return scorer
  }

  func connection(_ connection: Int, _ facts: ConnectionFacts) {}
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    while streams.count <= stream { streams.append(StreamFacts()) }
    streams[stream].add(facts)
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    steps.append((stream, copy sample))
  }
  func totals(_ totals: StreamTotals, of stream: Int) {}
  func transport(_ transport: TransportSample, of connection: Int) { paths.append(transport) }
  func event(_ event: EventRecord, of connection: Int?) { events.append(event) }
  func reject(_ reject: Reject) {}
  func note(_ note: String) {}
  func packets(_ count: Int) {}
}

extension StreamFacts {
  /// Takes over what is known.
  fileprivate mutating func add(_ more: StreamFacts) {
    if more.direction != .unknown { direction = more.direction }
    kind = more.kind ?? kind
    ssrc = more.ssrc ?? ssrc
    codec = more.codec ?? codec
    fmtp = more.fmtp ?? fmtp
    screen = more.screen ?? screen
  }
}
