import CallModel

/// The quality of all that one end received in one interval.
public struct CallScore: Sendable, Equatable {
  /// 0–100, rounded half up.
  public var score: Int
  /// The same before rounding.
  public var exact: Double
  /// Audio and video, conversational, nil where there was none.
  public var audio: MediumScore?
  public var video: MediumScore?
  /// Points before rounding; they add up to 100 − `exact`.
  public var exactLost: ByCause<Double>
  /// Points per cause as integers that add up to 100 − `score`.
  public var lost: ByCause<Int>
}

/// One figure from both media; nil where neither is there.
///
/// The worse medium weighs half, and both together the other half, so that perfect sound does not hide a dead picture.
public func callScore(
  audio: MediumScore?, video: MediumScore?, _ constants: CombinationConstants = CombinationConstants()
) -> CallScore? {
  var parts: [(medium: MediumScore, weight: Double)] = []
  switch (audio, video) {
  case (let audio?, let video?):
    let rest = 1 - constants.worseWeight
    let audioIsWorse = audio.conversing <= video.conversing
    parts = [
      (audio, constants.audioWeight * rest + (audioIsWorse ? constants.worseWeight : 0)),
      (video, constants.videoWeight * rest + (audioIsWorse ? 0 : constants.worseWeight)),
    ]
  case (let only?, nil), (nil, let only?): parts = [(only, 1)]
  case (nil, nil): return nil
  }
  var lost: ByCause<Double> = [:]
  var missing = 0.0
  for part in parts {
    missing += part.weight * (100 - part.medium.conversing)
    for (cause, points) in part.medium.lost { lost[cause, default: 0] += part.weight * points }
  }
  let exact = min(100, max(0, 100 - missing))
  let score = Int((exact + 0.5).rounded(.down))
  return CallScore(
    score: score, exact: exact, audio: audio, video: video, exactLost: lost,
    lost: wholePoints(lost, total: 100 - score))
}

/// The mean of several pictures, weighted by their size; nil for none.
///
/// What is received and cannot be decoded has no size that anybody knows: it weighs what the others do on average.
public func meanOfVideos(_ videos: [(score: MediumScore, pixels: Double?)]) -> MediumScore? {
  guard let first = videos.first else { return nil }
  guard videos.count > 1 else { return first.score }
  let known = videos.compactMap(\.pixels)
  let usual = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
  let weights = videos.map { max(1, $0.pixels ?? usual) }
  let sum = weights.reduce(0, +)
  var mean = MediumScore(listening: 0, conversing: 0, lost: [:])
  for (video, weight) in zip(videos, weights) {
    let part = weight / sum
    mean.listening += part * video.score.listening
    mean.conversing += part * video.score.conversing
    for (cause, points) in video.score.lost { mean.lost[cause, default: 0] += part * points }
  }
  return mean
}
