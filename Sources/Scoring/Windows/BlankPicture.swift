import CallModel

/// Tells a camera that is off from a picture that comes slowly. Firefox goes on with a black frame a second when a page disables
/// or stops the camera's track; each of them takes next to nothing, and nobody sees that it stands still.
///
/// Measured with Firefox 153: 52 to 555 bytes a frame at 320×180 to 640×480. An encoder that the network starves still gets
/// 30 kbit/s (libwebrtc, `kMinVideoBitrate`), which is 1,500 bytes a frame at the most frames that are taken for black ones.
struct BlankPicture {
  /// Most frames a second.
  private static let mostFrames = 2.5
  /// Most that a frame takes which shows nothing new, bytes; of a large one, bits a pixel.
  private static let mostBytes = 600.0
  private static let mostBits = 0.01
  /// How long it stays so without such a frame, ms: a new size of the same black takes a key frame.
  private static let heldMs = 5000.0

  /// The end of the last report whose frames were all but empty.
  private var lastMs: Double?

  /// Takes the next report of a picture; whether it was blank in it.
  mutating func add(_ segment: Segment) -> Bool {
    let length = segment.to - segment.from
    guard let frames = segment.growth[.frames], frames * 1000 <= max(1000, Self.mostFrames * length) else {
      lastMs = nil
      return false
    }
    if frames > 0, let bytes = segment.growth[.bytes], bytes > 0,
      bytes <= frames * max(Self.mostBytes, (segment.pixels ?? 0) * Self.mostBits / 8),
      segment.growth[.lost] ?? 0 <= 0, segment.growth[.pli] ?? 0 == 0
    {
      lastMs = segment.to
    }
    return lastMs.map { segment.to - $0 <= Self.heldMs } ?? false
  }
}
