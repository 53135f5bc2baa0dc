import CallModel

/// What was seen of media at all, for the rules on sound and on the connection.
struct MediaWatch {
  /// A stream whose first report counts media of more than this began who knows when, ms.
  static let longestUnseenMs = 2000.0

  /// Whether any stream is received, and whether any of sound is: reported, though perhaps empty.
  private(set) var receives = false
  private(set) var receivesSound = false
  private(set) var lastInboundMs: Double?
  private(set) var lastReportMs: Double?
  var sentMs: Double?
  /// When anything at all was last received, by the path's own count.
  private(set) var lastHeardMs: Double?
  private(set) var countsPath = false
  private var beganMs: Double?
  private var beganUnseen = false

  /// When the first packet came; nil for never, or where a stream was well on its way when it was first reported.
  var firstInboundMs: Double? { beganUnseen ? nil : beganMs }

  /// Takes note that there is such a stream.
  mutating func addStream(_ role: StreamRole) {
    guard role.direction != .outbound else { return }
    receives = true
    if role.kind != .video { receivesSound = true }
  }

  /// Takes an instant of a path and the one before it of the same connection.
  mutating func see(_ sample: TransportSample, after earlier: TransportSample?) {
    guard let bytes = sample.bytesReceived else { return }
    countsPath = true
    if let earlier, earlier.countsOn(to: sample), let before = earlier.bytesReceived, bytes > before {
      lastHeardMs = sample.timeMs
    }
  }

  /// Takes the first report of a stream that counts media; answers when its last packet came.
  ///
  /// - Parameter empty: time of the report before it, which counted none; nil where it is the stream's first.
  mutating func began(_ sample: SampleView, _ role: StreamRole, empty: Double?) -> Double {
    let first = FirstMedia.time(sample, kind: role.kind ?? .video, previous: empty)
    if empty == nil, !isPaced(sample, role, since: first) { beganUnseen = true }
    beganMs = min(beganMs ?? .infinity, first)
    return received(at: LastPacket.first(sample, previous: empty) ?? sample.timeMs)
  }

  /// Whether a stream's first report tells when it began: it counts little, at a pace that is known.
  private func isPaced(_ sample: SampleView, _ role: StreamRole, since first: Double) -> Bool {
    if role.source == .capture { return true }  // It counts from the first packet that it saw.
    guard sample.timeMs - first <= Self.longestUnseenMs else { return false }
    guard role.kind == .audio else { return sample[.interFrameDelayMs] != nil }
    // Where the recording begins with it, few packets may be those of a silence that has lasted for long.
    guard lastReportMs == nil || lastReportMs == sample.timeMs, let played = sample[.totalSamplesDurationMs]
    else { return true }
    return played <= Self.longestUnseenMs
  }

  /// Takes a report that counts more than the one before; answers when its last packet came.
  mutating func received(_ sample: SampleView, after earlier: SampleView) -> Double {
    received(at: sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs)
  }

  private mutating func received(at last: Double) -> Double {
    lastInboundMs = max(lastInboundMs ?? last, last)
    return last
  }

  mutating func reported(at timeMs: Double) { lastReportMs = max(lastReportMs ?? timeMs, timeMs) }
}
