import CallModel

/// When the content of a sent video stream moved, from the frames of its source (`media-source`): a screen capture
/// delivers frames only when something changes, or one now and then.
public struct SourceMotion: Sendable {
  /// Minimum frame rate that counts as motion, frames per second.
  static let minRate = 2.0
  /// Maximum time between two reports for which the rate is meaningful, ms.
  static let longestMs = 2500.0
  /// Maximum number of periods kept for one stream.
  static let maxKept = 10_000

  private var before: (timeMs: Double, frames: Double)?
  private var moved: [(start: Double, end: Double)] = []

  public init() {}

  /// Takes the next sample of a sent stream.
  public mutating func add(_ sample: Sample) {
    guard let frames = sample[.framesCaptured], sample.timeMs.isFinite else { return }
    defer { before = (sample.timeMs, frames) }
    guard let before else { return }
    let ms = sample.timeMs - before.timeMs
    guard ms > 0, ms <= Self.longestMs, frames - before.frames >= Self.minRate * ms / 1000 else { return }
    if let last = moved.last, last.end == before.timeMs {
      moved[moved.count - 1].end = sample.timeMs
    } else if moved.count < Self.maxKept {
      moved.append((before.timeMs, sample.timeMs))
    }
  }

  /// The periods of motion, on a clock that is `aheadMs` ahead of that of the samples.
  public func spans(aheadMs: Double = 0) -> [(start: Double, end: Double)] {
    moved.map { ($0.start + aheadMs, $0.end + aheadMs) }
  }
}
