/// A period in which video was frozen, as precisely as statistics allow.
public struct FrozenSpan: Sendable, Equatable {
  /// Length above which a freeze is a pause (W3C webrtc-stats), ms.
  public static let pauseMs = 5000.0
  /// Maximum number of spans of one kind reported for an end.
  public static let maxReported = 1000
  /// Maximum number of spans kept for one stream.
  static let maxKept = 10_000

  /// Index of the stream in the scorer's list.
  public var stream: Int
  public var startMs: Double
  public var endMs: Double
  /// Number of freezes counted for it; one report may count several.
  public var freezes: Int
  /// Length of a pause in it that the browser counted separately from freezes, ms; the mean if there were several. Nil
  /// if there was none.
  public var countedPauseMs: Double?

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }
  /// Whether it is a pause by length, whichever counter the browser used for it.
  public var isPause: Bool {
    freezes == 1 && lengthMs > Self.pauseMs || countedPauseMs ?? 0 > Self.pauseMs
  }
  /// The part of it that was a pause, ms: one report may count freezes besides a pause.
  public var pausedMs: Double { freezes == 1 ? lengthMs : countedPauseMs ?? lengthMs }
}
