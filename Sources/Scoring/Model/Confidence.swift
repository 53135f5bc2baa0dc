/// How much of what a score needs was known, 0–1, by medium. Missing input costs confidence, never points.
public struct Availability: Sendable, Equatable {
  /// 1 concealment counted, 0.8 packets and error correction, 0.6 packets, 0.3 jitter alone, 0 nothing.
  public var audioLoss = 0.0
  /// 1 round trip and buffer, 0.7 round trip and jitter, 0.5 one of them, 0.2 none; x 0.8 where connectivity checks alone told the round trip.
  public var audioDelay = 0.2
  /// 1 reported or from frame times, 0.6 from runs without a frame, 0 nothing.
  public var freeze = 0.0
  public var frameRate = 0.0
  /// 1 against a configured reference, 0.5 against a learnt one, 0 nothing.
  public var resolution = 0.0
  public var videoLoss = 0.0

  /// Nothing known.
  public init() {}

  /// Weighted availability of audio, 0–1.
  public var audio: Double { 0.6 * audioLoss + 0.4 * audioDelay }
  /// Weighted availability of video, 0–1.
  public var video: Double { 0.45 * freeze + 0.25 * frameRate + 0.2 * resolution + 0.1 * videoLoss }
}

/// Confidence of a window, 0–1.
///
/// - Parameters:
///   - availability: of the media that were scored, mean of both where there are both.
///   - coverage: observed share of the window.
///   - samples: reports in the window; under four it is known in less detail.
func confidence(availability: Double, coverage: Double, samples: Int) -> Double {
  min(1, max(0, availability * min(1, coverage) * (samples < 4 ? 0.8 : 1)))
}
