/// Delays audio or video to keep them in sync (libwebrtc `stream_synchronization.cc`).
public struct LipSync {
  private var smoothedMs = 0
  private var sound = (extraMs: 0, lastMs: 0)
  private var picture = (extraMs: 0, lastMs: 0)

  /// Smaller smoothed differences are ignored; of larger ones half is corrected, at most this much at once.
  private static let minMs = 30
  private static let maxAtOnceMs = 80
  private static let maxMs = 10_000
  /// Additional delay of the audio device, ms: unknown from packets; this value was measured.
  public static let deviceMs = 15.0

  public init() {}

  /// One step per second: how much later video arrives than audio, and their target delays. Returns the minimum delays
  /// of both; nil if nothing changes.
  public mutating func step(relativeMs: Double, soundMs: Double, pictureMs: Double) -> (
    soundMs: Double, pictureMs: Double
  )? {
    guard abs(relativeMs) <= Double(Self.maxMs) else { return nil }
    smoothedMs = (3 * smoothedMs + Int(pictureMs - soundMs + relativeMs)) / 4
    guard abs(smoothedMs) >= Self.minMs else { return nil }
    let change = max(-Self.maxAtOnceMs, min(Self.maxAtOnceMs, smoothedMs / 2))
    smoothedMs = 0
    // Delay added to one is removed before any is added to the other.
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
