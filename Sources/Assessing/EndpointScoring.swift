import CallModel
import CallStore
import Scoring

extension References {
  /// The references of a call as the store keeps them (JSON object of `run.json`).
  init(json: String?) {
    self.init()
    guard let json else { return }
    func number(_ name: String) -> Double? { memberText(name, of: json).flatMap(Double.init) }
    frameRate = number("frame_rate")
    if let width = number("render_width"), let height = number("render_height") { pixels = width * height }
    videoBps = number("target_bps")
    codecNeutral = memberText("codec_neutral", of: json) == "true"
  }
}

/// Scores one end from what the store has of it, as seen by one kind of source.
struct EndpointScoring {
  let model: ScoreModel
  var cut: WindowCut = .fromFirstMedia
  var references = References.none

  /// Whether the scores rest on the samples alone, and by the usual rules.
  func needsSamplesOnly(_ account: [EventRecord]) -> Bool {
    guard case .fromFirstMedia = cut else { return false }
    return references == .none && clientScores(account).isEmpty && quietSpans(account).isEmpty
      && !account.contains(where: CodecTimes.isOfReceived)
  }

  /// One pass over the streams, each in parts, with the path's round trips, the client's own reports and what the far end
  /// tells of their sources beside them.
  func scan(
    _ streams: [[StoredStream]], paths: TransportFeed, account: [EventRecord],
    motion: [UInt32: SpanSet], unsent: [UInt32: SpanSet], untilMs: Double? = nil, endedMs: Double?,
    from store: Store,
    readers: Readers
  ) throws -> EndpointScan {
    try readers.lend { reader in
      let feed = try EndpointFeed(streams.map { $0.map(\.key) }, in: reader ?? store, ahead: reader != nil)
      defer { feed.close() }
      var scan = EndpointScan(
        streams.compactMap { $0.first?.facts }, of: streams.map { $0.map(\.connection) }, scoring: self,
        account: account, motion: motion, unsent: unsent, untilMs: untilMs, endedMs: endedMs)
      var next = try paths.next()
      func tellPaths(until timeMs: Double) throws {
        while let sample = next, sample.timeMs <= timeMs {
          scan.addTransport(sample)
          next = try paths.next()
        }
      }
      try feed.forEach { sample, stream in
        try tellPaths(until: sample.timeMs)
        scan.add(sample, of: stream)
      }
      try tellPaths(until: .infinity)
      scan.finish()
      return scan
    }
  }
}
