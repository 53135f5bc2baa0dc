import Glibc

/// ITU-T G.107 (06/2015): the narrowband E-model, with default values for all inputs.
///
/// It is a planning tool: it predicts the average opinion on a connection, not what one caller heard.
public struct NarrowbandEModel: Sendable {
  /// Send, receive and sidetone loudness ratings, listener sidetone, D-values, dB.
  public var slr = 8.0
  public var rlr = 2.0
  public var stmr = 15.0
  public var ds = 3.0
  public var dr = 3.0
  /// Talker echo loudness rating and weighted echo path loss, dB.
  public var telr = 65.0
  public var wepl = 110.0
  /// Mean one-way delay of the echo path, round trip in the 4-wire loop, absolute delay in echo-free connections, ms.
  public var t = 0.0
  public var tr = 0.0
  public var ta = 0.0
  /// Quantisation distortion units.
  public var qdu = 1.0
  /// Equipment impairment, robustness against loss, loss in per cent, burst ratio.
  public var ie = 0.0
  public var bpl = 4.3
  public var ppl = 0.0
  public var burstR = 1.0
  /// Circuit noise dBm0p, noise floor dBmp, room noise at both sides dB(A).
  public var nc = -70.0
  public var nfor = -64.0
  public var ps = 35.0
  public var pr = 35.0
  /// Advantage of access.
  public var advantage = 0.0
  /// Delay sensitivity class: `sT` and `mT`.
  public var delaySensitivity = 1.0
  public var delayThreshold = 100.0

  /// The default connection, which rates 93.2.
  public init() {}

  /// Power addition of all noise sources, dBm0p.
  public var no: Double {
    let olr = slr + rlr
    let pre = pr + 10 * log10(1 + pow(10, (10 - (stmr + dr)) / 10))
    let nor = rlr - 121 + pre + 0.008 * (pre - 35) * (pre - 35)
    let far = ps - olr - ds - 14
    let nos = ps - slr - ds - 100 + 0.004 * far * far
    let nfo = nfor + rlr
    return 10 * log10([nc, nos, nor, nfo].reduce(0) { $0 + pow(10, $1 / 10) })
  }

  /// Basic signal-to-noise ratio.
  public var ro: Double { 15 - 1.5 * (slr + no) }

  /// Impairments that come with the voice signal itself.
  public var simultaneous: Double {
    let xolr = slr + rlr + 0.2 * (64 + no - rlr)
    let iolr = 20 * (pow(1 + pow(xolr / 8, 8), 1.0 / 8) - xolr / 8)
    let q = 37 - 15 * log10(qdu)
    let g = 1.07 + 0.258 * q + 0.0602 * q * q
    let y = (ro - 100) / 15 + 46 / 8.4 - g / 9
    let z = 46.0 / 30 - g / 40
    let iq = 15 * log10(1 + pow(10, y) + pow(10, z))
    return iolr + sidetone + iq
  }

  private var sidetone: Double {
    let stmro = -10 * log10(pow(10, -stmr / 10) + exp(-t / 4) * pow(10, -telr / 10))
    return 12 * pow(1 + pow((stmro - 13) / 6, 8), 1.0 / 8)
      - 28 * pow(1 + pow((stmro + 1) / 19.4, 35), 1.0 / 35)
      - 13 * pow(1 + pow((stmro - 3) / 33, 13), 1.0 / 13) + 29
  }

  /// Impairment by talker echo.
  public var talkerEcho: Double {
    guard t >= 1 else { return 0 }
    var terv = telr - 40 * log10((1 + t / 10) / (1 + t / 150)) + 6 * exp(-0.3 * t * t)
    if stmr < 9 { terv += sidetone / 2 }
    let re = 80 + 2.5 * (terv - 14)
    let roe = -1.5 * (no - rlr)
    let idte = ((roe - re) / 2 + sqrt((roe - re) * (roe - re) / 4 + 100) - 1) * (1 - exp(-t))
    return stmr > 20 ? sqrt(idte * idte + sidetone * sidetone) : idte
  }

  /// Impairment by listener echo.
  public var listenerEcho: Double {
    let rle = 10.5 * (wepl + 7) * pow(tr + 1, -0.25)
    return (ro - rle) / 2 + sqrt((ro - rle) * (ro - rle) / 4 + 169)
  }

  /// Impairment by absolute delay.
  public var delay: Double {
    delayImpairment(delayMs: ta, sensitivity: delaySensitivity, threshold: delayThreshold)
  }

  /// Impairment by the codec and by loss.
  public var equipment: Double {
    effectiveEquipmentImpairment(ie: ie, bpl: bpl, lossPercent: ppl, burstRatio: burstR, scale: 95)
  }

