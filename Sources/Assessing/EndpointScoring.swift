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

/// What one pass over the samples of an end gives.
struct EndpointScan {
  var windows: PackedWindows
  var frozen: [FrozenSpan]
  /// Has seen all samples, and waits for the rest of what is known.
  var findings: FindingScan
}

/// Scores one end from what the store has of it, as seen by one kind of source.
struct EndpointScoring {
  let model: ScoreModel
  var cut: WindowCut = .fromFirstMedia
  var references = References.none

  /// One pass over the streams, with the path's round trips and the client's own reports beside them.
  func scan(
    _ streams: [StoredStream], paths: TransportFeed, account: [EventRecord], from store: Store,
    readers: Readers
  ) throws -> EndpointScan {
    try readers.lend { reader in
      let feed = try EndpointFeed(streams.map(\.key), in: reader ?? store, ahead: reader != nil)
      defer { feed.close() }
      return try scan(streams, feed: feed, paths: paths, account: account)
    }
  }

  private func scan(
    _ streams: [StoredStream], feed: EndpointFeed, paths: TransportFeed, account: [EventRecord]
  ) throws -> EndpointScan {
    let facts = streams.map(\.facts)
    var scorer = EndpointScorer(
      streams: facts, model: model, references: references, cut: cut, clientScores: clientScores(account),
      quiet: quietSpans(account))
    var findings = FindingScan(streams: facts)
    var next = try paths.next()
    func tellPaths(until timeMs: Double) throws {
      while let sample = next, sample.timeMs <= timeMs {
        scorer.addTransport(sample)
        findings.addTransport(sample)
        next = try paths.next()
      }
    }
    var windows = PackedWindows()
    try feed.forEach { sample, stream in
      try tellPaths(until: sample.timeMs)
      scorer.add(sample, of: stream)
      findings.add(sample, of: stream)
      windows.append(contentsOf: scorer.takeSettled())
    }
    try tellPaths(until: .infinity)
    windows.append(contentsOf: scorer.finish())
    return EndpointScan(windows: windows, frozen: scorer.frozenSpans, findings: findings)
  }
}
