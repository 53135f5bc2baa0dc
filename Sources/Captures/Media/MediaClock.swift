/// When a moment of media usually arrives: a line through arrivals over media time (libwebrtc `timestamp_extrapolator.cc`).
///
/// Recursive least squares, and a sum of deviations that notices when the way has become longer or shorter.
struct MediaClock {
  private var rate = 1.0
  private var offset = 0.0
  private var covariance = (aa: 1.0, ab: 0.0, bb: 1e10)
  private var newest = -Double.infinity
  private var first: (mediaMs: Double, arrivalMs: Double)?
  private var count = 0
  private var later = 0.0
  private var earlier = 0.0

  /// Deviations count up to so much each, and only beyond the drift, ms; their sum raises the alarm.
  private static let mostMs = 7000.0 / 90
  private static let driftMs = 6600.0 / 90
  private static let alarmMs = 60_000.0 / 90

  /// Takes an arrival; media that was overtaken is left out.
  mutating func take(mediaMs: Double, arrivalMs: Double) {
    let first = self.first ?? (mediaMs, arrivalMs)
    self.first = first
    let media = mediaMs - first.mediaMs
    let arrival = arrivalMs - first.arrivalMs
    // Media time is predicted from arrival time, as libwebrtc does.
    let error = media - (rate * arrival + offset)
    if noticesChange(error), count >= 2 { covariance.bb = 1e10 }
    guard mediaMs >= newest else { return }
    newest = mediaMs
    let a = covariance.aa * arrival + covariance.ab
    let b = covariance.ab * arrival + covariance.bb
    let total = 1 + arrival * a + b
    rate += a / total * error
    offset += b / total * error
    covariance.aa -= a * a / total
    covariance.ab -= a * b / total
    covariance.bb -= b * b / total
    count += 1
  }

  /// When a moment of media is to be expected, nil before anything is known.
  func arrivalMs(of mediaMs: Double) -> Double? {
    guard let first, count > 0 else { return nil }
    guard count > 1, rate > 0.1 else { return first.arrivalMs + mediaMs - first.mediaMs }
    return first.arrivalMs + (mediaMs - first.mediaMs - offset) / rate
  }

  private mutating func noticesChange(_ error: Double) -> Bool {
    let error = max(-Self.mostMs, min(Self.mostMs, error))
    later = max(0, later + error - Self.driftMs)
    earlier = min(0, earlier + error + Self.driftMs)
    guard later > Self.alarmMs || earlier < -Self.alarmMs else { return false }
    (later, earlier) = (0, 0)
    return true
  }
}
