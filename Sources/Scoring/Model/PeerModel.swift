import CallModel
import Glibc

/// Scores and labels as published by others, for comparison with a vendor's dashboard.
///
/// Each model takes the means of a window. Smoothing over earlier samples, or waiting for several of them, is omitted,
/// because a window must be a function of its own inputs.
public enum PeerModel: Sendable, CaseIterable {
  case pingPlotter, twilio, liveKit, rtcscore, rtcscoreMended, jitsi, rtpengine, pexip, cqd, loss
  case eModelNarrowband, eModelOwnBand

  /// The result of a peer model for one stream.
  struct Verdict {
    /// 0–100; the peer's worst and best values are mapped to the ends.
    var score: Double
    /// The result in the peer's own words or numbers.
    var label: String
    /// What the formula subtracts, in its own units; only the proportions matter.
    var parts: ByCause<Double> = [:]
  }

  /// The verdict on one stream; nil if the model has none for such a stream, or if too little is known.
  func verdict(on stream: StreamFigures) -> Verdict? {
    switch (self, stream.kind) {
    case (.pingPlotter, .audio): pingPlotterVerdict(stream)
    case (.twilio, .audio): twilioVerdict(stream)
    case (.liveKit, _): liveKitVerdict(stream)
    case (.rtcscore, .audio): rtcscoreAudioVerdict(stream, mended: false)
    case (.rtcscoreMended, .audio): rtcscoreAudioVerdict(stream, mended: true)
    case (.rtcscore, .video), (.rtcscoreMended, .video): rtcscoreVideoVerdict(stream)
    case (.jitsi, .audio): jitsiVerdict(stream)
    case (.rtpengine, .audio): rtpengineVerdict(stream)
    case (.pexip, _): pexipVerdict(stream)
    case (.cqd, _): cqdVerdict(stream)
    case (.loss, _): lossVerdict(stream)
    case (.eModelNarrowband, .audio): eModelVerdict(stream, narrowband: true)
    case (.eModelOwnBand, .audio): eModelVerdict(stream, narrowband: false)
    default: nil
    }
  }

  /// The score of the medium, with points lost in proportion to what the formula subtracted.
  func mediumScore(_ stream: StreamFigures) -> (score: MediumScore, label: String)? {
    guard let verdict = verdict(on: stream) else { return nil }
    let score = min(100, max(0, verdict.score))
    let sum = Cause.allCases.reduce(0) { $0 + max(0, verdict.parts[$1] ?? 0) }
    var lost: ByCause<Double> = [:]
    for cause in Cause.allCases {
      guard sum > 0 else { break }
      lost[cause] = (100 - score) * max(0, verdict.parts[cause] ?? 0) / sum
    }
    if sum <= 0, score < 100 { lost = [.loss: 100 - score] }
    return (MediumScore(listening: score, conversing: score, lost: lost), verdict.label)
  }
}

/// A number with two decimals, independent of the locale, for labels.
func twoDecimals(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// ggarber/rtcscore (c1c277c): 1 to 5 for audio and video, with and without its missing bracket.
extension PeerModel {
  /// `Id` for delays from 151 to 1150 ms was meant to be `0.1 (delay - 150)` but is written as `0.1 delay - 150`, so
  /// that long delay raises the score.
  func rtcscoreAudioVerdict(_ stream: StreamFigures, mended: Bool) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let percent = 100 * loss
    let delay = 20 + (stream.bufferMs ?? 50) + (stream.roundTripMs ?? 50) / 2
    let ie = stream.discontinuous ? 8 : stream.bps.map { min(30, max(0, 55 - 4.6 * log(max(1, $0)))) } ?? 6
    let bpl = stream.errorCorrection ? 20.0 : 10
    let loss100 = ie + (100 - ie) * percent / (percent + bpl)
    let beyond = delay > 150 ? (mended ? 0.1 * (delay - 150) : 0.1 * delay - 150) : 0
    let late = 0.03 * delay + beyond
    let mos = meanOpinionScore(rating: min(100, max(0, 100 - loss100 - late)))
    return Verdict(
      score: (mos - 1) / 4 * 100, label: "\(twoDecimals(mos)) of 5",
      parts: [.loss: loss100 - ie, .delay: late, .bitrate: ie])
  }

  /// `0.56 ln(bits per pixel and frame) + 5.36 - 1.9 ln(expected / actual rate) - 0.002 delay`.
  func rtcscoreVideoVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let bps = stream.bps, let pixels = stream.pixels, pixels > 0, let rate = stream.framesPerSecond
    else {
      return nil
    }
    guard rate > 0 else { return Verdict(score: 0, label: "1.00 of 5", parts: [.freeze: 1]) }
    let factor = stream.codec?.lowercased() == "vp9" ? 1.2 : stream.codec?.lowercased() == "av1" ? 1.43 : 1
    let expected = max(rate, stream.video?.frameRateReference ?? rate)
    let base = min(5, max(1, 0.56 * log(max(1e-9, factor * bps / pixels / rate)) + 5.36))
    let slow = 1.9 * log(expected / rate)
    let late = 0.002 * ((stream.bufferMs ?? 0) + (stream.roundTripMs ?? 0) / 2)
    let mos = min(5, max(1, base - slow - late))
    return Verdict(
      score: (mos - 1) / 4 * 100, label: "\(twoDecimals(mos)) of 5",
      parts: [.bitrate: 5 - base, .framerate: slow, .delay: late])
  }
}

