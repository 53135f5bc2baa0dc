import CallModel
import Rendering

/// Consecutive similarly impaired windows of one end.
struct ImpairedSpan {
  package var startMs: Double
  package var endMs: Double
  package var windows: [Window]

  package var lengthMs: Double { endMs - startMs }
  package var figures: ScoreFigures? { ScoreFigures(windows) }

  /// The worst stretches, worst first: windows below 80, joined while their scores stay within 15 points.
  package static func worst(_ windows: [Window]) -> [ImpairedSpan] {
    let stretches = joined(windows, where: { $0.score ?? 100 < 80 }) { stretch, window in
      guard let mean = stretch.figures?.mean, let score = window.score else { return false }
      return abs(mean - Double(score)) <= 15
    }
    return stretches.sorted { ($0.figures?.mean ?? 0) < ($1.figures?.mean ?? 0) }
  }

  /// Consecutive windows of poor audio or video, in order, as counted for poor listening and viewing time.
  package static func poor(_ windows: [Window], _ isPoor: (Window) -> Bool) -> [ImpairedSpan] {
    joined(windows, where: isPoor)
  }

  /// Whether it covers all or nearly all scored windows of an end, so that it is no particular moment.
  func isThroughout(_ all: [Window]) -> Bool {
    let scored = all.filter { $0.score != nil }
    return windows.count > 1 && Double(windows.count) >= 0.9 * Double(scored.count)
  }

  /// The selected windows; consecutive similar ones are joined.
  private static func joined(
    _ windows: [Window], where isMeant: (Window) -> Bool,
    areAlike: (ImpairedSpan, Window) -> Bool = { _, _ in true }
  ) -> [ImpairedSpan] {
    var stretches: [ImpairedSpan] = []
    for window in windows where isMeant(window) {
      if let last = stretches.last, abs(last.endMs - window.startMs) < 1, areAlike(last, window) {
        stretches[stretches.count - 1].windows.append(window)
        stretches[stretches.count - 1].endMs = window.endMs
      } else {
        stretches.append(ImpairedSpan(startMs: window.startMs, endMs: window.endMs, windows: [window]))
      }
    }
    return stretches
  }

  /// Whether nothing arrived throughout, as opposed to something that was not played or held nothing.
  private var isLost: Bool {
    windows.allSatisfy { $0.state == .stalled && ($0.pointsLost?[.loss] ?? 0) > 0 }
  }

  /// `score 25: loss -25, framerate -16`.
  package var briefWords: String {
    guard let figures else { return "" }
    let parts = figures.causes.prefix(3).map { "\($0.cause.rawValue) -\($0.points)" }
    let nothing = isLost ? " (nothing arrived)" : ""
    return "score \(CellText.fixed(figures.mean, decimals: 0))\(nothing): \(parts.joined(separator: ", "))"
  }

  /// `score 41: 38 points lost to loss (9.6 % lost on the wire towards the callee), 21 to freezes (…)`. For the
  /// parameters see `Cause.evidence`.
  package func words(
    at end: String, place: LossPlace = .inTransit, isEstimated: Bool = false, unsent: SpanSet = SpanSet([])
  ) -> String {
    guard let figures else { return "" }
    let inputs = EndTotals(windows).inputs
    let name = EndWords.name(end)
    let unsentMs = unsent.covered(from: startMs, to: endMs)
    let parts = figures.causes.prefix(3).enumerated().map { index, part in
      let evidence =
        part.cause.evidence(
          inputs, at: name, place: place, isEstimated: isEstimated, unsentMs: unsentMs, of: lengthMs
        ).map { " (\($0))" } ?? ""
      let points = index == 0 ? "\(Plural.of(part.points, "point")) lost" : "\(part.points)"
      return "\(points) to \(part.cause.words)\(evidence)"
    }
    let nothing = isLost ? " (nothing arrived)" : ""
    return "score \(CellText.fixed(figures.mean, decimals: 0))\(nothing)"
      + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
  }
}

/// Where packets that did not arrive at an end were lost, as far as captures show.
package enum LossPlace {
  case inTransit
  /// According to the receiver's reports, the capture missed some.
  case perhapsNotCaptured
  /// A capture at the sender lacks them as well: the sender could not send them.
  case neverSent
}

extension ScoreCaveats {
  /// Where the packets missing at an end were lost.
  func lossPlace(_ end: EndAccount) -> LossPlace {
    if captureMissed(end) { return .perhapsNotCaptured }
    return WireWords(account).wasNeverSent(to: end) ? .neverSent : .inTransit
  }

  /// When nothing was sent to an end, according to the sequence numbers in a capture.
  package func unsent(to end: EndAccount) -> SpanSet {
    guard end.windowSource == .capture else { return SpanSet([]) }
    return SpanSet(
      account.findings.compactMap { entry in
        guard entry.end == end.name, entry.finding.code == .farEndSilent,
          let start = entry.finding.startMs, let until = entry.finding.endMs,
          entry.finding.evidence.word("by") == MediaSpan.Proof.sequenceNumbers,
          !entry.finding.evidence.has("times")
        else { return nil }
        return (start, until)
      })
  }
}

extension Window {
  /// Whether its sound is poor to listen to, delay apart.
  var isPoorSound: Bool { audioLQ.map { $0 < QualityBand.poorBelow } ?? false }
  /// Whether its picture is poor, as verdicts have it.
  var isPoorPicture: Bool { video.map { $0 < QualityBand.poorPictureBelow } ?? false }
}
