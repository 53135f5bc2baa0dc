import CallModel

/// What an end lived through, summed over its scored windows.
struct EndTotals {
  /// Milliseconds in windows whose listening quality, or picture, was poor.
  var brokenAudioMs = 0.0
  /// Milliseconds in scored windows that have sound.
  var audioMs = 0.0
  var brokenVideoMs = 0.0
  /// Milliseconds the picture stood still.
  package var frozenMs = 0.0
  /// Means over the scored windows that know them.
  package var inputs = WindowInputs()

  package init(_ windows: [Window]) {
    let scored = windows.filter { $0.score != nil }
    for window in scored {
      let length = window.endMs - window.startMs
      if let audio = window.audioLQ {
        audioMs += length
        if audio < QualityBand.poorBelow { brokenAudioMs += length }
      }
      if let video = window.video, video < QualityBand.poorBelow { brokenVideoMs += length }
      if let share = window.inputs.freezeShare { frozenMs += share * length }
    }
    func mean(_ value: (WindowInputs) -> Double?) -> Double? {
      let known = scored.compactMap { value($0.inputs) }
      return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }
    inputs.lossShare = mean(\.lossShare)
    inputs.concealedShare = mean(\.concealedShare)
    inputs.delayMs = mean(\.delayMs)
    inputs.rttMs = mean(\.rttMs)
    inputs.freezeShare = mean(\.freezeShare)
    inputs.frameRate = mean(\.frameRate)
    inputs.height = mean(\.height)
    inputs.bitrateBps = mean(\.bitrateBps)
  }

  /// What was lost and made up of a medium, 0–1: of the worst stream as `hears` and `sees` tell it, for one figure is enough
  /// for one thing; else the means of windows.
  /// `wire` is what a capture there missed of the same stream, nil without one.
  package func shares(of end: EndAccount, _ kind: MediaKind) -> (
    lost: Double?, concealed: Double?, wire: Double?
  ) {
    let worst = StreamRanking.worst(end, kind).first
    let captured = end.streams.first {
      $0.source == .capture && $0.direction == .inbound && $0.ssrc != nil && $0.ssrc == worst?.ssrc
    }
    return (
      worst.flatMap(StreamWords.lossShare) ?? inputs.lossShare,
      kind == .audio ? worst?.concealedShare ?? inputs.concealedShare : nil,
      captured.flatMap(StreamWords.lossShare)
    )
  }
}

extension ScoreFigures {
  /// Score and points as they are shown together.
  package var whole: PointRounding? { PointRounding(score: mean, lost: pointsLost) }

  /// Causes that took at least a point, the greatest first, with points that make 100 with the score.
  package var causes: [(cause: Cause, points: Int)] { whole?.causes ?? [] }
}

/// A score and the points that each cause took, in whole numbers that make 100 together.
///
/// Rounded one by one they would make 99 or 101. The score is rounded as everywhere; what is left of 100 is shared out by
/// the method of the largest remainder.
package struct PointRounding {
  package let score: Int
  package let lost: ByCause<Int>
  /// Causes that took a point or more, the greatest first, also of those that are the same when rounded.
  package let causes: [(cause: Cause, points: Int)]

  /// Nil where the two do not make 100 before they are rounded: then they are not of the same windows.
  package init?(score exact: Double, lost points: ByCause<Double>) {
    let values = Cause.allCases.map { points[$0] ?? 0 }
    guard (0...100).contains(exact), values.allSatisfy({ (0...100).contains($0) }),
      abs(exact + values.reduce(0, +) - 100) < 0.01
    else { return nil }
    score = Int(exact.rounded())
    // A mean of whole numbers may lie a hair below the whole number that it is.
    let floors = values.map { ($0 + 1e-9).rounded(.down) }
    let ranked = values.indices.sorted {
      (floors[$0] - values[$0], $0) < (floors[$1] - values[$1], $1)
    }
    let rest = max(0, 100 - score - floors.reduce(0) { $0 + Int($1) })
    let raised = Set(ranked.prefix(rest))
    var whole: ByCause<Int> = [:]
    for (place, cause) in Cause.allCases.enumerated() {
      whole[cause] = Int(floors[place]) + (raised.contains(place) ? 1 : 0)
    }
    lost = whole
    causes = Cause.allCases.enumerated().sorted {
      (-values[$0.offset], $0.offset) < (-values[$1.offset], $1.offset)
    }.compactMap { entry in
      whole[entry.element].flatMap { $0 > 0 ? (cause: entry.element, points: $0) : nil }
    }
  }
}
