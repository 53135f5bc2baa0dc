import CallModel

/// Media that a capture has completely and in time but that its receiver can hardly or not at all play, as the
/// capture's reader reports it. If the receiving end has no capture, the finding is reported at the sender.
func unplayableMedia(_ context: FindingContext) -> [Finding] {
  // On hold and after the call nothing is missing.
  func isQuiet(_ report: CaptureReport) -> Bool {
    context.quietTimes.hasMost(of: (start: report.start, end: report.end))
  }
  var reported: [CaptureReport] = []
  return context.events.compactMap { event in
    guard let note = event.note, let start = event.timeMs, start < context.overMs ?? .infinity,
      let end = event[.untilMs]
    else { return nil }
    let report = CaptureReport(event, from: start, to: min(end, context.overMs ?? end))
    // Another capture has the same packets.
    guard !reported.contains(where: { $0.isSame(as: report) }) else { return nil }
    reported.append(report)
    switch note {
    case .payloadType: return report.payloadType
    case .srtpReset: return report.reset
    case .sparse where !isQuiet(report): return report.sparse
    case .digitalSilence where !isQuiet(report): return report.silence
    case .clockJump: return report.jump
    case .packetTime: return report.packetTime
    case .packing: return report.packing
    case .mediaClock: return report.clock
    case .inTheClear: return report.clear
    case .secondSound: return report.secondSound
    case .fax where !context.events.contains(where: { $0.note == .oneDirection }): return report.fax
    default: return nil
    }
  }
}

extension [EventRecord] {
  /// When the far end sent next to no sound, by a capture with no number missing.
  package var farEndStoodStill: SpanSet { farEnd(.sparse) { _ in true } }

  /// When the far end made less sound than time passed, by a capture with no number missing.
  package var farEndStarved: SpanSet { farEnd(.mediaClock) { $0[.share] ?? 1 < 1 } }

  /// When a host said that the port that media were sent to is closed: this end's, or the far end's.
  package func portClosed(atFarEnd: Bool) -> SpanSet {
    noted(.portClosed) { ($0[.sent] == true) == atFarEnd }
  }

  private func farEnd(_ note: CaptureNote, where isSo: (EventRecord) -> Bool) -> SpanSet {
    noted(note) { $0[.sent] != true && isSo($0) }
  }

  private func noted(_ note: CaptureNote, where isSo: (EventRecord) -> Bool) -> SpanSet {
    SpanSet(
      compactMap { event in
        guard event.note == note, isSo(event), let start = event.timeMs, let end = event[.untilMs] else {
          return nil
        }
        return (start: start, end: end)
      })
  }
}

/// What a capture reports about the packets of one stream.
private struct CaptureReport {
  private let event: EventRecord
  let start: Double
  let end: Double
  /// Whether this end sent the packets.
  private let isSent: Bool

  init(_ event: EventRecord, from start: Double, to end: Double) {
    (self.event, self.start, self.end) = (event, start, end)
    isSent = event[.sent] == true
  }

  /// Whether it is of the same packets: the same stream, for most of the time.
  func isSame(as other: CaptureReport) -> Bool {
    event.note == other.event.note && isSent == other.isSent && event[.ssrc] == other.event[.ssrc]
      && event[.kind] == other.event[.kind]
      && min(end, other.end) - max(start, other.start) > (end - start) / 2
  }

  private var who: String { isSent ? "This end" : "The far end" }
  private var receiver: String { isSent ? "The other end" : "This end" }
  private var medium: String { event[.kind] == "video" ? "the picture" : "sound" }
  private var length: String { seconds(end - start) }

  private func finding(_ code: FindingCode, _ severity: Severity, _ evidence: Evidence, _ text: String)
    -> Finding
  {
    let sent = isSent ? evidence.with("sent_by", "this end") : evidence
    return Finding(
      code, severity, from: start, to: end,
      sent.with("packets", event[.packets].map(Double.init)).with("ssrc", event[.ssrc].map(Double.init)).with(
        "kind", event[.kind]),
      text)
  }

  var payloadType: Finding? {
    guard let type = event[.payloadType] else { return nil }
    let agreed = event[.agreed] ?? ""
    return finding(
      .payloadTypeNotAgreed, .error, Evidence().with("payload_type", type).with("agreed", agreed),
      "\(who) sends \(medium) for \(length) under payload type \(Int(type)), which is not among those that the ends agreed on "
        + "(\(agreed)): a receiver throws it away, and nothing can be heard or seen of it.")
  }

  var reset: Finding? {
    guard let from = event[.fromNumber], let to = event[.toNumber] else { return nil }
    return finding(
      .srtpSequenceReset, .error, Evidence().with("from_number", from).with("to_number", to),
      "The sequence numbers of \(isSent ? "this" : "the far") end's encrypted \(medium == "sound" ? "sound" : "picture") went from "
        + "\(Int(from)) to \(Int(to)) under the same SSRC and keys: by RFC 3711 a receiver refuses what follows as a replay or for another "
        + "rollover counter, so none of it is heard or seen for \(length).")
  }