  /// The transmission rating R.
  public var rating: Double {
    ro - simultaneous - (talkerEcho + listenerEcho + delay) - equipment + advantage
  }
}

/// `Ie,eff` of G.107 (scale 95), G.107.1 (95) and G.107.2 (132).
public func effectiveEquipmentImpairment(
  ie: Double, bpl: Double, lossPercent: Double, burstRatio: Double = 1, scale: Double = 95
) -> Double {
  guard lossPercent > 0 else { return ie }
  return ie + (scale - ie) * lossPercent / (lossPercent / max(1e-9, burstRatio) + bpl)
}

/// ITU-T G.107 `Idd`: impairment of conversation by absolute delay, in points of the transmission rating R, 0 to 50.
///
/// - Parameters:
///   - delayMs: absolute one-way delay, mouth to ear (`Ta`).
///   - sensitivity: `sT` of the delay sensitivity class: 1 default, 0.55 low, 0.4 very low.
///   - threshold: `mT`, the delay in ms below which there is no impairment: 100, 120, 150.
public func delayImpairment(delayMs: Double, sensitivity: Double = 1, threshold: Double = 100) -> Double {
  guard delayMs > threshold, threshold > 0, sensitivity > 0 else { return 0 }
  let x = log2(delayMs / threshold)
  let n = 6 * sensitivity
  return max(0, 25 * (soft(x, n) - 3 * soft(x / 3, n) + 2))
}

/// (1 + x^n)^(1/n), without overflow for large x.
private func soft(_ x: Double, _ n: Double) -> Double {
  x <= 1 ? pow(1 + pow(x, n), 1 / n) : x * pow(1 + pow(x, -n), 1 / n)
}

/// The origin of a codec's equipment impairment.
public enum ImpairmentSource: String, Sendable {
  /// ITU-T G.113 Appendix I or IV.
  case itu
  /// Measured and published by others.
  case published
  /// Taken from a similar codec, because none is published.
  case assumed
}

/// Equipment impairment of a codec: its cost without loss, and its robustness to loss.
public struct CodecImpairment: Sendable, Equatable {
  public var scale: MOSScale
  /// `Ie` and `Bpl` (random loss, in per cent).
  public var ie: Double
  public var bpl: Double
  public var source: ImpairmentSource

  init(_ scale: MOSScale, _ ie: Double, _ bpl: Double, _ source: ImpairmentSource) {
    self.scale = scale
    self.ie = ie
    self.bpl = bpl
    self.source = source
  }

  /// The impairment of a codec at a bit rate.
  ///
  /// - Parameters:
  ///   - codec: RTP name, not case-sensitive. If it is nil, G.711 with concealment is assumed, or Opus at its clock rate,
  ///     which no telephone-band codec has.
  ///   - clockRate: RTP clock rate in Hz, if known.
  ///   - bps: payload bit rate, for codecs with several.
  /// - Returns: nil for a codec without a known impairment.
  public static func of(codec: String?, clockRate: Int? = nil, bps: Double?) -> CodecImpairment? {
    let kbps = bps.map { $0 / 1000 }
    switch codec?.lowercased() {
    case nil where clockRate == 48_000, "red" where clockRate == 48_000:
      var opus = of(codec: "opus", bps: bps)
      opus?.source = .assumed
      return opus
    case nil: return .init(.narrowband, 0, 25.1, .assumed)
    case "pcmu", "pcma": return .init(.narrowband, 0, 25.1, .itu)
    // Samples as they are.
    case "l16": return .init(clockRate ?? 8000 < 16_000 ? .narrowband : .wideband, 0, 25.1, .assumed)
    case "g729", "g729a": return .init(.narrowband, 11, 19, .itu)
    case "g723": return .init(.narrowband, kbps ?? 6.3 < 5.8 ? 19 : 15, 16.1, .itu)
    // Of these, G.113 Appendix I has no `Bpl`.
    case "g726-40", "aal2-g726-40": return .init(.narrowband, 2, 10, .assumed)
    case "g726-32", "aal2-g726-32", "g721": return .init(.narrowband, 7, 10, .assumed)
    case "g726-24", "aal2-g726-24": return .init(.narrowband, 25, 10, .assumed)
    case "g726-16", "aal2-g726-16": return .init(.narrowband, 50, 10, .assumed)
    case "g728": return .init(.narrowband, 7, 10, .assumed)
    case "qcelp": return .init(.narrowband, 21, 10, .assumed)
    case "evrc", "evrc0": return .init(.narrowband, 6, 10, .assumed)
    case "gsm-hr-08": return .init(.narrowband, 23, 10, .assumed)
    case "gsm-efr": return .init(.narrowband, 5, 10, .itu)
    case "gsm": return .init(.narrowband, 20, 10, .assumed)
    case "amr": return .init(.narrowband, 5, 10, .assumed)
    case "ilbc": return .init(.narrowband, 11, 32, .published)
    case "g722": return g722
    case "amr-wb": return nearest(amrWideband, kbps ?? 12.65)
    case "evs": return nearest(evs, kbps ?? 24.4)
    case "opus":
      guard let kbps else { return usualOpus }
      return nearest(opus, kbps)
    default: return nil
    }
  }

