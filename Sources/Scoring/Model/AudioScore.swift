import CallModel
import Glibc

/// A medium's quality in one interval, and where its points went.
public struct MediumScore: Sendable, Equatable {
  /// Quality to one who only listens or looks, 0–100: delay left out.
  public var listening: Double
  /// Quality to one who converses, 0–100: delay included.
  public var conversing: Double
  /// Points per cause; they add up to 100 − `conversing`.
  public var lost: ByCause<Double>
}

/// Audio quality of one interval.
///
/// `I = (100 + B) e' / (e' + B)`: the E-model's `Ie,eff` with its 95 replaced so that nothing but concealment is 0.
/// Time-stretching, by which the jitter buffer follows late packets and fills up again after lost ones, adds to the
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
  let stretch = 100 * (share(impairments.slowedShare) + share(impairments.hurriedShare))
  let stretched = constants.stretchWeight * max(0, stretch - constants.stretchDeadBand)
  let explained = stretched * share(impairments.stretchByLoss)
  let wished = stretched * min(share(impairments.stretchByWish), 1 - share(impairments.stretchByLoss))
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
      lost[.jitter] = concealment * scale * max(0, late + (stretched - explained - wished)) / all
    }
    lost[.delay] = delay * scale + (all > 0 ? concealment * scale * wished / all : 0)
  }
  return MediumScore(listening: 100 - concealment, conversing: conversing, lost: lost)
}

/// A share as far as it can be one: hostile input must not leave 0–1.
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
    // Versions before the fourth took a long wait for the first picture for a freeze.
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
  /// The score that nepers by cause leave, with the delay where it is charged to this medium.
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

/// Inverted exponential of Q-STAR (Ou, Ma, Wang 2014): 1 at full rate or size, falling to a small positive floor.
private func starFactor(_ ratio: Double, _ steepness: Double, _ exponent: Double) -> Double {
  guard ratio < 1 else { return 1 }
  let value = (1 - exp(-steepness * pow(max(0, ratio), exponent))) / (1 - exp(-steepness))
  return max(1e-6, value)
}

/// What harmed the sound of one stream in one interval, measured alike whatever the source. Unknown shares count as none.
public struct AudioImpairments: Sendable, Equatable {
  /// Codec name (`opus`), nil if unknown.
  public var codec: String?
  /// Share of playout made up because packets were lost on the way, 0–1.
  public var lostShare: Double = 0
  /// Share of playout made up because packets came too late, 0–1.
  public var lateShare: Double = 0
  /// How loud the sound was where it was made up, as a multiple of elsewhere: under 1 in pauses of speech.
  public var salience: Double = 1
  /// Share of packets restored from forward error correction, 0–1.
  public var restoredShare: Double = 0
  /// Share of playout by which time-stretching lengthened it, 0–1.
  public var slowedShare: Double = 0
  /// Share of playout by which time-stretching shortened it, 0–1.
  public var hurriedShare: Double = 0
  /// Part of that time-stretching which lost packets explain, 0–1. It moves points between causes, never the score.
  public var stretchByLoss: Double = 0
  /// Part of it which the receiver's own wish to hold sound longer explains, 0–1; of what loss leaves, and the same holds.
  public var stretchByWish: Double = 0
  /// Mouth to ear in ms, nil if unknown.
  public var delayMs: Double?

  /// Nothing harmed it.
  public init(codec: String? = nil) {
    self.codec = codec
  }
}

/// What harmed the picture of one stream in one interval, measured alike whatever the source. Nil is unknown and costs nothing.
public struct VideoImpairments: Sendable, Equatable {
  /// Share of the interval in which the picture stood still, 0–1.
  public var freezeShare: Double?
  /// Freezes that overlap the interval.
  public var freezes: Double = 0
  /// Frames per second while the picture moved, and the rate it is held against.
  public var frameRate: Double?
  public var frameRateReference: Double?
  /// Pixels, and the number it is held against.
  public var pixels: Double?
  public var pixelsReference: Double?
  /// Share of packets lost before repair, 0–1.
  public var lossShare: Double?
  /// Bit rate in bit/s, and the configured rate it is held against.
  public var bps: Double?
  public var bpsReference: Double?
  /// Mouth to ear (glass to glass) in ms; only given where a call has no audio to charge it to.
  public var delayMs: Double?
  /// Whether not one frame was seen in the whole interval though there should have been some.
  public var dead = false
  /// What the fourth version looks at beside these.
  public var picture: PictureImpairments?

  /// Nothing harmed it.
  public init() {}
}

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
  /// The constants of the fourth version's picture; nil: these here count.
  public var picture: PictureConstants?

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
