/// How much of what grew evenly between two reports lies before the edge of a window.
///
/// What two seconds brought between two reports cannot be placed within them. Where reports come more often it could be,
/// but then a score would depend on how often someone looked: so the growth between closer reports is spread as if it
/// were known as seldom. PESQ of 8-second segments agrees with either alike.
struct SoftEdge {
  /// Time between two reports that makes an edge by itself as soft as all are.
  static let reportMs = 2000.0

  private let from: Double
  private let length: Double
  /// How far on both sides of an edge growth counts in part, ms: with the variance of the report's own length it makes
  /// that of `reportMs`.
  let halfWidth: Double

  /// The growth of [from, to), ms.
  init(from: Double, to: Double) {
    self.from = from
    length = to - from
    halfWidth = max(0, Self.reportMs * Self.reportMs - length * length).squareRoot() / 2
  }

  /// The share before an edge, 0–1; sharper near the start of media, before which there is nothing to share with.
  func before(_ edge: Double, notBefore start: Double?) -> Double {
    let half = min(halfWidth, start.map { max(0, edge - $0) } ?? halfWidth)
    guard half > 0 else { return min(1, max(0, (edge - from) / length)) }
    return (area(edge + half) - area(edge - half)) / (2 * half)
  }

  /// Integral of the share that had come, from the beginning to `time`.
  private func area(_ time: Double) -> Double {
    let run = time - from
    if run <= 0 { return 0 }
    return run < length ? run * run / (2 * length) : run - length / 2
  }
}
