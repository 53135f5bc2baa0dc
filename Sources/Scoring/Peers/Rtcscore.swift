import CallModel
import Glibc

/// ggarber/rtcscore (c1c277c): 1 to 5 for audio and video, with and without its missing bracket.
extension PeerModel {
  /// `Id` for delays from 151 to 1150 ms was meant as `0.1 (delay - 150)` and written as `0.1 delay - 150`: long delay
  /// then raises the score.
  func rtcscoreAudioVerdict(_ stream: StreamFigures, mended: Bool) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let percent = 100 * loss
    let delay = 20 + (stream.bufferMs ?? 50) + (stream.roundTripMs ?? 50) / 2
    let ie = stream.discontinuous ? 8 : stream.bps.map { min(30, max(0, 55 - 4.6 * log(max(1, $0)))) } ?? 6
    let bpl = stream.errorCorrection ? 20.0 : 10
    let loss100 = ie + (100 - ie) * percent / (percent + bpl)
    let beyond = delay > 150 ? (mended ? 0.1 * (delay - 150) : 0.1 * delay - 150) : 0
    let late = 0.03 * delay + beyond
    let mos = opinionScore(rating: min(100, max(0, 100 - loss100 - late)))
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
