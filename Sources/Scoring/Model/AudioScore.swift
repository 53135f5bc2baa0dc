import CallModel
import Glibc

/// The quality of a medium in one interval, and the causes of the points lost.
public struct MediumScore: Sendable, Equatable {
  /// Quality for listening or watching only, 0–100, without the effect of delay.
  public var listening: Double
  /// Quality for conversation, 0–100, including the effect of delay.
  public var conversing: Double
  /// Points lost by cause; they add up to 100 − `conversing`.
  public var lost: ByCause<Double>
}

/// Audio quality of one interval.
///
/// `I = (100 + B) e' / (e' + B)`: the `Ie,eff` of the E-model with its 95 replaced so that full concealment scores 0.
/// Time-stretching, by which the jitter buffer adapts to late packets and refills after lost ones, adds to the
/// effective concealment `e`.
public func audioScore(
  _ impairments: AudioImpairments, _ constants: AudioConstants, codecNeutral: Bool = false
) -> MediumScore {
  let b = constants.halfPoint(of: impairments.codec, neutral: codecNeutral)
  let salience = constants.weighsLoudness ? max(0, impairments.salience) : 1
  let missing =
    100
    * (share(impairments.lostShare * salience) + constants.restoredWeight * share(impairments.restoredShare))
  let late = 100 * share(impairments.lateShare * salience)
  let stretch = 100 * (share(impairments.deceleratedShare) + share(impairments.acceleratedShare))
  let stretched = constants.stretchWeight * max(0, stretch - constants.stretchDeadBand)
  let explained = stretched * share(impairments.stretchByLoss)
  let byBuffering =
    stretched * min(share(impairments.stretchByBuffering), 1 - share(impairments.stretchByLoss))
  let all = missing + (late + stretched)
  let effective = max(0, all - constants.deadBand)
  let concealment = min(100, (100 + b) * effective / (effective + b))
  let delay = impairments.delayMs.map { delayImpairment(delayMs: $0) } ?? 0
  let conversing = max(0, 100 - concealment - delay)

  var lost: ByCause<Double> = [:]
  let whole = concealment + delay
  if whole > 0 {
    let scale = (100 - conversing) / whole
    if all > 0 {
      lost[.loss] = concealment * scale * (missing + explained) / all
      lost[.jitter] = concealment * scale * max(0, late + (stretched - explained - byBuffering)) / all
    }
    lost[.delay] = delay * scale + (all > 0 ? concealment * scale * byBuffering / all : 0)
  }
  return MediumScore(listening: 100 - concealment, conversing: conversing, lost: lost)
}

/// The value clamped to 0–1, since hostile input must not exceed it.
func share(_ value: Double) -> Double {
  value > 0 ? min(1, value) : 0
}

/// Video quality of one interval: a product of factors, so that the shares of their logarithms attribute it exactly.
public func videoScore(_ impairments: VideoImpairments, _ constants: VideoConstants) -> MediumScore {
  let c = constants
  if let constants = c.picture, let picture = impairments.picture {
    return PictureScore(impairments, picture, constants).medium
  }
  if impairments.dead { return MediumScore(listening: 0, conversing: 0, lost: [.freeze: 100]) }
  var nepers = ByCause<Double>()
  if let frozen = impairments.freezeShare {
    // Models before the fourth counted a long wait for the first frame as a freeze.
    nepers[.freeze] =
      c.freezeShareWeight * share(frozen + (impairments.picture?.startFreezeShare ?? 0)) + c.freezeWeight
      * min(max(impairments.freezes, 0), c.freezesCounted)
  }
  if let rate = impairments.frameRate, let reference = impairments.frameRateReference, reference > 0 {
    let ratio = rate / min(c.enoughFrameRate, reference)
    nepers[.framerate] = -log(starFactor(ratio, c.frameRateSteepness, c.frameRateExponent))
  }
  if let pixels = impairments.pixels, let reference = impairments.pixelsReference, reference > 0 {
    nepers[.resolution] = -log(starFactor(pixels / reference, c.resolutionSteepness, c.resolutionExponent))
  }
  if let loss = impairments.lossShare {
    nepers[.loss] = -log(1 - c.lossCost * (1 - exp(-100 * share(loss) / c.lossScale)))
  }
  if let bps = impairments.bps, let reference = impairments.bpsReference, reference > bps {
    nepers[.bitrate] = -log(max(0.01, 1 - c.bitrateWeight * log(reference / max(1, bps))))
  }
  return MediumScore(nepers, delayMs: impairments.delayMs)
}

extension MediumScore {
  /// The score that results from nepers by cause, plus the delay if it is charged to this medium.
  init(_ harm: ByCause<Double>, delayMs: Double?) {
    var nepers = harm
    let looking = exp(-nepers.sum)
    if let delay = delayMs, delay > 0 {
      nepers[.delay] = -log(1 - delayImpairment(delayMs: delay) / 100)
    }
    let sum = nepers.sum
    let quality = exp(-sum)
    guard sum > 0 else {
      self = MediumScore(listening: 100, conversing: 100, lost: [:])
      return
    }
    self = MediumScore(
      listening: 100 * looking, conversing: 100 * quality,
      lost: nepers.mapValues { 100 * (1 - quality) * $0 / sum })
  }
}

/// Inverted exponential of Q-STAR (Ou, Ma, Wang 2014): 1 at full rate or size, decreasing to a small positive floor.
private func starFactor(_ ratio: Double, _ steepness: Double, _ exponent: Double) -> Double {
  guard ratio < 1 else { return 1 }
  let value = (1 - exp(-steepness * pow(max(0, ratio), exponent))) / (1 - exp(-steepness))
  return max(1e-6, value)
}

