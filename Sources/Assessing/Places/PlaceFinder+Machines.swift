import CallModel
import CallStore
import Scoring
import Timeline

extension EndpointAssessment {
  /// Whether it sent media by its own statistics.
  var hasSent: Bool {
    choice.chosen(.stats).contains { $0.facts.direction == .outbound && ($0.totals.packets ?? 0) > 0 }
  }
}

/// Places at an end: its camera and microphone, its machine, its application.
extension PlaceFinder {
  /// Share of time for which a microphone gives samples below which it stood still, and from which it went on.
  private static let (stillShare, goesOnShare) = (0.3, 0.7)
  /// Share of frames dropped from which the receiver's machine is too slow.
  private static let droppedShare = 0.1
  /// Frames a second below which a camera is slow, and how much more of them may be captured than were seen.
  private static let (slowCamera, aboutSeen) = (15.0, 1.25)
  /// Below this many a camera is slow whoever sees it.
  private static let stillCamera = 5.0
  /// Part of the time between two frames that a codec may take for one at most.
  private static let busyShare = 0.9
  /// Part of what was missed for which the sender's reports must have stopped.
  private static let asleepShare = 0.7

  /// What the only stream of a kind and direction at an end that has one grew by in the time of a trouble at another end.
  private func grown(
    _ metrics: [Metric], _ direction: StreamDirection, _ trouble: Trouble, at far: EndpointAssessment,
    of end: EndpointAssessment
  ) throws -> (lengthMs: Double, growth: [Double?])? {
    guard let stream = onlyStream(direction, trouble.medium, at: far) else { return nil }
    let aheadMs = end.onCallClock(0) - far.onCallClock(0)
    return try store.growth(of: stream, metrics, from: trouble.startMs + aheadMs, to: trouble.endMs + aheadMs)
  }

  private func onlyStream(
    _ direction: StreamDirection, _ kind: MediaKind, at end: EndpointAssessment
  ) -> StoredStream? {
    let streams = end.choice.chosen(.stats).filter {
      $0.facts.direction == direction && $0.facts.kind == kind
    }
    return streams.count == 1 ? streams.first : nil
  }

  private func wasMuted(_ far: EndpointAssessment, _ trouble: Trouble, _ end: EndpointAssessment) -> Bool {
    let aheadMs = end.onCallClock(0) - far.onCallClock(0)
    let (start, stop) = (trouble.startMs + aheadMs, trouble.endMs + aheadMs)
    let muted = SpanSet(far.muted.map { (start: $0.startMs, end: min($0.endMs, stop)) })
    return muted.covered(from: start, to: stop) >= trouble.lengthMs / 4
  }

  /// Whether a finding of an end covers most of a trouble at another end.
  func hasFinding(
    _ code: FindingCode, at far: EndpointAssessment, during trouble: Trouble, of end: EndpointAssessment,
    where isSo: (Finding) -> Bool = { _ in true }
  ) -> Bool {
    let aheadMs = end.onCallClock(0) - far.onCallClock(0)
    return (findings[far.endpoint.key] ?? []).contains { finding in
      guard finding.code == code, isSo(finding), let start = finding.startMs, let stop = finding.endMs else {
        return false
      }
      let both = min(stop, trouble.endMs + aheadMs) - max(start, trouble.startMs + aheadMs)
      return both > trouble.lengthMs / 2
    }
  }

  func notPlayed(_ trouble: Trouble, _ end: EndpointAssessment) throws -> PlacedFault? {
    guard trouble.kind == .missed(.notPlayed),
      let seen = try grown(
        [.packets, .jitterBufferEmitted, .totalSamples], .inbound, trouble, at: end, of: end),
      let packets = seen.growth[0], packets > 0,
      seen.growth[1] == 0 || seen.growth[2] == 0
    else { return nil }
    return PlacedFault(
      .notPlayed, at: end.endpoint.name, evidence: "packets came, and nothing took their sound to play it")
  }

  func framesDropped(_ trouble: Trouble, _ end: EndpointAssessment) throws -> PlacedFault? {
    guard trouble.medium == .video, case .impaired(let cause) = trouble.kind,
      [.freeze, .framerate].contains(cause),
      let seen = try grown(
        [.framesDropped, .framesReceived, .lost, .packets], .inbound, trouble, at: end, of: end),
      let dropped = seen.growth[0], let received = seen.growth[1], received > 0
    else { return nil }
    let lost = max(0, seen.growth[2] ?? 0)
    let share = dropped / received
    guard share > Self.droppedShare, lost < 0.02 * ((seen.growth[3] ?? 0) + lost) else { return nil }
    return PlacedFault(
      .framesDropped, at: end.endpoint.name,
      evidence: "it dropped \(lossPercent(min(1, share))) of the frames that it received")
  }