  private static func nearest(_ table: [(Double, CodecImpairment)], _ kbps: Double) -> CodecImpairment {
    let best = table.min { abs($0.0 - kbps) < abs($1.0 - kbps) }
    return best?.1 ?? .init(.narrowband, 0, 25.1, .assumed)
  }

  /// Always 64 kbit/s over RTP (RFC 3551 section 4.5.2); a lower mean is due to comfort noise. G.113 Appendix IV lists
  /// no `Bpl` for it, so that of AMR-WB is used.
  private static let g722 = CodecImpairment(.wideband, 13, 4.5, .assumed)

  /// G.113 Appendix IV, diotic, random loss; a single published `Bpl` is used for neighbouring rates too.
  private static let amrWideband: [(Double, CodecImpairment)] = [
    (6.6, .init(.wideband, 56, 4.3, .assumed)), (8.85, .init(.wideband, 41, 4.3, .assumed)),
    (12.65, .init(.wideband, 20, 4.3, .itu)), (15.85, .init(.wideband, 17, 4.5, .assumed)),
    (23.05, .init(.wideband, 8, 4.6, .itu)), (23.85, .init(.wideband, 10, 4.9, .itu)),
  ]

  /// EVS super-wideband, published fits on the fullband scale.
  private static let evs: [(Double, CodecImpairment)] = [
    (9.6, .init(.fullband, 22.7, 13, .published)), (13.2, .init(.fullband, 17.1, 11.7, .published)),
    (16.4, .init(.fullband, 10.8, 10.3, .published)), (24.4, .init(.fullband, 7.2, 11.4, .published)),
    (32, .init(.fullband, 8.7, 9.3, .published)), (48, .init(.fullband, 10.2, 9.6, .published)),
  ]

  /// The usual rate of browsers for speech, 32 kbit/s, if the rate is unknown.
  private static let usualOpus: CodecImpairment = {
    var usual = nearest(opus, 32)
    usual.source = .assumed
    return usual
  }()

  /// Opus super-wideband VBR, below that narrowband and wideband: Alahmadi, Pocta, Melvin, ACM TOMM 17(4), 2021.
  private static let opus: [(Double, CodecImpairment)] = [
    (6, .init(.narrowband, 23.0, 24.6, .published)), (9, .init(.narrowband, 11.7, 18.9, .published)),
    (11, .init(.wideband, 28.4, 23.9, .published)), (12, .init(.wideband, 23.3, 22.2, .published)),
    (13, .init(.wideband, 20.0, 19.5, .published)), (16, .init(.fullband, 30.2, 11.8, .published)),
    (19, .init(.fullband, 23.8, 10.7, .published)), (22, .init(.fullband, 20.2, 10.5, .published)),
    (25, .init(.fullband, 20.2, 11.3, .published)), (28, .init(.fullband, 18.5, 10.6, .published)),
    (31, .init(.fullband, 16.8, 10.4, .published)), (34, .init(.fullband, 14.8, 10.1, .published)),
    (37, .init(.fullband, 12.1, 10.4, .published)), (40, .init(.fullband, 10.7, 9.8, .published)),
  ]
}

/// ITU-T G.107 Annex B: mean opinion score (1 to 4.5) for a transmission rating.
///
/// Clamped, because the cubic falls below 1 for small R.
public func meanOpinionScore(rating r: Double) -> Double {
  guard r > 0 else { return 1 }
  guard r < 100 else { return 4.5 }
  return max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6)
}

/// The three scales of the E-model. Values on different scales must never be averaged or compared.
public enum MOSScale: String, Sendable, CaseIterable {
  case narrowband = "NB"
  case wideband = "WB"
  case fullband = "FB"

  /// The rating of a perfect connection.
  public var best: Double {
    switch self {
    case .narrowband: 93.2
    case .wideband: 129
    case .fullband: 148
    }
  }

  /// Maximum impairment by loss in addition to the codec's own.
  var lossScale: Double { self == .fullband ? 132 : 95 }

  /// Factor for ratings and delay impairment compared with the narrowband scale.
  var stretch: Double {
    switch self {
    case .narrowband: 1
    case .wideband: 1.29
    case .fullband: 1.48
    }
  }
}
