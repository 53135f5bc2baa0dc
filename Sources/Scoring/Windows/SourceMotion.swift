import CallModel

/// When what a sender shows moved at its source, by the frames that the source gave (`media-source`): a screen gives them only
/// where something changes, or one now and then.
public struct SourceMotion: Sendable {
  /// From so many frames a second on it moves.
  static let leastRate = 2.0
  /// Reports further apart say nothing of the time between them, ms.
  static let longestMs = 2500.0
  /// Most times that are kept of one stream.
  static let mostKept = 10_000

  private var before: (timeMs: Double, frames: Double)?
  private var moved: [(start: Double, end: Double)] = []

  /// Nothing is known yet.
  public init() {}

  /// Takes the next sample of what is sent.
  public mutating func add(_ sample: Sample) {
    guard let frames = sample[.framesCaptured], sample.timeMs.isFinite else { return }
    defer { before = (sample.timeMs, frames) }
    guard let before else { return }
    let ms = sample.timeMs - before.timeMs
    guard ms > 0, ms <= Self.longestMs, frames - before.frames >= Self.leastRate * ms / 1000 else { return }
    if let last = moved.last, last.end == before.timeMs {
      moved[moved.count - 1].end = sample.timeMs
    } else if moved.count < Self.mostKept {
      moved.append((before.timeMs, sample.timeMs))
    }
  }

  /// The times in which it moved, on a clock that is so far ahead of that of the samples.
  public func spans(aheadMs: Double = 0) -> [(start: Double, end: Double)] {
    moved.map { ($0.start + aheadMs, $0.end + aheadMs) }
  }
}
