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
