/// A time in which a picture stood still, as far as the statistics can place it.
public struct FrozenSpan: Sendable, Equatable {
  /// Beyond this a freeze is a pause (W3C webrtc-stats).
  public static let pauseMs = 5000.0
  /// Most spans of one kind that are told of an end.
  public static let mostTold = 1000
  /// Most spans that are kept of one stream.
  static let mostKept = 10_000

  /// Place of the stream among those the scorer was given.
  public var stream: Int
  public var startMs: Double
  public var endMs: Double
  /// How many freezes the counters had for it; one report may book several.
  public var freezes: Int
  /// How long a pause in it was that the browser told from freezes by a counter of its own; the mean of several. Nil without one.
  public var countedPauseMs: Double?

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }
  /// Whether it is a pause by the rule, whatever counter the browser put it in.
  public var isPause: Bool {
    freezes == 1 && lengthMs > Self.pauseMs || countedPauseMs ?? 0 > Self.pauseMs
  }
  /// How much of it was pause, ms: a report may book freezes beside one.
  public var pausedMs: Double { freezes == 1 ? lengthMs : countedPauseMs ?? lengthMs }
}
