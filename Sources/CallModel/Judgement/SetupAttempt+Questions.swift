extension SetupAttempt {
  /// Why camera or microphone could not be had, where the attempt failed of it: nothing came after.
  public var deviceFailure: String? {
    guard outcome == .failed, let capture = phases.first(where: { $0.name == .capture }),
      capture.toEvent == "media.local-failed", let startMs = capture.startMs, let lasted = capture.durationMs,
      phases.allSatisfy({ $0.startMs ?? startMs < startMs + lasted })
    else { return nil }
    return capture.cause
  }

  /// What `fromEvent` says of a recovery, whether the log has an event of that name or only the offer of the restart.
  public static let restart = "ice.restarted"

  /// Whether it is an ICE restart of a call that had stood: a recovery, not the setup of the call.
  public var isRestart: Bool { fromEvent == Self.restart }

  /// Whether it stood until it was over, or until the page that told of it was loaded again.
  private var hasStood: Bool { outcome == .completed || outcome == .unknown && setupWallMs != nil }

  /// Whether both its bounds are told, but by a clock that is too coarse for what lies between them.
  public var isBelowClock: Bool {
    guard setupMs == nil, startMs != nil, !isRestart else { return false }
    return phases.first { $0.name == .ringing }.map { !$0.isBounded || $0.isBelowClock } ?? true
  }

  /// Whether its bounds are whole seconds, so that it is known to about one.
  public var isOfWholeSeconds: Bool {
    guard let startMs, let setupWallMs else { return false }
    return [startMs, setupWallMs].allSatisfy { $0.truncatingRemainder(dividingBy: 1000) == 0 }
  }

  /// The attempt that tells a call's setup, of the attempts of its ends: the first one of the end that called that stood until
  /// it was over, or the last; else of any. What brought a standing call back is none, and neither is a page loaded again.
  public static func leading(_ ends: [[SetupAttempt]]) -> SetupAttempt? {
    let attempts = ends.compactMap { end in
      end.first { !$0.isRestart && $0.hasStood } ?? end.last { !$0.isRestart } ?? end.last
    }
    return attempts.first { $0.direction == .outgoing } ?? attempts.first { $0.setupMs != nil }
      ?? attempts.first
  }

  /// How much of a phase is in the total, ms: what lies between its beginning and the connection, beside nothing that a person did.
  /// Nil unless it was measured.
  public func countedMs(_ phase: Phase) -> Double? {
    guard var span = phase.span else { return nil }
    if let startMs, let setupWallMs, startMs.isFinite, setupWallMs >= 0 {
      span = span.clamped(to: startMs...(startMs + setupWallMs))
    }
    let people = phases.filter(\.isOfPerson).compactMap(\.span)
    return span.upperBound - span.lowerBound - covered(by: people, of: span)
  }
}

extension Phase {
  /// Where the phase lies, if it was measured.
  public var span: ClosedRange<Double>? {
    guard let startMs, let durationMs, durationMs >= 0, startMs.isFinite, durationMs.isFinite else {
      return nil
    }
    return startMs...(startMs + durationMs)
  }

  /// Whether it ended some time between the two events that it names.
  public var isBounded: Bool { state == .unknown && fromEvent != nil && toEvent != nil }

  /// How the cause begins of what a clock of whole seconds cannot measure.
  public static let belowClock = "too short for a clock of whole seconds"

  /// Whether it happened, and was over before the clock could tell how long it took.
  public var isBelowClock: Bool { isBounded && cause?.hasPrefix(Self.belowClock) ?? false }

  /// How the cause ends of a permission that was refused before it was given, as for less.
  public static let askedAgain = "at first, and asked again"

  /// Whether camera or microphone were refused, for good or at first.
  public var isRefused: Bool {
    name == .capture && (toEvent == "media.local-failed" || cause?.hasSuffix(Self.askedAgain) == true)
  }

  /// Whether it is a person's time, which no total holds.
  public var isOfPerson: Bool { name == .ringing || name == .capture }
}

/// How much of an interval the given spans cover, overlaps counted once.
public func covered(by spans: [ClosedRange<Double>], of interval: ClosedRange<Double>) -> Double {
  SpanSet(spans.map { ($0.lowerBound, $0.upperBound) }).covered(
    from: interval.lowerBound, to: interval.upperBound)
}
