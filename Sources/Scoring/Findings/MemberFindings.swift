import CallModel

/// Detects an end whose microphone sends the far end's voice back, from its echo canceller's figures (webrtc-stats
/// 8.12: `echoReturnLoss`, `echoReturnLossEnhancement` of a media-source).
struct EchoDetector {
  /// Values reported by cancellers that did not run, dB.
  private static let unknown: Set<Double> = [-30, -100]
  /// Minimum mean power of far-end audio that can cause an echo (1 = full scale): −45 dBov.
  private static let audible = 3e-5

  private var echo = Hysteresis(onAfterMs: Threshold.echoFor.value, offAfterMs: 3000)
  private var farEndSpokeMs = -Double.infinity
  private var lowestDB: Double?

  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.source == .stats, role.kind == .audio else { return }
    if role.direction != .outbound {
      guard let before = earlier[.totalAudioEnergy], let now = sample[.totalAudioEnergy] else { return }
      if (now - before) * 1000 / (sample.timeMs - earlier.timeMs) >= Self.audible {
        farEndSpokeMs = sample.timeMs
      }
      return
    }
    guard let loss = sample[.echoReturnLoss], !Self.unknown.contains(loss.rounded()),
      let enhancement = sample[.echoReturnLossEnhancement], !Self.unknown.contains(enhancement.rounded())
    else { return }
    // Without far-end audio there is no echo to measure.
    guard earlier.timeMs - farEndSpokeMs < 5000 else { return }
    let all = loss + enhancement
    if all < Threshold.echoLoss.value { lowestDB = min(lowestDB ?? all, all) }
    echo.observe(all < Threshold.echoLoss.value, from: earlier.timeMs, to: sample.timeMs)
  }

  mutating func findings() -> [Finding] {
    echo.finish()
    return echo.spans.map { span in
      Finding(
        .echo, .warning, from: span.start, to: span.end,
        Evidence().with("echo_loss_db", lowestDB).with("threshold_db", Threshold.echoLoss.value),
        "For \(seconds(span.end - span.start)) this end sent the far end's voice back to it, weaker by \(Int((lowestDB ?? 0).rounded())) dB at the least: its echo canceller did not take it away."
      )
    }
  }
}

/// Detects displayed video that differs from what was sent, by `totalCorruptionProbability` over
/// `corruptionMeasurements` (webrtc-stats 8.2).
///
/// Measured on 54 ends of recorded calls: at 12 of them, all with lost packets, the detector of Chromium 156 reports 1
/// for every frame although the picture is intact or nearly so (VMAF 82 to 98). Such values are ignored.
struct CorruptedPictureDetector {
  private var corrupt = Hysteresis(onAfterMs: Threshold.corruptFor.value, offAfterMs: 3000)
  private var (sum, count) = (0.0, 0.0)

  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.kind == .video, role.direction != .outbound, let before = earlier[.corruptionSum],
      let now = sample[.corruptionSum], let measured = earlier[.corruptionMeasurements],
      let more = sample[.corruptionMeasurements], more > measured, now >= before
    else { return }
    let share = (now - before) / (more - measured)
    let isCorrupt = share >= Threshold.corruptShare.value && share < Threshold.certainlyCorrupt.value
    if isCorrupt { (sum, count) = (sum + share, count + 1) }
    corrupt.observe(isCorrupt, from: earlier.timeMs, to: sample.timeMs)
  }

  mutating func findings() -> [Finding] {
    corrupt.finish()
    return corrupt.spans.map { span in
      Finding(
        .corruptedPicture, .warning, from: span.start, to: span.end,
        Evidence().with("corruption_share", count > 0 ? sum / count : nil).with(
          "threshold_share", Threshold.corruptShare.value),
        "For \(seconds(span.end - span.start)) the picture that was shown differed from the one that was sent: blocks or smears."
      )
    }
  }
}

/// Changes from a hardware to a software encoder or decoder, which cost processor time and battery.
func softwareFallbacks(_ context: FindingContext) -> [Finding] {
  let changes = context.events.filter { event in
    guard event.event == .mediaImplementationChanged, let to = event[.to] else { return false }
    return CodecImplementation.isFallback(from: event[.from], to: to)
  }
  guard let first = changes.first, let to = first[.to] else { return [] }
  let work = first[.direction] == "outbound" ? "encoder" : "decoder"
  let from = first[.from] ?? "hardware"
  return [
    Finding(
      .softwareFallback, .warning, from: first.timeMs, to: changes.last?.timeMs,
      Evidence().with("from", String(from.prefix(60))).with("to", String(to.prefix(60)))
        .with("times", changes.count > 1 ? Double(changes.count) : nil),
      "The \(work) fell back to software (\(from.prefix(40)) to \(to.prefix(40))): hardware failed or refused."
    )
  ]
}

/// Classifies codec implementations by name (`encoderImplementation`, `decoderImplementation`).
enum CodecImplementation {
  /// Software implementations of libwebrtc and browsers.
  private static let software = ["libvpx", "libaom", "dav1d", "ffmpeg", "openh264", "software"]

  /// Whether the name is that of a software implementation.
  static func isSoftware(_ name: String) -> Bool { software.contains(where: name.lowercased().contains) }

  /// Whether a change is from hardware to software. libwebrtc's fallback wrapper says so in its name.
  static func isFallback(from: String?, to: String) -> Bool {
    if to.lowercased().contains("fallback from") { return true }
    guard let from, !from.isEmpty, from.lowercased() != "unknown" else { return false }
    return isSoftware(to) && !isSoftware(from)
  }
}