  func slowDecoder(_ trouble: Trouble, _ end: EndpointAssessment) throws -> PlacedFault? {
    guard trouble.medium == .video, case .impaired(let cause) = trouble.kind,
      [.freeze, .framerate].contains(cause),
      let seen = try grown(
        [.decodeMs, .frames, .framesReceived, .lost, .packets], .inbound, trouble, at: end, of: end),
      let decodeMs = seen.growth[0], let frames = seen.growth[1], let received = seen.growth[2], frames > 0,
      received > 0
    else { return nil }
    let lost = max(0, seen.growth[3] ?? 0)
    let (eachMs, apartMs) = (decodeMs / frames, seen.lengthMs / received)
    guard eachMs >= Self.busyShare * apartMs, lost < 0.02 * ((seen.growth[4] ?? 0) + lost) else { return nil }
    return PlacedFault(
      .slowDecoder, at: end.endpoint.name,
      evidence:
        "to decode a frame took it \(Int(eachMs.rounded())) ms, and one came every \(Int(apartMs.rounded())) ms"
    )
  }

  func senderAsleep(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard case .missed(let what) = trouble.kind, [.notSent, .lost].contains(what) else { return nil }
    let far = onlyOne(others) { far in
      let aheadMs = end.onCallClock(0) - far.onCallClock(0)
      let (start, stop) = (trouble.startMs + aheadMs, trouble.endMs + aheadMs)
      // Reports that ended long before say nothing of it.
      let lastMs = far.choice.chosen(.stats).compactMap(\.totals.lastMs).max() ?? .infinity
      if lastMs < stop, abs(start - lastMs) <= Window.lengthMs { return true }
      let paused = SpanSet(far.reportGaps.map { (start: $0.lowerBound, end: $0.upperBound) })
      return paused.covered(from: start, to: stop) >= Self.asleepShare * (stop - start)
        && far.unsent(trouble.medium, from: trouble.startMs, to: trouble.endMs, seenFrom: end)
    }
    return far.map {
      PlacedFault(
        .senderAsleep, at: $0.endpoint.name,
        evidence:
          "its own reports stopped meanwhile, and those of \(ends.count > 2 ? "the others" : "the other end") went on"
      )
    }
  }

  /// The trouble is of what one other end did not give, and of the others nobody: who it is.
  private func onlyOne(
    _ others: [EndpointAssessment], where isSo: (EndpointAssessment) throws -> Bool
  ) rethrows -> EndpointAssessment? {
    let found = try others.filter(isSo)
    return found.count == 1 ? found.first : nil
  }

  func sourceStoodStill(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) throws -> PlacedFault? {
    guard trouble.medium == .audio, trouble.isUnsent else { return nil }
    let far = try onlyOne(others) { far in
      guard !wasMuted(far, trouble, end),
        let given = try grown([.totalSamplesDurationMs], .outbound, trouble, at: far, of: end),
        let soundMs = given.growth[0]
      else { return false }
      return soundMs < Self.stillShare * given.lengthMs
    }
    return far.map {
      PlacedFault(
        .sourceStoodStill, at: $0.endpoint.name,
        evidence: "its microphone gave no samples, and its reports went on")
    }
  }

  /// A microphone that nobody muted, and that hears less than a quiet room.
  private func isQuiet(_ finding: Finding) -> Bool {
    finding.code == .micSilent && finding.severity == .warning
      && (finding.evidence.number("digital_silence_ms") ?? 0) < finding.lengthMs / 2
  }

  func sourceIsQuiet(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard trouble.medium == .audio, trouble.isUnsent, ![.good, .fair].contains(verdict.value) else {
      return nil
    }
    let far = onlyOne(others) { hasFinding(.micSilent, at: $0, during: trouble, of: end, where: isQuiet) }
    return far.map {
      PlacedFault(
        .sourceIsQuiet, at: $0.endpoint.name, evidence: "its microphone gave next to nothing")
    }
  }

  func sourceIsSlow(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) throws -> PlacedFault? {
    guard trouble.kind == .impaired(.framerate), others.count == 1, let far = others.first,
      !hasFinding(.cpuLimited, at: far, during: trouble, of: end),
      !hasFinding(.bandwidthStarved, at: far, during: trouble, of: end),
      let given = try grown([.framesCaptured], .outbound, trouble, at: far, of: end),
      let frames = given.growth[0],
      let seen = try grown([.frames], .inbound, trouble, at: end, of: end)?.growth[0]
    else { return nil }
    let rate = frames / (given.lengthMs / 1000)
    guard rate < Self.slowCamera, frames <= Self.aboutSeen * seen + 1 else { return nil }
    return PlacedFault(
      .sourceIsSlow, at: far.endpoint.name,
      evidence: "its camera gave \(Self.frames(perSecond: rate))")
  }

