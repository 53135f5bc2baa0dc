import CallModel
import Glibc

/// What harmed a picture in one interval, as the fourth version sees it: how coarsely it is coded, how unevenly its frames come, how
/// long it stood still or was not there. Nil is unknown and costs nothing.
public struct PictureImpairments: Sendable, Equatable {
  /// Codec name (`VP8`), nil if unknown.
  public var codec: String?
  /// Whether it is a screen that is shared.
  public var isScreen = false
  /// Since the stream's first media at the beginning of the interval, s.
  public var ageS: Double?
  /// Share of the interval from the first packet to the first picture, 0–1.
  public var waitShare: Double = 0
  /// The part of it that versions before the fourth took for a freeze.
  public var startFreezeShare: Double = 0
  /// Mean quantiser of the frames, on the codec's own scale.
  public var qp: Double?
  /// Payload without retransmissions, bits a pixel and frame.
  public var bitsPerPixel: Double?
  /// Mean interval between frames that are in no freeze, its usual length in this call, and its standard deviation, ms.
  public var intervalMs: Double?
  public var usualIntervalMs: Double?
  public var intervalDeviationMs: Double?
  /// By how much the delay of playout moved within the interval, ms; without playout timestamps that of decoding.
  public var driftMs: Double?
  /// The most pixels that the call has shown so far.
  public var pixelsSeen: Double?
  /// Pixels and frames a second that somebody configured; they take the place of what the call has shown.
  public var configuredPixels: Double?
  public var configuredFrameRate: Double?

  /// Nothing harmed it.
  public init() {}
}

/// The constants of the picture's score of the fourth version.
///
/// Fitted to VMAF (as seen) of 282 windows of 30 recorded calls, each call left out in turn: r 0.94, rho 0.84, 8 points. docs/scoring.md
/// has the figures by group and with clips left out.
public struct PictureConstants: Sendable {
  /// Nepers at a quantiser of 100 of 127 of VP8, and how much more coarse coding costs on a screen, which is read.
  public var coding = 0.275
  public var screenCoding = 1.3
  /// Quantiser on VP8's scale at 0.1 bits a pixel, how much it falls with each neper of bits, and the highest, where none is told.
  public var quantiserAtTenth = 33.0
  public var quantiserPerNeper = 20.0
  public var highestGuess = 110.0
  /// Nepers for each neper of pixels that are missing, and the size that a camera is held against at least.
  public var resolution = 0.32
  public var leastPixels = 640.0 * 360
  /// Uneven intervals, ms: what is free, what costs `stutter` ln 2, the most that counts.
  public var stutter = 0.28
  public var freeDeviationMs = 8.0
  public var halfDeviationMs = 40.0
  public var mostDeviationMs = 1000.0
  /// Movement of the delay within the interval, ms, likewise; a screen's intervals are stutter only as far as that moved.
  public var drift = 0.54
  public var freeDriftMs = 40.0
  public var halfDriftMs = 500.0
  public var mostDriftMs = 5000.0
  public var screenDriftMs = 100.0
  /// Longer intervals than usual: nepers each neper, what is free, the longest that counts as usual, ms.
  public var rate = 0.3
  public var freeRate = 0.02
  public var longestUsualMs = 100.0
  /// Time without a moving picture: weight, and the share of it that could be all.
  public var dark = 0.8
  public var mostDark = 0.98
  /// The beginning of a stream, in which a sender finds its rate: nepers at its first instant, and how long it takes, s.
  public var start = 0.05
  public var startS = 5.0
  /// Share of lost packets that explains all of the stutter.
  public var explainingLoss = 0.02
  /// Nepers that nobody sees: VMAF does not tell a clean picture from a perfect one.
  public var unseen = 0.06
  /// Share of the interval without a picture from which on there was none.
  public var dead = 0.99

  /// The constants of the fourth version.
  public init() {}
}