/// Widely copied short forms of the E-model, in which latency is used for delay and loss in per cent has a linear
/// effect.
extension PeerModel {
  /// `eff = rtt + 2 jitter + 10; R = 93.2 - eff/40` below 160, `93.2 - (eff-120)/10` above; `R -= 2.5 loss%`.
  ///
  /// PingPlotter's form, also in webrtc-issue-detector (c21f383) and many others; a missing round trip counts as 0.
  func pingPlotterVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let form = ShortForm(base: 93.2, stream: stream, lossWeight: 2.5, loss: loss)
    let mos = meanOpinionScore(rating: form.rating)
    return Verdict(score: (mos - 1) / 3.5 * 100, label: "MOS \(twoDecimals(mos))", parts: form.parts)
  }

  /// Twilio Voice JS `lib/twilio/rtc/mos.ts` (34709fe) and its warnings: rtt > 400 ms, jitter > 30 ms, loss > 1 %, MOS
  /// < 3.
  func twilioVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare, let trip = stream.roundTripMs, let jitter = stream.jitterMs else {
      return nil
    }
    let form = ShortForm(base: 94.768, stream: stream, lossWeight: 2.5, loss: loss)
    var rating = form.withoutLoss
    if 100 * loss > rating / 2.5 { rating = 0 } else { rating = max(rating - 2.5 * 100 * loss, 6.52) }
    if form.latency >= 1000 { rating = min(rating, 6.52) }
    let mos = meanOpinionScore(rating: rating)
    var warnings: [String] = []
    if trip > 400 { warnings.append("high-rtt") }
    if jitter > 30 { warnings.append("high-jitter") }
    if loss > 0.01 { warnings.append("high-packet-loss") }
    if mos < 3 { warnings.append("low-mos") }
    return Verdict(
      score: (mos - 1) / 3.5 * 100,
      label: (["MOS \(twoDecimals(mos))"] + warnings).joined(separator: " "), parts: form.parts)
  }

  /// sipwise/rtpengine `daemon/ssrc.c` (e8b8212), default form: `r = 93.2 - loss%`, `0.18 r^2 - 27.9 r + 1126.62 - Id`.
  func rtpengineVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare, let trip = stream.roundTripMs else { return nil }
    let base = 93.2 - min(100 * loss, 93.2)
    let delay = trip / 2 + (stream.jitterMs ?? 0)
    let late = 0.024 * delay + (delay > 177.3 ? 0.11 * (delay - 177.3) : 0)
    // The parabola only holds for ratings that calls reach; below its vertex it would rise again.
    let quality = base > 77.5 ? 0.18 * base * base - 27.9 * base + 1126.62 : 45.5
    let mos = meanOpinionScore(rating: quality - late)
    return Verdict(
      score: (mos - 1) / 3.5 * 100, label: "MOS \(twoDecimals(mos))",
      parts: [.loss: 100 * loss, .delay: late])
  }

  private struct ShortForm {
    let latency: Double
    let withoutLoss: Double
    let rating: Double
    let parts: ByCause<Double>

    init(base: Double, stream: StreamFigures, lossWeight: Double, loss: Double) {
      let jitter = 2 * (stream.jitterMs ?? 0)
      let trip = stream.roundTripMs ?? 0
      latency = trip + jitter + 10
      let taken = latency < 160 ? latency / 40 : (latency - 120) / 10
      withoutLoss = base - taken
      rating = withoutLoss - lossWeight * 100 * loss
      parts = [
        .loss: lossWeight * 100 * loss, .jitter: taken * jitter / latency,
        .delay: taken * (trip + 10) / latency,
      ]
    }
  }
}
