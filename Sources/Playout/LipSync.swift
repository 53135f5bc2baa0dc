/// Holds sound back to stay with the picture, or the picture to stay with sound (libwebrtc `stream_synchronization.cc`).
public struct LipSync {
  private var smoothedMs = 0
  private var sound = (extraMs: 0, lastMs: 0)
  private var picture = (extraMs: 0, lastMs: 0)

  /// A smoothed difference under this is left alone; over it half of it is made up for, at most so much at once.
  private static let minMs = 30
  private static let maxAtOnceMs = 80
  private static let maxMs = 10_000
  /// What the sound device adds to what waits in the buffer, ms: not known from packets, and this where it was seen.
  public static let deviceMs = 15.0

  public init() {}

  /// One second's step: how much later pictures come than sound, and how late each is wanted. Answers the least delay
  /// of both, nil where nothing changes.
  public mutating func step(relativeMs: Double, soundMs: Double, pictureMs: Double) -> (
    soundMs: Double, pictureMs: Double
  )? {
    guard abs(relativeMs) <= Double(Self.maxMs) else { return nil }
    smoothedMs = (3 * smoothedMs + Int(pictureMs - soundMs + relativeMs)) / 4
    guard abs(smoothedMs) >= Self.minMs else { return nil }
    let change = max(-Self.maxAtOnceMs, min(Self.maxAtOnceMs, smoothedMs / 2))
    smoothedMs = 0
    // What was added to the one is taken away before anything is added to the other.
    if change > 0 {
      if picture.extraMs > 0 {
        (picture.extraMs, sound.extraMs) = (picture.extraMs - change, 0)
      } else {
        (picture.extraMs, sound.extraMs) = (0, sound.extraMs + change)
      }
    } else {
      if sound.extraMs > 0 {
        (sound.extraMs, picture.extraMs) = (sound.extraMs + change, 0)
      } else {
        (sound.extraMs, picture.extraMs) = (0, picture.extraMs - change)
      }
    }
    picture.extraMs = max(0, picture.extraMs)
    picture.lastMs = min(Self.maxMs, picture.extraMs > 0 ? picture.extraMs : picture.lastMs)
    sound.lastMs = min(Self.maxMs, sound.extraMs > 0 ? sound.extraMs : max(sound.lastMs, sound.extraMs))
    return (Double(sound.lastMs), Double(picture.lastMs))
  }
}
