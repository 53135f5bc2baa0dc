import CallModel

/// The figures of one stream in one window, in terms common to all models; nil is unknown.
public struct StreamFigures: Sendable, Equatable {
  public var kind: MediaKind
  public var codec: String?
  /// Packets received and lost, and lost / (received + lost), 0–1, before repair.
  public var packets: Double?
  public var lost: Double?
  public var lossShare: Double?
  /// RFC 3550 interarrival jitter, and mean time in the jitter buffer.
  public var jitterMs: Double?
  public var bufferMs: Double?
  public var roundTripMs: Double?
  /// Payload bit rate.
  public var bps: Double?
  /// Share of playout that was concealed, because of loss or lateness, 0–1.
  public var concealedShare: Double?
  /// Frames per second over the whole window including freezes, and frame size.
  public var framesPerSecond: Double?
  public var pixels: Double?
  public var height: Double?
  /// Quality of the frames after coding and scaling, 0–100.
  public var frameQuality: Double?
  /// Whether error correction, or discontinuous transmission, was negotiated.
  public var errorCorrection = false
  public var discontinuous = false
  public var screen = false
  public var audio: AudioImpairments?
  public var video: VideoImpairments?

  /// A stream with no known figures.
  public init(kind: MediaKind) {
    self.kind = kind
  }
}
