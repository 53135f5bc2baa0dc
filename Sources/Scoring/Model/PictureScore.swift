import CallModel
import Glibc

/// What impaired video in one interval, as used by the fourth model: coarse coding, uneven frame intervals, and time
/// without a moving picture. Nil is unknown and costs nothing.
public struct PictureImpairments: Sendable, Equatable {
  /// Codec name (`VP8`); nil if unknown.
  public var codec: String?
  /// Whether it is a screen share.
  public var isScreen = false
  /// Time from the stream's first media to the start of the interval, s.
  public var ageS: Double?
  /// Share of the interval between the first packet and the first frame, 0–1.
  public var waitShare: Double = 0
  /// The part of it that models before the fourth counted as a freeze.
  public var startFreezeShare: Double = 0
  /// Mean quantiser of the frames on the codec's own scale.
  public var qp: Double?
  /// Payload without retransmissions, in bits per pixel and frame.
  public var bitsPerPixel: Double?
  /// Mean interval between frames outside freezes, its usual value in this call, and its standard deviation, ms.
  public var intervalMs: Double?
  public var usualIntervalMs: Double?
  public var intervalDeviationMs: Double?
  /// Range of the playout delay within the interval, ms; without playout timestamps, of the decoding delay.
  public var driftMs: Double?
  /// Maximum number of pixels per frame in the call so far.
  public var pixelsSeen: Double?
  /// Configured pixels and frames per second; they replace what was learnt from the call.
  public var configuredPixels: Double?
  public var configuredFrameRate: Double?

  /// Creates impairments of zero.
  public init() {}
}

/// The constants of the video score of the fourth model.
///
/// Fitted to VMAF (as seen) of 282 windows of 30 recorded calls, each call left out in turn: r 0.94, rho 0.84, 8
/// points; each clip left out: 0.93, 0.83, 9. By group: loss r 0.78, caps 0.96.
public struct PictureConstants: Sendable {
  /// Nepers at a VP8 quantiser of 100 of 127, and how much more coarse coding costs on a screen share, which must be
  /// legible.
  public var coding = 0.275
  public var screenCoding = 1.3
  /// Estimated quantiser if none is reported, on VP8's scale: at 0.1 bits per pixel, decrease per neper of bits,
  /// maximum.
  public var quantiserAtTenth = 33.0
  public var quantiserPerNeper = 20.0
  public var highestGuess = 110.0
  /// Nepers per neper of missing pixels, and the minimum reference size for a camera.
  public var resolution = 0.32
  public var minPixels = 640.0 * 360
  /// Uneven frame intervals, ms: the deviation that is free, the one that costs `stutter` ln 2, the maximum that
  /// counts.
  public var stutter = 0.28
  public var freeDeviationMs = 8.0
  public var halfDeviationMs = 40.0
  public var maxDeviationMs = 1000.0
  /// Likewise for the range of the delay within the interval, ms. For a screen share, uneven intervals count only in
  /// proportion to that range.
  public var drift = 0.54
  public var freeDriftMs = 40.0
  public var halfDriftMs = 500.0
  public var maxDriftMs = 5000.0
  public var screenDriftMs = 100.0
  /// Intervals longer than usual: nepers per neper, the amount that is free, the maximum that counts as usual, ms.
  public var rate = 0.3
  public var freeRate = 0.02
  public var longestUsualMs = 100.0
  /// Time without a moving picture: weight, and the maximum effective share.
  public var dark = 0.8
  public var maxDark = 0.98
  /// The start of a stream, while the sender ramps up: nepers at its first instant, and duration, s.
  public var start = 0.05
  public var startS = 5.0
  /// Share of lost packets that explains all of the stutter.
  public var explainingLoss = 0.02
  /// Invisible nepers: VMAF does not distinguish a clean picture from a perfect one.
  public var unseen = 0.06
  /// Share of the interval without a moving picture from which the score is 0.
  public var dead = 0.99

  /// The constants of the fourth model.
  public init() {}
}

/// The video score of the fourth model: nepers by cause, less an invisible amount, and the quality of the frames
/// themselves.
struct PictureScore {
  let medium: MediumScore
  /// Quality of the frames after coding and scaling, 0–100; nil if nothing is known of their coding.
  let frameQuality: Double?