/// What impaired the audio of one stream in one interval, in the same units for every source. Unknown shares count as
/// 0.
public struct AudioImpairments: Sendable, Equatable {
  /// Codec name (`opus`); nil if unknown.
  public var codec: String?
  /// Share of playout concealed because packets were lost, 0–1.
  public var lostShare: Double = 0
  /// Share of playout concealed because packets arrived too late, 0–1.
  public var lateShare: Double = 0
  /// Loudness where audio was concealed, as a multiple of the loudness elsewhere: below 1 in speech pauses.
  public var salience: Double = 1
  /// Share of packets restored by forward error correction, 0–1.
  public var restoredShare: Double = 0
  /// Share of playout that time-stretching added (slowing down), 0–1.
  public var deceleratedShare: Double = 0
  /// Share of playout that time-stretching removed (speeding up), 0–1.
  public var acceleratedShare: Double = 0
  /// Part of that time-stretching which lost packets explain, 0–1. It moves points between causes and never changes the
  /// score.
  public var stretchByLoss: Double = 0
  /// Part of what loss does not explain that is due to the receiver's choice to buffer audio longer, 0–1. It never
  /// changes the score either.
  public var stretchByBuffering: Double = 0
  /// Mouth-to-ear delay in ms; nil if unknown.
  public var delayMs: Double?

  /// Creates impairments of zero.
  public init(codec: String? = nil) {
    self.codec = codec
  }
}

/// What impaired the video of one stream in one interval, in the same units for every source. Nil is unknown and costs
/// nothing.
public struct VideoImpairments: Sendable, Equatable {
  /// Share of the interval in which video was frozen, 0–1.
  public var freezeShare: Double?
  /// Number of freezes that overlap the interval.
  public var freezes: Double = 0
  /// Frames per second while video moved, and the reference rate.
  public var frameRate: Double?
  public var frameRateReference: Double?
  /// Pixels per frame, and the reference.
  public var pixels: Double?
  public var pixelsReference: Double?
  /// Share of packets lost before repair, 0–1.
  public var lossShare: Double?
  /// Bit rate in bit/s, and the configured reference.
  public var bps: Double?
  public var bpsReference: Double?
  /// Mouth-to-ear (glass-to-glass) delay in ms; only set if the call has no audio to charge it to.
  public var delayMs: Double?
  /// Whether no frame at all was seen in the whole interval although some were due.
  public var dead = false
  /// Additional figures for the fourth model.
  public var picture: PictureImpairments?

  /// Creates impairments of zero.
  public init() {}
}

/// The constants of the audio formula, one set per model version.
public struct AudioConstants: Sendable {
  /// Effective concealment in per cent that costs half of the points, by codec: the `Bpl` of the E-model with 100 + B
  /// in place of 95.
  public var halfPoint: [String: Double] = [
    "opus": 10, "pcmu": 25.1, "pcma": 25.1, "g729": 19, "amr": 10, "amr-wb": 10, "gsm": 10,
  ]
  /// The same for a codec that is not listed or not known.
  public var otherHalfPoint = 10.0
  /// Inaudible effective concealment, per cent.
  public var deadBand = 0.1
  /// Cost of a packet restored by forward error correction, as a share of that of a concealed one.
  public var restoredWeight = 0.25
  /// Whether concealment is weighted by loudness. Models before the third weighted all alike.
  public var weighsLoudness = false
  /// Inaudible time-stretching, per cent of playout: a pitch period inserted or removed now and then.
  public var stretchDeadBand = 0.5
  /// Cost of stretching beyond that, as a multiple of the cost of concealment. The first model ignored it.
  public var stretchWeight = 0.0

  /// The constants of the first model.
  public init() {}

  /// Half point of a codec; the name is not case-sensitive.
  func halfPoint(of codec: String?, neutral: Bool) -> Double {
    guard !neutral, let codec else { return otherHalfPoint }
    return halfPoint[codec.lowercased()] ?? otherHalfPoint
  }
}

/// The constants of the video formula.
public struct VideoConstants: Sendable {
  /// Cost of the frozen share, and of each freeze up to `freezesCounted`, in nepers.
  public var freezeShareWeight = 1.8
  public var freezeWeight = 0.08
  public var freezesCounted = 5.0
  /// Q-STAR curves for frame rate and resolution.
  public var frameRateSteepness = 3.1
  public var frameRateExponent = 0.63
  public var resolutionSteepness = 4.5
  public var resolutionExponent = 0.74
  /// Frame rate beyond which video does not improve.
  public var enoughFrameRate = 24.0
  /// Minimum reference frame rate for a camera, even if the call never reached it.
  public var minFrameRate = 0.0
  /// Maximum cost of repairing lost packets, and the loss in per cent that costs 63 % of it.
  public var lossCost = 0.10
  public var lossScale = 5.0
  /// Cost per neper of missing bit rate (LiveKit's slope).
  public var bitrateWeight = 0.2
  /// The picture constants of the fourth model; nil for models that use the constants above.
  public var picture: PictureConstants?

  /// The constants of the first model.
  public init() {}
}

/// How audio and video combine into one score: a share of the worse one, the rest of both.
public struct CombinationConstants: Sendable {
  public var worseWeight = 0.5
  public var audioWeight = 0.6
  public var videoWeight = 0.4

  /// The constants of the first model.
  public init() {}
}
