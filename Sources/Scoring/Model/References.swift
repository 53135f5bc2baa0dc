/// What a call was meant to be, where someone said so: what is configured is compared with, the rest is learnt from the call.
public struct References: Sendable, Equatable {
  /// Frames per second that video should have.
  public var frameRate: Double?
  /// Pixels (width x height) at which video is shown.
  public var pixels: Double?
  /// Bit rate that video should have, bit/s.
  public var videoBps: Double?
  /// Whether loss costs the same whatever the codec, for comparing codecs with one another.
  public var codecNeutral: Bool

  /// Nothing is configured.
  public static let none = References()

  /// References as given in `run.json` or by `--references`.
  public init(
    frameRate: Double? = nil, pixels: Double? = nil, videoBps: Double? = nil,
    codecNeutral: Bool = false
  ) {
    self.frameRate = frameRate
    self.pixels = pixels
    self.videoBps = videoBps
    self.codecNeutral = codecNeutral
  }
}
