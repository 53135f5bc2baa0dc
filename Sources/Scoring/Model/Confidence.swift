import CallModel

/// How much of a score's input was known, 0–1, by medium. Missing input lowers confidence and never the score.
public struct Availability: Sendable, Equatable {
  /// 1 for concealment counters, 0.8 for packets and error correction, 0.6 for packets, 0.3 for jitter alone, 0 for
  /// nothing.
  public var audioLoss = 0.0
  /// 1 for round trip and buffer, 0.7 for round trip and jitter, 0.5 for one of them, 0.2 for none; times 0.8 if the
  /// round trip is from connectivity checks alone.
  public var audioDelay = 0.2
  /// 1 for reported freezes or frame times, 0.6 for periods without a frame, 0 for nothing.
  public var freeze = 0.0
  public var frameRate = 0.0
  /// 1 against a configured reference, 0.5 against a learnt one, 0 for nothing.
  public var resolution = 0.0
  public var videoLoss = 0.0

  /// Creates a value for which no input is known.
  public init() {}

  /// Weighted availability of audio input, 0–1.
  public var audio: Double { 0.6 * audioLoss + 0.4 * audioDelay }
  /// Weighted availability of video input, 0–1.
  public var video: Double { 0.45 * freeze + 0.25 * frameRate + 0.2 * resolution + 0.1 * videoLoss }
}

/// Confidence of a window, 0–1.
///
/// - Parameters:
///   - availability: that of the scored media; the mean if there are several.
///   - coverage: observed share of the window.
///   - samples: number of reports in the window; fewer than four lower the confidence.
func confidence(availability: Double, coverage: Double, samples: Int) -> Double {
  min(1, max(0, availability * min(1, coverage) * (samples < 4 ? 0.8 : 1)))
}

/// How precise figures are in time that something else worked out of packets or statistics (docs/records.md).
public enum FigurePrecision: Sendable, Equatable {
  /// Statistics, captures, and counters: what happened between two of them is known.
  case counted
  /// Means of a few seconds.
  case short
  /// Means of longer, or moments: a window has its share of the mean.
  case long

  /// The longest interval whose mean stands for each of its windows, ms.
  public static let shortMs = 15_000.0

  /// The precision of a stream.
  ///
  /// - Parameter isCounted: whether it counts packets since its beginning.
  public init(_ facts: StreamFacts, isCounted: Bool) {
    if facts.source != .figures || isCounted {
      self = .counted
    } else {
      self = facts.intervalMs ?? .infinity <= Self.shortMs ? .short : .long
    }
  }

  /// The confidence of a window, 0-1, as far as this allows.
  func bounded(_ confidence: Double) -> Double {
    switch self {
    case .counted: confidence
    case .short: 0.8 * confidence
    case .long: min(0.6, confidence)
    }
  }
}
