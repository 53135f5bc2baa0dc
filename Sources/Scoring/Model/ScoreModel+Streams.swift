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
      let videos = streams.compactMap { stream -> (score: MediumScore, pixels: Double?)? in
        guard var impairments = stream.video else { return nil }
        if !audios.isEmpty { impairments.delayMs = nil }
        return (videoScore(impairments, videoConstants), stream.pixels)
      }
      return callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), combination)
    case .peer(let peer):
      let audios = streams.filter { $0.kind == .audio }.compactMap { peer.mediumScore($0)?.score }
      let videos = streams.filter { $0.kind == .video }.compactMap { stream in
        peer.mediumScore(stream).map { (score: $0.score, pixels: stream.pixels) }
      }
      // None of them mixes media: the worse one speaks for both.
      var worseOnly = CombinationConstants()
      worseOnly.worseWeight = 1
      return callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), worseOnly)
    }
  }

  /// Whether the model has words of its own for a quality.
  public var hasLabels: Bool {
    if case .peer = formula { true } else { false }
  }

  /// What the model calls the quality of these streams in its own words; nil for models that only have a number.
  public func label(_ streams: [StreamFigures]) -> String? {
    guard case .peer(let peer) = formula else { return nil }
    let labels = streams.compactMap { peer.mediumScore($0)?.label }
    return labels.isEmpty ? nil : labels.joined(separator: " / ")
  }
}
