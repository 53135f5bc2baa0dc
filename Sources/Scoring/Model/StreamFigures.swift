import CallModel

/// What one stream did in one window, in the terms that every model shares; nil is unknown.
public struct StreamFigures: Sendable, Equatable {
  public var kind: MediaKind
  public var codec: String?
  /// Packets received and lost, and lost / (received + lost), 0–1, before repair.
  public var packets: Double?
  public var lost: Double?
  public var lossShare: Double?
  /// RFC 3550 interarrival jitter and mean stay in the jitter buffer.
  public var jitterMs: Double?
  public var bufferMs: Double?
  public var roundTripMs: Double?
  /// Payload.
  public var bps: Double?
  /// Share of playout that was made up, network and lateness together, 0–1.
  public var concealedShare: Double?
  /// Frames per second over the whole window, frozen time included, and size of the picture.
  public var framesPerSecond: Double?
  public var pixels: Double?
  public var height: Double?
  /// What coding and size left of the frames themselves, 0–100.
  public var frameQuality: Double?
  /// Whether error correction, or discontinuous transmission, was agreed.
  public var errorCorrection = false
  public var discontinuous = false
  public var screen = false
  public var audio: AudioImpairments?
  public var video: VideoImpairments?

  /// A stream of which nothing is known.
  public init(kind: MediaKind) {
    self.kind = kind
  }
}
