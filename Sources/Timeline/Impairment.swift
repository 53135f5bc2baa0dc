import CallModel

/// What was wrong with a medium that arrived, in a period of the call.
public struct Impairment: Sendable, Equatable {
  /// What took the points.
  public var cause: Cause
  public var medium: MediaKind
  /// First and last time, ms since the Unix epoch on the listener's clock.
  public var startMs: Double
  public var endMs: Double
  /// The mean of what was measured, in the unit of the cause (`Cause.figure(of:)`); nil if nothing was.
  public var figure: Double?
  /// The mean of the points that the score lost to it meanwhile, 0–100.
  public var points: Double
  /// Its part of all points that the listener's score lost in the call, 0–1.
  public var share: Double
  /// Where the fault was; nil if that is not known, or it cost little.
  public var place: Place?

  /// An impairment.
  public init(
    _ cause: Cause, of medium: MediaKind, from startMs: Double, to endMs: Double, figure: Double?,
    points: Double, share: Double
  ) {
    (self.cause, self.medium, self.startMs, self.endMs) = (cause, medium, startMs, endMs)
    (self.figure, self.points, self.share) = (figure, points, share)
  }

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }
}

extension Cause {
  /// What was measured of a cause in a window: the share of sound that was lost, or that came too late, 0–1; the delay
  /// from mouth to ear, ms; the share of the time in which the picture stood still, 0–1; frames a second; the picture's
  /// height, lines; the bit rate, bit/s.
  public func figure(of inputs: WindowInputs) -> Double? {
    switch self {
    case .loss: inputs.lossShare
    case .jitter: inputs.concealedShare.map { max(0, $0 - (inputs.lossShare ?? 0)) }
    case .delay: inputs.delayMs
    case .freeze: inputs.freezeShare
    case .framerate: inputs.frameRate
    case .resolution: inputs.height
    case .bitrate, .coding: inputs.bitrateBps
    case .silence, .playout: nil
    }
  }
}
