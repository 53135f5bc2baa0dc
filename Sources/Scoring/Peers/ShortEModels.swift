import CallModel

/// The copied short forms of the E-model, in which latency stands for delay and per cent of loss is linear.
extension PeerModel {
  /// `eff = rtt + 2 jitter + 10; R = 93.2 - eff/40` below 160, `93.2 - (eff-120)/10` above; `R -= 2.5 loss%`.
  ///
  /// The form of PingPlotter, in webrtc-issue-detector (c21f383) and many others; missing round trip counts as 0.
  func pingPlotterVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let form = ShortForm(base: 93.2, stream: stream, lossWeight: 2.5, loss: loss)
    let mos = opinionScore(rating: form.rating)
    return Verdict(score: (mos - 1) / 3.5 * 100, label: "MOS \(twoDecimals(mos))", parts: form.parts)
  }

  /// Twilio Voice JS `lib/twilio/rtc/mos.ts` (34709fe) and its warnings: rtt > 400 ms, jitter > 30 ms, loss > 1 %, MOS < 3.
  func twilioVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare, let trip = stream.roundTripMs, let jitter = stream.jitterMs else {
      return nil
    }
    let form = ShortForm(base: 94.768, stream: stream, lossWeight: 2.5, loss: loss)
    var rating = form.withoutLoss
    if 100 * loss > rating / 2.5 { rating = 0 } else { rating = max(rating - 2.5 * 100 * loss, 6.52) }
    if form.latency >= 1000 { rating = min(rating, 6.52) }
    let mos = opinionScore(rating: rating)
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
    // The parabola is only meant for ratings that calls reach; below its vertex it would rise again.
    let quality = base > 77.5 ? 0.18 * base * base - 27.9 * base + 1126.62 : 45.5
    let mos = opinionScore(rating: quality - late)
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