/// The score of a picture by the fourth version: nepers by cause, of which a few are seen by nobody, and the frames' own quality.
struct PictureScore {
  let medium: MediumScore
  /// What coding and size left of the frames themselves, 0–100; nil where nobody tells how they are coded.
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
    // A sender that looks for its rate codes coarsely first.
    nepers[.coding] = (coding ?? 0) + c.start * age
    nepers[.resolution] = resolution
    let drift = max(0, picture.driftMs ?? 0)
    var stutter =
      c.stutter
      * log1p(
        min(c.mostDeviationMs, max(0, (picture.intervalDeviationMs ?? 0) - c.freeDeviationMs))
          / c.halfDeviationMs)
    if picture.isScreen { stutter *= min(1, drift / c.screenDriftMs) }
    let moved = c.drift * log1p(min(c.mostDriftMs, max(0, drift - c.freeDriftMs)) / c.halfDriftMs)
    // Where nobody counts lost packets, stutter is told as what is seen of it: the rate of frames.
    let byLoss = min(1, share(impairments.lossShare ?? 0) / c.explainingLoss)
    nepers[.loss] = byLoss * stutter
    nepers[.framerate] = (1 - byLoss) * stutter + moved + Self.rate(picture, c)
    let dark = min(1, frozen + wait)
    nepers[.freeze] = -c.dark * log(1 - c.mostDark * dark)
    if let bps = impairments.bps, let reference = impairments.bpsReference, reference > bps {
      nepers[.bitrate] = -log(max(0.01, 1 - 0.2 * log(reference / max(1, bps))))
    }
    // What nobody sees is taken from all causes alike.
    let sum = nepers.sum
    let seen = sum > 0 ? max(0, sum - c.unseen) / sum : 0
    nepers = nepers.mapValues { $0 * seen }
    medium = MediumScore(nepers, delayMs: impairments.delayMs)
  }

  /// Nil where neither the quantiser nor the bits a pixel are known.
  private static func coding(_ picture: PictureImpairments, _ c: PictureConstants) -> Double? {
    let told = picture.qp.flatMap { QuantiserScale(codec: picture.codec)?.vp8($0) }
    let guess = picture.bitsPerPixel.map { bits in
      let worth = max(0.001, bits * QuantiserScale.efficiency(of: picture.codec))
      return min(c.highestGuess, max(0, c.quantiserAtTenth - c.quantiserPerNeper * log(worth / 0.1)))
    }
    return (told ?? guess).map { c.coding * $0 / 100 * (picture.isScreen ? c.screenCoding : 1) }
  }

  private static func resolution(
    _ impairments: VideoImpairments, _ picture: PictureImpairments, _ c: PictureConstants
  ) -> Double {
    guard let pixels = impairments.pixels, pixels > 0 else { return 0 }
    let learnt = max(picture.pixelsSeen ?? 0, picture.isScreen ? 0 : c.leastPixels)
    return c.resolution * log(max(1, (picture.configuredPixels ?? learnt) / pixels))
  }

  private static func rate(_ picture: PictureImpairments, _ c: PictureConstants) -> Double {
    guard !picture.isScreen, let interval = picture.intervalMs, interval > 0 else { return 0 }
    let configured = picture.configuredFrameRate.map { 1000 / max(1, $0) }
    guard let usual = configured ?? picture.usualIntervalMs, usual > 0 else { return 0 }
    return c.rate * min(3, max(0, log(interval / min(c.longestUsualMs, usual)) - c.freeRate))
  }
}

/// A codec's quantiser against that of VP8: the two thresholds between which libwebrtc's quality scaler takes codecs for alike, and
/// the ends of the scales, with straight lines between them.
struct QuantiserScale {
  private let marks: [Double]
  private static let vp8Marks: [Double] = [0, 29, 95, 127]

  /// Nil of a codec whose quantiser is not known.
  init?(codec: String?) {
    switch codec?.lowercased() {
    case "vp8": marks = Self.vp8Marks
    case "vp9": marks = [0, 96, 185, 255]
    case "av1": marks = [0, 145, 205, 255]
    case "h264": marks = [0, 24, 37, 51]
    default: return nil
    }
  }

  /// The quantiser on the scale of VP8, 0–127.
  func vp8(_ qp: Double) -> Double {
    guard qp > 0 else { return 0 }
    for place in 1..<marks.count where qp <= marks[place] {
      let (low, high) = (marks[place - 1], marks[place])
      let (from, to) = (Self.vp8Marks[place - 1], Self.vp8Marks[place])
      return from + (to - from) * (qp - low) / (high - low)
    }
    return Self.vp8Marks[3]
  }

  /// How many bits of VP8 one of its bits is worth.
  static func efficiency(of codec: String?) -> Double {
    switch codec?.lowercased() {
    case "vp9": 1.2
    case "av1": 1.43
    default: 1
    }
  }
}
