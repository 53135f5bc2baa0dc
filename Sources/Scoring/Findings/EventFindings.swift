import CallModel

/// Findings that an SDK's log states by itself, independent of statistics: one rule per code, and no other code decides
/// on them.
///
/// A dialect supplies the evidence (docs: event-logs): events, and arguments such as `kind`, `code`, `reason`,
/// `result`, `waits_for`.
struct EventRule: Sendable {
  let code: FindingCode
  let severity: Severity
  /// Returns what was found: times, figures and text.
  let find: @Sendable (CallWords) -> [Found]

  struct Found {
    var severity: Severity?
    var startMs, endMs: Double?
    var evidence = Evidence()
    var text: String
  }

  static let all: [EventRule] = [
    EventRule(code: .sessionOutage, severity: .warning) { $0.outages(of: .session, "session") },
    EventRule(code: .networkOutage, severity: .warning) { $0.outages(of: .network, "network") },
    EventRule(code: .connectionGivenUp, severity: .error) { $0.givenUp },
    EventRule(code: .lateICE, severity: .warning) { $0.lateICE },
    EventRule(code: .noMicrophone, severity: .error) { $0.missingDevice(.audio) },
    EventRule(code: .noCamera, severity: .warning) { $0.missingDevice(.video) },
    EventRule(code: .permissionRefused, severity: .error) { $0.refusedPermission },
    EventRule(code: .pushTooLate, severity: .error) { $0.latePush },
    EventRule(code: .interruptedByTelephone, severity: .warning) { $0.interruptions },
    EventRule(code: .waitedForHost, severity: .info) { $0.waitsForHost },
    EventRule(code: .mediaLost, severity: .error) { $0.lostMedia },
    EventRule(code: .requestRefused, severity: .warning) { $0.refusedRequests },
    EventRule(code: .dataChannelFailed, severity: .warning) { $0.failedDataChannels },
  ]
}

/// Findings from the events of one end alone, in the order of the rules.
func eventFindings(_ context: FindingContext) -> [Finding] {
  let words = CallWords(context.events, overMs: context.overMs)
  return EventRule.all.flatMap { rule in
    rule.find(words).map {
      Finding(
        rule.code, $0.severity ?? rule.severity, from: $0.startMs, to: $0.endMs, $0.evidence, $0.text
      )
    }
  }
}

/// The log of one end's call, with the times between which its events count.
struct CallWords {
  let events: [EventRecord]
  /// When the call was established and when it ended; nil if unknown.
  let establishedMs: Double?
  let endMs: Double?
  private let overMs: Double?

  init(_ events: [EventRecord], overMs: Double?) {
    self.events = events
    self.overMs = overMs
    establishedMs = events.first { $0.event == .callEstablished }?.ownTimeMs
    endMs = events.last { $0.event.isEnd }?.ownTimeMs ?? overMs
  }

  /// Whether the log is of a call and not only of a connection.
  private var isOfSDK: Bool { events.contains { $0.sdk != nil && $0.sdk != "w3c" } }

  // MARK: Outages

  func outages(of service: ServiceOutage.Service, _ name: String) -> [EventRule.Found] {
    let outages = events.serviceOutages.filter {
      $0.service == service && !$0.isOfPeerConnection && $0.lengthMs >= Threshold.outage.value
    }
    guard let first = outages.first, let longest = outages.map(\.lengthMs).max() else { return [] }
    let all = outages.reduce(0) { $0 + $1.lengthMs }
    let retries = outages.reduce(0) { $0 + $1.retries }
    let lasted = outages.last?.isOpenAtTheEnd == true
    var text = "The \(name) was out for \(seconds(all))"
    if outages.count > 1 { text += " in \(outages.count) outages, the longest \(seconds(longest))" }
    if retries > 0 { text += ", with \(Self.attempts(retries)) to come back" }
    text += lasted ? "; it did not come back." : "."
    let evidence = Evidence().with("out_ms", all).with("times", Double(outages.count))
      .with("longest_ms", longest).with("attempts", retries > 0 ? Double(retries) : nil)
    return [
      EventRule.Found(
        severity: lasted ? .error : nil, startMs: first.startMs, endMs: outages.last?.endMs,
        evidence: evidence, text: text)
    ]
  }

  var givenUp: [EventRule.Found] {
    events.serviceOutages.filter { $0.isGivenUp && $0.isOpenAtTheEnd && !$0.isOfPeerConnection }.prefix(1)
      .map { outage in
        let tries = outage.retries > 0 ? " after \(Self.attempts(outage.retries)) to come back" : ""
        let evidence = Evidence().with("out_ms", outage.lengthMs).with("attempts", Double(outage.retries))
        return EventRule.Found(
          startMs: outage.startMs, endMs: outage.endMs, evidence: evidence,
          text: "The SDK gave its connection up\(tries): the session is lost.")
      }
  }