  var sparse: Finding? {
    guard let packets = event[.packets].map(Double.init), let audibleMs = event[.heardMs], end > start else {
      return nil
    }
    let rate = packets / ((end - start) / 1000)
    let evidence = Evidence().with("packets_per_s", rate).with(
      "heard_share", min(1, audibleMs / (end - start)))
    guard packets > 0 else {
      return finding(
        .sparseSound, .error, evidence,
        "\(who) sent no sound for \(length) and then went on with the next number and the next timestamp: its sender stood still."
      )
    }
    return finding(
      .sparseSound, .error, evidence,
      "\(who) fell to \((rate * 10).rounded() / 10) packets of sound a second for \(length), with no number missing and no sign of silence: "
        + "\(lossPercent(min(1, audibleMs / (end - start)))) of the time has sound in it.")
  }

  var silence: Finding? {
    guard end - start >= Threshold.digitalSilence.value else { return nil }
    let evidence = Evidence().with("digital_silence_ms", end - start).with("share", event[.share])
      .with("by", "payload").with("cause", "silent-source")
    guard !isSent else {
      return finding(
        .micSilent, .info, evidence,
        "What this end sends is digital silence for \(length), up to its end: muted, or no microphone behind it."
      )
    }
    return finding(
      .farEndSilent, .info, evidence,
      "The far end sent digital silence for \(length), up to its end: packets came with no sound in them.")
  }

  var clear: Finding? {
    finding(
      .unencryptedMedia, .warning, Evidence().with("sent_ms", end - start),
      "The ends agreed on SRTP, and by the size of its packets \(isSent ? "this" : "the far") end sends its sound in the clear: a receiver "
        + "refuses it, or everybody on the way can listen.")
  }

  var packetTime: Finding? {
    guard let sent = event[.packetMs] else { return nil }
    let (agreed, longest) = (event[.agreedMs], event[.longestMs])
    let isTooLong = longest.map { sent > $0 } ?? false
    let asked = isTooLong ? longest.map { "at most \(Int($0))" } : agreed.map { "\(Int($0))" }
    return finding(
      .packetTimeNotAgreed, isTooLong ? .warning : .info,
      Evidence().with("packet_ms", sent).with("agreed_ms", agreed).with("longest_ms", longest),
      "\(who) sends \(Int(sent)) ms of sound in a packet, and \(receiver.lowercased()) asked for \(asked ?? "another") ms: "
        + (isTooLong
          ? "a receiver may refuse it or play it broken."
          : "most receivers play it; each lost packet takes as much sound."))
  }

  var clock: Finding? {
    let whose = isSent ? "this" : "the far"
    if let named = event[.namedHz], let counted = event[.countedHz] {
      return finding(
        .mediaClock, .warning, Evidence().with("counted_hz", counted).with("named_hz", named),
        "The RTP time of \(whose) end's sound counts \(Int(counted)) Hz, and \(event[.codec] ?? "the codec") has a clock of \(Int(named)) Hz: "
          + "it is read with the former here, and a receiver that does not plays it at the wrong speed or in pieces."
      )
    }
    guard let share = event[.share] else { return nil }
    return finding(
      .mediaClock, .warning, Evidence().with("made_share", share),
      "With no number missing, \(whose) end made \(lossPercent(share)) of the sound that \(length) take: its machine is too "
        + "\(share < 1 ? "slow" : "fast"), and the path is not at fault.")
  }

  var secondSound: Finding? {
    guard let from = event[.from] else { return nil }
    return finding(
      .secondSound, .info, Evidence().with("from", from).with("came_ms", end - start),
      "A second sound came to the port of \(isSent ? "this" : "the far") end's sound for \(length), from \(from), an address that no "
        + "description names: music on hold, an announcement or another leg. Which of the two is played is not known."
    )
  }

  /// T.38 answers what it is sent: of a fax that works both ends send something within seconds.
  var fax: Finding? {
    guard event[.packets] == 0, end - start >= Threshold.missingMedium.value else { return nil }
    return Finding(
      .oneWayAudio, .error, from: start, to: end,
      Evidence().with("without_packets_ms", end - start).with("by", MediaSpan.Proof.signalling.rawValue),
      "Fax takes the place of sound, and for \(length) not one datagram of it came from the far end: it goes one way only."
    )
  }

  var packing: Finding? {
    guard let sent = event[.sentAs], let expected = event[.expectedAs] else { return nil }
    let isProven = event[.proven] == true
    return finding(
      .packingNotAgreed, isProven ? .error : .warning,
      Evidence().with("sent_as", sent).with("expected_as", expected),
      "\(who) sends \(medium) packed as \(sent), and \(receiver.lowercased()) expects \(expected): "
        + (isProven
          ? "the size of its packets shows it, and what is decoded from them is noise or nothing."
          : "what is decoded may be noise or nothing."))
  }

  var jump: Finding? {
    guard let jump = event[.jumpMs] else { return nil }
    return finding(
      .timestampJump, .warning, Evidence().with("jump_ms", jump),
      "The RTP time of \(isSent ? "this" : "the far") end's sound jumped by \(seconds(jump)) from one packet to the next: a receiver may "
        + "wait for that time, and play nothing.")
  }
}
