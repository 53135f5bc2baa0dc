import CallModel

/// Scores and labels as others publish them, for comparison with a vendor's dashboard.
///
/// Each takes the means of the window; where the original smooths over earlier samples or waits for several, that is
/// left out, because a window must be a function of its own inputs.
public enum PeerModel: Sendable, CaseIterable {
  case pingPlotter, twilio, liveKit, rtcscore, rtcscoreMended, jitsi, rtpengine, pexip, cqd, loss
  case eModelNarrowband, eModelOwnBand

  /// What a peer says of one stream.
  struct Verdict {
    /// 0–100, the peer's best and worst mapped to the ends.
    var score: Double
    /// In the peer's own words or numbers.
    var label: String
    /// What the formula takes off, in its own units: only the proportions count.
    var parts: ByCause<Double> = [:]
  }

  /// The verdict on one stream; nil where the peer has none for such a stream, or not enough is known.
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

  /// The medium's score, points taken off in proportion to what the formula took.
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

/// A number in a label, with two decimals and no locale.
func twoDecimals(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}