  private static func attempts(_ count: Int) -> String { Plural.of(count, "attempt") }

  // MARK: ICE

  /// For SDKs that log ICE states without statistics: no media can flow until ICE is connected.
  var lateICE: [EventRule.Found] {
    let answers: [EventName] = [.callAnswered, .callMediaPending]
    guard isOfSDK, let connected = events.first(where: { $0.event == .iceConnected })?.ownTimeMs,
      let answered = events.first(where: { answers.contains($0.event) })?.ownTimeMs ?? establishedMs,
      connected - answered >= Threshold.lateICE.value
    else { return [] }
    return [
      EventRule.Found(
        startMs: answered, endMs: connected,
        evidence: Evidence().with("wait_ms", connected - answered).with(
          "threshold_ms", Threshold.lateICE.value),
        text:
          "ICE was connected \(seconds(connected - answered)) after the answer: nobody could hear anything until then."
      )
    ]
  }

  // MARK: Devices

  /// Device failures of one medium, or of any if `kind` is nil.
  private func failures(_ kind: MediaKind?) -> [EventRecord] {
    var failed: [EventRecord] = []
    for event in events {
      if event.event == .mediaLocalAcquired { failed.removeAll { $0[.kind] == nil } }
      guard event.event == .mediaLocalFailed, isOfCall(event) else { continue }
      let failedKind = event[.kind]
      if kind == nil || failedKind == kind?.rawValue || failedKind == "all" || failedKind == nil {
        failed.append(event)
      }
    }
    return failed
  }

  // Opening the camera after the call does not belong to it.
  private func isOfCall(_ event: EventRecord) -> Bool {
    guard let time = event.ownTimeMs, let endMs else { return true }
    return time <= endMs
  }

  func missingDevice(_ kind: MediaKind) -> [EventRule.Found] {
    // If both were refused, another finding reports it.
    guard
      let failed = failures(kind).first(where: {
        !($0[.kind] == "all" && $0.saysPermissionRefused)
      })
    else { return [] }
    let device = kind == .audio ? "microphone" : "camera"
    let isCertain = failed[.kind] != nil
    var text = "No \(device): it could not be used\(reason(of: failed))"
    if !isCertain { text = "No microphone or camera: one of them could not be used\(reason(of: failed))" }
    if establishedMs != nil {
      text +=
        kind == .audio
        ? "; the far end hears nothing of this one." : "; the far end sees nothing of this one."
    } else {
      text += "."
    }
    // If the log does not say which device failed, report it only once.
    if !isCertain, kind == .video { return [] }
    return [
      EventRule.Found(
        startMs: failed.timeMs, endMs: endMs,
        evidence: Evidence().with("code", failed[.code]).with("raw", failed.raw), text: text)
    ]
  }

  var refusedPermission: [EventRule.Found] {
    guard let refused = failures(nil).first(where: \.saysPermissionRefused) else { return [] }
    return [
      EventRule.Found(
        startMs: refused.timeMs, endMs: endMs,
        evidence: Evidence().with("code", refused[.code]).with("raw", refused.raw),
        text: "Permission to use the microphone or the camera was refused.")
    ]
  }

  private func reason(of event: EventRecord) -> String {
    let reason = event[.words] ?? event[.reason]
    return reason.map { ": \($0.prefix(120))" } ?? ""
  }

  // MARK: Incoming calls and interruptions

  var latePush: [EventRule.Found] {
    guard let expired = events.first(where: { $0.event == .pushExpired }) else { return [] }
    return [
      EventRule.Found(
        startMs: expired.timeMs, evidence: Evidence().with("raw", expired.raw),
        text: "The push that was to wake this end came too late: the call could not be answered any more.")
    ]
  }

  var interruptions: [EventRule.Found] {
    let interrupted = events.filter { $0.event == .mediaInterrupted && isOfCall($0) }
    guard let first = interrupted.first else { return [] }
    let ends = interrupted.compactMap { event in
      event.untilMs.flatMap { end in event.timeMs.map { end - $0 } }
    }
    let lasted = ends.reduce(0, +)
    let times = interrupted.count > 1 ? "\(interrupted.count) times" : "once"
    let time = ends.isEmpty ? "" : ", for \(seconds(lasted)) in all"
    let evidence = Evidence().with("times", Double(interrupted.count))
      .with("interrupted_ms", ends.isEmpty ? nil : lasted)
    return [
      EventRule.Found(
        startMs: first.timeMs, endMs: interrupted.last?.untilMs ?? endMs, evidence: evidence,
        text: "A telephone call took the sound of this one \(times)\(time).")
    ]
  }

