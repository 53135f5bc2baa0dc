import CallModel

extension AttemptEvents {
  /// Whether the attempt ended because camera and microphone were not available, and only its end followed.
  ///
  /// Applications may try again with audio only, or go on without sending anything.
  var isEndedByDevice: Bool {
    let before = events.prefix { !$0.event.isEnd }
    guard let failed = before.lastIndex(where: { $0.event == .mediaLocalFailed }) else { return false }
    return before[failed...].allSatisfy { event in
      ![.call, .sdp, .ice, .dtls].contains(event.event.group)
        && ![.mediaLocalRequested, .mediaLocalAcquired].contains(event.event)
    }
  }

  /// Whether the attempt failed because camera or microphone was not available, and its end names no other
  /// cause. A call can go on without a camera.
  var isFailedByCapture: Bool {
    guard let failed = events.last(where: { $0.event == .mediaLocalFailed }),
      let end = events.firstIndex(where: EndOfAttempt.isEnd)
    else { return false }
    // One line reported both.
    if events[end].raw == failed.raw, events[end].timeMs == failed.timeMs { return true }
    guard isEndedByDevice else { return false }
    let outcome = EndOfAttempt(events[end...]).outcome
    if outcome == nil || outcome == .completed { return true }
    guard outcome == .failed, failed[.kind] != "video", let failedMs = failed.timeMs,
      let endMs = events[end].timeMs
    else { return false }
    return endMs - failedMs <= EndOfAttempt.sameEndMs
  }
}

/// Whether the last attempt failed because camera or microphone was not available.
public func isFailedByCapture(_ events: [EventRecord]) -> Bool {
  splitAttempts(events).last.map { AttemptEvents($0).isFailedByCapture } ?? false
}

/// Why a camera or microphone was not available, in plain words with the browser's error name.
func deviceFailure(_ event: EventRecord) -> String {
  let device =
    switch event[.kind] {
    case "audio": "microphone"
    case "video": "camera"
    default: "camera or microphone"
    }
  guard let error = CaptureError(in: event) else { return "\(device) could not be had" }
  let words =
    switch error.kind {
    case .refused: "refused"
    case .notFound: "not there"
    case .notReadable: "there, but could not be opened"
    case .overconstrained: "unable to do what was asked of it"
    }
  return "\(device) \(words) (\(error.name))"
}
