/// When a receiver shows a frame that it could decode (libwebrtc `timing.cc`, `video_stream_buffer_controller.cc`).
struct PictureTiming {
  /// A frame that came whole.
  struct Arrival {
    var mediaMs: Double
    /// When its last packet came.
    var cameMs: Double
    var bytes: Double
    /// Whether some of it had to be sent again.
    var isRepaired: Bool
  }

  private var clock = MediaClock()
  private var jitter = FrameJitter()
  private var jitterMs = 0.0
  private var currentMs = 0.0
  private var previous: Arrival?
  private var lastShownMs = -Double.infinity
  /// Least delay, so that the picture does not run ahead of sound, ms.
  var leastMs = 0.0

  // What decoding takes is not known from packets.
  private static let mostMs = 10_000.0

  /// How late pictures are wanted, ms.
  var wantedMs: Double { min(Self.mostMs, max(leastMs, jitterMs)) }

  /// When a frame is handed to the screen, ms: it came at one time and could be decoded at another.
  mutating func show(_ frame: Arrival, readyMs: Double, roundTripMs: Double) -> Double {
    if !frame.isRepaired { clock.take(mediaMs: frame.mediaMs, arrivalMs: frame.cameMs) }
    let expected = clock.arrivalMs(of: frame.mediaMs) ?? frame.cameMs
    let due = expected + min(Self.mostMs, max(leastMs, currentMs))
    let soonest = max(readyMs, lastShownMs)
    // A clock that went wrong holds no picture back.
    let shown = due - soonest > Self.mostMs ? soonest : max(soonest, due)
    lastShownMs = shown
    if frame.isRepaired {
      jitter.takeRepaired(atMs: shown)
    } else {
      learn(frame, roundTripMs, due: due, shownMs: shown)
    }
    return shown
  }

  private mutating func learn(_ frame: Arrival, _ roundTripMs: Double, due: Double, shownMs: Double) {
    if let last = previous, frame.mediaMs > last.mediaMs {
      jitter.take(
        delayMs: frame.cameMs - last.cameMs - (frame.mediaMs - last.mediaMs), bytes: frame.bytes,
        atMs: shownMs)
    }
    if previous.map({ frame.mediaMs > $0.mediaMs }) ?? true { previous = frame }
    jitterMs = jitter.ms(atMs: shownMs, roundTripMs: roundTripMs)
    if currentMs == 0 { currentMs = jitterMs }
    // What was late makes those after it wait longer, as long as that is wanted.
    if shownMs >= due { currentMs = min(wantedMs, currentMs + shownMs - due) }
  }
}
