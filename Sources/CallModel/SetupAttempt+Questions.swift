extension SetupAttempt {
  /// Why camera or microphone could not be had, where the attempt failed of it: nothing came after.
  public var deviceFailure: String? {
    guard outcome == .failed, let capture = phases.first(where: { $0.name == .capture }),
      capture.toEvent == "media.local-failed", let startMs = capture.startMs, let lasted = capture.durationMs,
      phases.allSatisfy({ $0.startMs ?? startMs < startMs + lasted })
    else { return nil }
    return capture.cause
  }
}
