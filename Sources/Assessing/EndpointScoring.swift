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
  let store: Store
  let model: ScoreModel
  var cut: WindowCut = .fromFirstMedia
  var references = References.none

  /// The windows of the streams, with the path's round trips and the client's own reports beside them.
  func windows(_ streams: [StoredStream], paths: [TransportSample], account: [EventRecord]) throws -> [Window]
  {
    var scorer = EndpointScorer(
      streams: streams.map(\.facts), model: model, references: references, cut: cut,
      clientScores: clientScores(account), quiet: quietSpans(account))
    var feed = try EndpointFeed(streams.map(\.key), in: store)
    var path = 0
    try feed.forEach { sample, stream in
      while path < paths.count, paths[path].timeMs <= sample.timeMs {
        scorer.addTransport(paths[path])
        path += 1
      }
      scorer.add(sample, of: stream)
    }
    for rest in paths[path...] { scorer.addTransport(rest) }
    return scorer.finish()
  }
}
