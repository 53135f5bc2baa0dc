/// What harmed the sound of one stream in one interval, measured alike whatever the source. Unknown shares count as none.
public struct AudioImpairments: Sendable, Equatable {
  /// Codec name (`opus`), nil if unknown.
  public var codec: String?
  /// Share of playout made up because packets were lost on the way, 0–1.
  public var lostShare: Double = 0
  /// Share of playout made up because packets came too late, 0–1.
  public var lateShare: Double = 0
  /// How loud the sound was where it was made up, as a multiple of elsewhere: under 1 in pauses of speech.
  public var salience: Double = 1
  /// Share of packets restored from forward error correction, 0–1.
  public var restoredShare: Double = 0
  /// Share of playout by which time-stretching lengthened it, 0–1.
  public var slowedShare: Double = 0
  /// Share of playout by which time-stretching shortened it, 0–1.
  public var hurriedShare: Double = 0
  /// Part of that time-stretching which lost packets explain, 0–1. It moves points between causes, never the score.
  public var stretchByLoss: Double = 0
  /// Part of it which the receiver's own wish to hold sound longer explains, 0–1; of what loss leaves, and the same holds.
  public var stretchByWish: Double = 0
  /// Mouth to ear in ms, nil if unknown.
  public var delayMs: Double?

  /// Nothing harmed it.
  public init(codec: String? = nil) {
    self.codec = codec
  }
}

/// What harmed the picture of one stream in one interval, measured alike whatever the source. Nil is unknown and costs nothing.
public struct VideoImpairments: Sendable, Equatable {
  /// Share of the interval in which the picture stood still, 0–1.
  public var freezeShare: Double?
  /// Freezes that overlap the interval.
  public var freezes: Double = 0
  /// Frames per second while the picture moved, and the rate it is held against.
  public var frameRate: Double?
  public var frameRateReference: Double?
  /// Pixels, and the number it is held against.
  public var pixels: Double?
  public var pixelsReference: Double?
  /// Share of packets lost before repair, 0–1.
  public var lossShare: Double?
  /// Bit rate in bit/s, and the configured rate it is held against.
  public var bps: Double?
  public var bpsReference: Double?
  /// Mouth to ear (glass to glass) in ms; only given where a call has no audio to charge it to.
  public var delayMs: Double?
  /// Whether not one frame was seen in the whole interval though there should have been some.
  public var dead = false

  /// Nothing harmed it.
  public init() {}
}