  /// `25 frames a second`, and below 2 with the fraction that matters there.
  private static func frames(perSecond rate: Double) -> String {
    let shown = rate < 1.95 ? (rate * 10).rounded() / 10 : rate.rounded()
    let text = shown == shown.rounded() ? "\(Int(shown))" : "\(shown)"
    return "\(text) \(shown == 1 ? "frame" : "frames") a second"
  }

  func senderProcessor(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) throws -> PlacedFault? {
    guard trouble.isOfSentPicture || trouble.medium == .video && trouble.isUnsent else { return nil }
    let far = try onlyOne(others) { far in
      if hasFinding(.cpuLimited, at: far, during: trouble, of: end) { return true }
      guard
        let made = try grown([.decodeMs, .frames, .framesCaptured], .outbound, trouble, at: far, of: end),
        let encodeMs = made.growth[0], let frames = made.growth[1], let captured = made.growth[2], frames > 0,
        frames < Self.busyShare * captured
      else { return false }
      return encodeMs >= Self.busyShare * made.lengthMs
    }
    return far.map { encoder(of: $0) }
  }

  private func encoder(of end: EndpointAssessment) -> PlacedFault {
    let isStill = (findings[end.endpoint.key] ?? []).contains { $0.evidence.has("stalled_ms") }
    return PlacedFault(
      .senderProcessor, at: end.endpoint.name,
      evidence: isStill
        ? "its encoder stood still, and its camera went on" : "its processor was too slow for its picture")
  }

  /// What the only end on record shows of what it sent: that it stood still, its processor, its encoder, its camera. No
  /// listener tells what became of it.
  func ofOwnSender() throws -> PlacedFault? {
    guard ends.count == 1, let end = ends.first, let media = end.media else { return nil }
    if verdict.value.isAlarm, verdict.end == nil, verdict.reason == .notSent, let span = verdict.span {
      let still = (findings[end.endpoint.key] ?? []).contains { finding in
        guard finding.code == .sparseSound, finding.evidence.has("sent_by"), let start = finding.startMs,
          let stop = finding.endMs
        else { return false }
        return min(stop, span.upperBound) - max(start, span.lowerBound) > (span.upperBound - span.lowerBound)
          / 2
      }
      if still { return stoodStill(end.endpoint.name) }
    }
    guard let picture = onlyStream(.outbound, .video, at: end)
    else { return nil }
    func sent(_ startMs: Double, _ endMs: Double) throws -> (captured: Double, encoded: Double)? {
      guard endMs - startMs >= Window.lengthMs,
        let made = try store.growth(of: picture, [.framesCaptured, .frames], from: startMs, to: endMs),
        let captured = made.growth[0], let encoded = made.growth[1]
      else { return nil }
      let seconds = made.lengthMs / 1000
      return (captured / seconds, encoded / seconds)
    }
    for finding in findings[end.endpoint.key] ?? [] where finding.code == .cpuLimited {
      guard !finding.evidence.has("dropping_ms"), let start = finding.startMs, let stop = finding.endMs,
        let rate = try sent(start, stop), rate.encoded < min(Self.slowCamera, Self.busyShare * rate.captured)
      else { continue }
      return encoder(of: end)
    }
    // A shared screen has few frames, and a quiet microphone may be that of somebody who listens.
    guard picture.facts.screen != true, let rate = try sent(media.lowerBound, media.upperBound),
      rate.captured < Self.stillCamera,
      rate.captured <= Self.aboutSeen * rate.encoded
    else { return nil }
    return PlacedFault(
      .sourceIsSlow, at: end.endpoint.name,
      evidence: "its camera gave \(Self.frames(perSecond: rate.captured))")
  }

  func stoppedByApplication(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) throws -> PlacedFault? {
    guard trouble.medium == .audio, trouble.isUnsent, others.count == 1, let far = others.first,
      verdict.value != .good, !wasMuted(far, trouble, end),
      let given = try grown(
        [.totalSamplesDurationMs, .totalAudioEnergy, .packets], .outbound, trouble, at: far, of: end),
      let soundMs = given.growth[0], soundMs >= Self.goesOnShare * given.lengthMs,
      let energy = given.growth[1],
      (max(0, energy) / (soundMs / 1000)).squareRoot() >= Threshold.silentLevel.value, given.growth[2] == 0,
      // Where both stop, it was agreed.
      let own = try grown([.packets], .outbound, trouble, at: end, of: end)?.growth[0], own > 0
    else { return nil }
    return PlacedFault(
      .stoppedByApplication, at: far.endpoint.name,
      evidence: "its microphone was heard, and nothing of it was sent; no mute is on record")
  }
}

extension Finding {
  fileprivate var lengthMs: Double { startMs.flatMap { start in endMs.map { $0 - start } } ?? 0 }
}
