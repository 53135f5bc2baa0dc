import CallModel
import Rendering

/// What would raise the score of an end most: the call without its worst time, or, where all of it is impaired, without
/// one cause.
struct ImprovementWords {
  private let end: EndAccount
  private let zeroMs: Double

  init?(_ end: EndAccount, from zeroMs: Double?) {
    guard let zeroMs else { return nil }
    (self.end, self.zeroMs) = (end, zeroMs)
  }

  /// Fewest points that are worth a sentence.
  private static let minPoints = 5.0
  /// Points from which a window is impaired.
  private static let minLost = 5
  /// Share of the scored windows from which impairments last throughout.
  private static let throughout = 0.9

  /// `Without the 15 s from 0:10 the score would be 96.` or `Without jitter the score would be 88.` Nil if neither would
  /// gain much, or if all is impaired by one cause.
  var sentence: String? {
    guard let score = end.score, let worst = impaired.max(by: { $0.lost < $1.lost }) else { return nil }
    let scored = end.windows.count { $0.score != nil }
    func words(_ what: String, _ points: Double) -> String? {
      points >= Self.minPoints
        ? "Without \(what) the score would be \(Measure.points(min(100, score.mean + points)))." : nil
    }
    guard Double(worst.windows) >= Self.throughout * Double(scored) else {
      return words(
        "the \(Measure.duration(worst.endMs - worst.startMs)) from \(Measure.clock(max(0, worst.startMs - zeroMs)))",
        Double(worst.lost) / Double(scored))
    }
    guard score.causes.count > 1, let first = score.causes.first else { return nil }
    return words(first.cause.words, Double(first.points))
  }

  /// Consecutive windows that lost points, and how many in all.
  private var impaired: [(startMs: Double, endMs: Double, windows: Int, lost: Int)] {
    var times: [(startMs: Double, endMs: Double, windows: Int, lost: Int)] = []
    for window in end.windows {
      guard let score = window.score, 100 - score >= Self.minLost else { continue }
      if let last = times.last, window.startMs - last.endMs < 1 {
        times[times.count - 1] = (last.startMs, window.endMs, last.windows + 1, last.lost + 100 - score)
      } else {
        times.append((window.startMs, window.endMs, 1, 100 - score))
      }
    }
    return times
  }
}
