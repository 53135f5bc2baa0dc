import CallModel

extension ScoreModel {
  /// The score of all streams that one end received in one interval; nil where nothing could be scored.
  ///
  /// Of several sounds the worst counts; several pictures are weighed by their size. Delay is charged once.
  public func score(_ streams: [StreamFigures], references: References = .none) -> CallScore? {
    switch formula {
    case .callqa(let audioConstants, let videoConstants, let combination):
      let audios = streams.compactMap(\.audio).map {
        audioScore($0, audioConstants, codecNeutral: references.codecNeutral)
      }
      let videos = streams.compactMap { stream -> (score: MediumScore, pixels: Double)? in
        guard var impairments = stream.video else { return nil }
        if !audios.isEmpty { impairments.delayMs = nil }
        return (videoScore(impairments, videoConstants), stream.pixels ?? 1)
      }
      return callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), combination)
    }
  }
}
