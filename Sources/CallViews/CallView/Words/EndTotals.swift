import CallModel
import Rendering

/// Totals of an end over its scored windows.
struct EndTotals {
  /// Total length of windows in which all sound was missed, ms.
  var missedAudioMs = 0.0
  /// Total length of windows with poor listening quality, ms, and below with poor video.
  var brokenAudioMs = 0.0
  /// Total length of scored windows with audio, ms.
  var audioMs = 0.0
  var brokenVideoMs = 0.0
  /// Time in which video was frozen, ms.
  package var frozenMs = 0.0
  /// Means over the scored windows that have the value.
  package var inputs = WindowInputs()

  package init(_ windows: [Window]) {
    let scored = windows.filter { $0.score != nil }
    for window in scored {
      let length = window.endMs - window.startMs
      if let audio = window.audioLQ {
        audioMs += length
        if audio == 0 {
          missedAudioMs += length
        } else if window.isPoorSound {
          brokenAudioMs += length
        }
      }
      if window.isPoorPicture { brokenVideoMs += length }
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

  /// What was seen of a picture that was not good, of which some time came nothing at all; nil if it was good.
  func pictureWords(unseenMs: Double) -> String? {
    if frozenMs >= 500 { return "saw the picture stand still for \(Measure.duration(frozenMs))" }
    guard brokenVideoMs > 0 else { return nil }
    return unseenMs > brokenVideoMs / 2
      ? "saw no picture for \(Measure.duration(unseenMs))"
      : "saw \(Measure.duration(brokenVideoMs)) of poor picture"
  }

  /// Shares of a medium lost and concealed, 0–1: those of the worst stream, so that they agree with `hears` and `sees`;
  /// otherwise the means of windows. `asSilence` says how much of the concealment was silence, and `wire` is the loss of
  /// the same stream in a capture at this end; nil without one.
  package func shares(of end: EndAccount, _ kind: MediaKind) -> (
    lost: Double?, concealed: Double?, asSilence: String?, wire: Double?
  ) {
    let worst = StreamRanking.worst(end, kind).first
    let captured = end.streams.first {
      $0.source == .capture && $0.direction == .inbound && $0.ssrc != nil && $0.ssrc == worst?.ssrc
    }
    return (
      worst.flatMap(StreamWords.lossShare) ?? inputs.lossShare,
      kind == .audio ? worst?.concealedShare ?? inputs.concealedShare : nil,
      worst.flatMap { stream in stream.concealedShare.map { StreamWords.asSilence(stream, of: $0) } },
      captured.flatMap(StreamWords.lossShare)
    )
  }
}

extension ScoreFigures {
  /// Score and points as displayed together.
  package var whole: PointRounding? { PointRounding(score: mean, lost: pointsLost) }

  /// Causes with at least one point, the largest first; the points add up to 100 with the score.
  package var causes: [(cause: Cause, points: Int)] { whole?.causes ?? [] }
}

/// A score and the points lost by cause, as integers that add up to 100.
///
/// Rounded separately they could add up to 99 or 101. The score is rounded as usual, and the rest of 100 is distributed
/// by the largest remainder method.
package struct PointRounding {
  package let score: Int
  package let lost: ByCause<Int>
  /// Causes with one point or more, ordered by their unrounded points.
  package let causes: [(cause: Cause, points: Int)]

  /// Nil if the two do not add up to 100 before rounding, because they are then from different windows.
  package init?(score exact: Double, lost points: ByCause<Double>) {
    let values = Cause.allCases.map { points[$0] ?? 0 }
    guard (0...100).contains(exact), values.allSatisfy({ (0...100).contains($0) }),
      abs(exact + values.reduce(0, +) - 100) < 0.01
    else { return nil }
    score = Int(exact.rounded())
    // The mean of integers may be slightly below an integer because of rounding errors.
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