  init(_ impairments: VideoImpairments, _ picture: PictureImpairments, _ c: PictureConstants) {
    let frozen = share(impairments.freezeShare ?? 0)
    let wait = share(picture.waitShare)
    let coding = Self.coding(picture, c)
    let resolution = Self.resolution(impairments, picture, c)
    frameQuality = coding.map { 100 * exp(-$0 - resolution) }
    if impairments.dead || frozen + wait >= c.dead {
      medium = MediumScore(listening: 0, conversing: 0, lost: [.freeze: 100])
      return
    }
    var nepers: ByCause<Double> = [:]
    let age = picture.ageS.map { max(0, 1 - max(0, $0) / c.startS) } ?? 0
    // A sender that is ramping up codes coarsely at first.
    nepers[.coding] = (coding ?? 0) + c.start * age
    nepers[.resolution] = resolution
    let drift = max(0, picture.driftMs ?? 0)
    var stutter =
      c.stutter
      * log1p(
        min(c.maxDeviationMs, max(0, (picture.intervalDeviationMs ?? 0) - c.freeDeviationMs))
          / c.halfDeviationMs)
    if picture.isScreen { stutter *= min(1, drift / c.screenDriftMs) }
    let moved = c.drift * log1p(min(c.maxDriftMs, max(0, drift - c.freeDriftMs)) / c.halfDriftMs)
    // Without loss counters, stutter is attributed to its visible effect, the frame rate.
    let byLoss = min(1, share(impairments.lossShare ?? 0) / c.explainingLoss)
    nepers[.loss] = byLoss * stutter
    nepers[.framerate] = (1 - byLoss) * stutter + moved + Self.rate(picture, c)
    let dark = min(1, frozen + wait)
    nepers[.freeze] = -c.dark * log(1 - c.maxDark * dark)
    if let bps = impairments.bps, let reference = impairments.bpsReference, reference > bps {
      nepers[.bitrate] = -log(max(0.01, 1 - 0.2 * log(reference / max(1, bps))))
    }
    // The invisible amount is taken from all causes in proportion.
    let sum = nepers.sum
    let seen = sum > 0 ? max(0, sum - c.unseen) / sum : 0
    nepers = nepers.mapValues { $0 * seen }
    medium = MediumScore(nepers, delayMs: impairments.delayMs)
  }

  /// Nil if neither the quantiser nor the bits per pixel are known.
  private static func coding(_ picture: PictureImpairments, _ c: PictureConstants) -> Double? {
    let known = picture.qp.flatMap { QuantiserScale(codec: picture.codec)?.vp8($0) }
    let estimate = picture.bitsPerPixel.map { bits in
      let worth = max(0.001, bits * QuantiserScale.efficiency(of: picture.codec))
      return min(c.highestGuess, max(0, c.quantiserAtTenth - c.quantiserPerNeper * log(worth / 0.1)))
    }
    return (known ?? estimate).map { c.coding * $0 / 100 * (picture.isScreen ? c.screenCoding : 1) }
  }

  private static func resolution(
    _ impairments: VideoImpairments, _ picture: PictureImpairments, _ c: PictureConstants
  ) -> Double {
    guard let pixels = impairments.pixels, pixels > 0 else { return 0 }
    let learnt = max(picture.pixelsSeen ?? 0, picture.isScreen ? 0 : c.minPixels)
    return c.resolution * log(max(1, (picture.configuredPixels ?? learnt) / pixels))
  }

  private static func rate(_ picture: PictureImpairments, _ c: PictureConstants) -> Double {
    guard !picture.isScreen, let interval = picture.intervalMs, interval > 0 else { return 0 }
    let configured = picture.configuredFrameRate.map { 1000 / max(1, $0) }
    guard let usual = configured ?? picture.usualIntervalMs, usual > 0 else { return 0 }
    return c.rate * min(3, max(0, log(interval / min(c.longestUsualMs, usual)) - c.freeRate))
  }
}

/// Maps a codec's quantiser to VP8's: the two thresholds of libwebrtc's quality scaler and the ends of the scales
/// correspond, with linear interpolation in between.
struct QuantiserScale {
  private let marks: [Double]
  private static let vp8Marks: [Double] = [0, 29, 95, 127]

  /// Nil for a codec whose quantiser scale is unknown.
  init?(codec: String?) {
    switch codec?.lowercased() {
    case "vp8": marks = Self.vp8Marks
    case "vp9": marks = [0, 96, 185, 255]
    case "av1": marks = [0, 145, 205, 255]
    case "h264": marks = [0, 24, 37, 51]
    default: return nil
    }
  }

  /// The quantiser on VP8's scale, 0–127.
  func vp8(_ qp: Double) -> Double {
    guard qp > 0 else { return 0 }
    for place in 1..<marks.count where qp <= marks[place] {
      let (low, high) = (marks[place - 1], marks[place])
      let (from, to) = (Self.vp8Marks[place - 1], Self.vp8Marks[place])
      return from + (to - from) * (qp - low) / (high - low)
    }
    return Self.vp8Marks[3]
  }

  /// How many VP8 bits are worth one bit of this codec.
  static func efficiency(of codec: String?) -> Double {
    switch codec?.lowercased() {
    case "vp9": 1.2
    case "av1": 1.43
    default: 1
    }
  }
}
