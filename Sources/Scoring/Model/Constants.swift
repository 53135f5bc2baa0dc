/// The constants of the audio formula, one set a model version.
public struct AudioConstants: Sendable {
  /// Effective concealment in per cent that takes half of the points, by codec: the `Bpl` of the E-model with 100 + B in place of 95.
  public var halfPoint: [String: Double] = [
    "opus": 10, "pcmu": 25.1, "pcma": 25.1, "g729": 19, "amr": 10, "amr-wb": 10, "gsm": 10,
  ]
  /// The same where the codec is not listed or not known.
  public var otherHalfPoint = 10.0
  /// Effective concealment in per cent that nobody hears.
  public var deadBand = 0.1
  /// What a packet restored from forward error correction costs, as a share of a concealed one.
  public var restoredWeight = 0.25
  /// Whether what is made up counts by how loud it was there. Versions before the third counted all alike.
  public var weighsLoudness = false
  /// Time-stretching in per cent of playout that nobody hears: a pitch period put in or left out now and then.
  public var stretchDeadBand = 0.5
  /// What stretching beyond that costs, as a multiple of concealment. The first version did not see it.
  public var stretchWeight = 0.0

  /// The constants of the first version.
  public init() {}

  /// Half point of a codec; names are compared without case.
  func halfPoint(of codec: String?, neutral: Bool) -> Double {
    guard !neutral, let codec else { return otherHalfPoint }
    return halfPoint[codec.lowercased()] ?? otherHalfPoint
  }
}

/// The constants of the video formula.
public struct VideoConstants: Sendable {
  /// Cost of the frozen share, and of every freeze up to `freezesCounted`, in nepers.
  public var freezeShareWeight = 1.8
  public var freezeWeight = 0.08
  public var freezesCounted = 5.0
  /// Q-STAR curves of frame rate and of resolution.
  public var frameRateSteepness = 3.1
  public var frameRateExponent = 0.63
  public var resolutionSteepness = 4.5
  public var resolutionExponent = 0.74
  /// Frame rate beyond which more is not better.
  public var enoughFrameRate = 24.0
  /// Frame rate that a camera is held against at least, though the call itself never reached it.
  public var leastFrameRate = 0.0
  /// Most that the repair of lost packets can cost, and the loss in per cent that costs 63 % of it.
  public var lossCost = 0.10
  public var lossScale = 5.0
  /// Cost of a neper of missing bit rate (LiveKit's slope).
  public var bitrateWeight = 0.2

  /// The constants of the first version.
  public init() {}
}

/// How audio and video make one figure: part of the worse one, the rest of both.
public struct CombinationConstants: Sendable {
  public var worseWeight = 0.5
  public var audioWeight = 0.6
  public var videoWeight = 0.4

  /// The constants of the first version.
  public init() {}
}
