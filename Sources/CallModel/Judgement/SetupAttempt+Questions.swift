extension SetupAttempt {
  /// Why camera or microphone failed, if the attempt failed because of it: no later event follows.
  public var deviceFailure: String? {
    guard outcome == .failed, let capture = phases.first(where: { $0.name == .capture }),
      capture.toEvent == .mediaLocalFailed, let startMs = capture.startMs, let lasted = capture.durationMs,
      phases.allSatisfy({ $0.startMs ?? startMs < startMs + lasted })
    else { return nil }
    return capture.cause
  }

  /// The value of `fromEvent` for an ICE restart, whether the log has that event or only the offer of the
  /// restart.
  public static let restart = EventName.iceRestarted

  /// Whether it is an ICE restart of an established call: a recovery, not the setup of the call.
  public var isRestart: Bool { fromEvent == Self.restart }

  /// Whether it was established and lasted until the call ended, or until the page that reported it was
  /// reloaded.
  private var wasEstablished: Bool { outcome == .completed || outcome == .unknown && setupWallMs != nil }

  /// Whether both ends of the setup are known, but the clock is too coarse for the time between them.
  public var isBelowClock: Bool {
    guard setupMs == nil, startMs != nil, !isRestart else { return false }
    return phases.first { $0.name == .ringing }.map { !$0.isBounded || $0.isBelowClock } ?? true
  }

  /// Whether both times are whole seconds, so that the duration is known to about one second.
  public var isOfWholeSeconds: Bool {
    guard let startMs, let setupWallMs else { return false }
    return [startMs, setupWallMs].allSatisfy { $0.truncatingRemainder(dividingBy: 1000) == 0 }
  }

  /// The attempt that represents the setup of the call: the first attempt of the calling end that was
  /// established and lasted, or its last one; otherwise one of any end. ICE restarts and reloaded pages do
  /// not count.
  public static func leading(_ ends: [[SetupAttempt]]) -> SetupAttempt? {
    let attempts = ends.compactMap { end in
      end.first { !$0.isRestart && $0.wasEstablished } ?? end.last { !$0.isRestart } ?? end.last
    }
    return attempts.first { $0.direction == .outgoing } ?? attempts.first { $0.setupMs != nil }
      ?? attempts.first
  }
}

extension Phase {
  /// The time range of the phase, if it was measured.
  public var span: ClosedRange<Double>? {
    guard let startMs, let durationMs, durationMs >= 0, startMs.isFinite, durationMs.isFinite else {
      return nil
    }
    return startMs...(startMs + durationMs)
  }

  /// Whether it is only known to have ended between the two events that it names.
  public var isBounded: Bool { state == .unknown && fromEvent != nil && toEvent != nil }

  /// The start of the cause of a phase that a clock of whole seconds cannot measure.
  public static let belowClock = "too short for a clock of whole seconds"

  /// Whether it happened, but was too short for the clock to measure.
  public var isBelowClock: Bool { isBounded && cause?.hasPrefix(Self.belowClock) ?? false }

  /// The end of the cause if a permission was first refused and then requested again, perhaps for fewer
  /// devices.
  public static let askedAgain = "at first, and asked again"

  /// Whether access to camera or microphone was refused, finally or at first.
  public var isRefused: Bool {
    name == .capture && (toEvent == .mediaLocalFailed || cause?.hasSuffix(Self.askedAgain) == true)
  }

  /// Whether the time is a person's, which no total includes.
  public var isOfPerson: Bool { name == .ringing || name == .capture }
}

/// How much of an interval the given spans cover, ms; overlaps count once.
public func covered(by spans: [ClosedRange<Double>], of interval: ClosedRange<Double>) -> Double {
  SpanSet(spans.map { ($0.lowerBound, $0.upperBound) }).covered(
    from: interval.lowerBound, to: interval.upperBound)
}