  var waitsForHost: [EventRule.Found] {
    guard let first = events.first(where: { $0[.waitsFor] == "host" }) else { return [] }
    let until = first.untilMs ?? establishedMs.flatMap { $0 >= first.timeMs ?? $0 ? $0 : nil } ?? endMs
    let waited = first.timeMs.flatMap { start in until.map { max(0, $0 - start) } }
    let isAdmitted = first.untilMs != nil || establishedMs != nil
    return [
      EventRule.Found(
        severity: isAdmitted ? nil : .warning, startMs: first.timeMs, endMs: until,
        evidence: Evidence().with("waited_ms", waited),
        text: "Waited\(waited.map { " \(seconds($0))" } ?? "") in the waiting room for a host"
          + (isAdmitted ? " to let this end in." : ", and nobody let this end in."))
    ]
  }

  // MARK: Media and requests

  /// An SDK's own ICE states may be the only sign that media stopped.
  private var lostPath: [EventRule.Found] {
    var since: Double?
    var spans: [(start: Double, end: Double)] = []
    for event in events where event.sdk != nil && event.sdk != "w3c" {
      guard let time = event.ownTimeMs else { continue }
      if event.event == .iceDisconnected { since = since ?? time }
      guard let start = since, [.iceConnected, .callEnded, .callFailed].contains(event.event) else {
        continue
      }
      if time - start >= Threshold.outage.value { spans.append((start, time)) }
      since = nil
    }
    guard let first = spans.first else { return [] }
    let lost = spans.reduce(0) { $0 + $1.end - $1.start }
    return [
      EventRule.Found(
        severity: .warning, startMs: first.start, endMs: spans.last?.end,
        evidence: Evidence().with("without_ms", lost).with("times", Double(spans.count)),
        text: "The connection for media (ICE) was lost for \(seconds(lost)).")
    ]
  }

  var lostMedia: [EventRule.Found] { lostPath + lostStream }

  private var lostStream: [EventRule.Found] {
    guard let establishedMs else { return [] }
    for (index, event) in events.enumerated() where event.event == .mediaRemoteEnded {
      // A camera or a shared screen may be switched off.
      guard event[.kind] != MediaKind.video.rawValue, let time = event.ownTimeMs,
        time > establishedMs, let endMs, endMs - time >= Threshold.mediaLostBefore.value,
        !events[(index + 1)...].contains(where: { $0.event == .mediaRemoteStream })
      else { continue }
      return [
        EventRule.Found(
          startMs: time, endMs: endMs, evidence: Evidence().with("without_ms", endMs - time),
          text:
            "The far end's media went away \(seconds(endMs - time)) before the call ended, and did not come back."
        )
      ]
    }
    return []
  }

  // Refusals that are events of their own. A server that asks for a PIN is not one.
  private static let refusals: Set<EventName> = [.conferenceError, .appMessageFailed]

  private static func request(of event: EventRecord) -> String {
    event[.update] ?? event[.what]
      ?? (event.event == .appMessageFailed ? "message" : "request")
  }

  var failedDataChannels: [EventRule.Found] {
    let failed = events.filter { $0.event == .sessionDataChannelFailed && isOfCall($0) }
    guard let first = failed.first else { return [] }
    let times = failed.count > 1 ? " \(failed.count) times" : ""
    return [
      EventRule.Found(
        startMs: first.timeMs, evidence: Evidence().with("times", Double(failed.count)),
        text:
          "A data channel of this call failed\(times)\(reason(of: first)): what was sent on it may be lost.")
    ]
  }

  var refusedRequests: [EventRule.Found] {
    let refused = events.filter { event in
      event.event == .callUpdated && event[.result] == "rejected"
        || Self.refusals.contains(event.event)
    }
    var reported: [String] = []
    var found: [EventRule.Found] = []
    for event in refused {
      let what = Self.request(of: event)
      guard !reported.contains(what) else { continue }
      reported.append(what)
      let times = refused.count { Self.request(of: $0) == what }
      let code = event[.code].map { " (\($0.prefix(60)))" } ?? ""
      found.append(
        EventRule.Found(
          startMs: event.timeMs, evidence: Evidence().with("request", what).with("times", Double(times)),
          text:
            "The server or the far end refused a request of this call: \(what)\(code)\(reason(of: event))."))
    }
    return found
  }
}
