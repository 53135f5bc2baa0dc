import Bytes
import CallModel

extension PeerConnection {
  /// Emits the sample of a stream's report, together with the stream's other reports in the snapshot.
  func emitSample(of report: Report) throws {
    guard let stream = report.stream else { return }
    guard let timeMs = try time(of: report) else {
      return try context.leftOutForTime(line: line)
    }
    // A browser that is polled twice within 50 ms returns the same reports.
    if timeMs == stream.lastTimeMs { return }
    let isLater = timeMs > stream.lastTimeMs
    stream.lastTimeMs = timeMs
    context.hasEmittedSamples = true
    var sample = report.figures.pointee
    sample.timeMs = timeMs
    if let track = report.track, track.snapshot == snapshot { sample.fill(from: track.view) }
    if let device = report.device, device.snapshot == snapshot { sample.fill(from: device.view) }
    if !stream.isInbound, sample.has(.rttMs) { forgetRepeated(in: &sample, stream) }
    if let remote = report.remote, remote.snapshot == snapshot { try join(remote, to: &sample, stream) }
    switch report.type {
    case .googSend: limitation(report, &sample)
    default: break
    }
    if let lost = sample[.lost], lost >= 0x8000_0000 {
      sample.set(.lost, lost - 0x1_0000_0000)  // A negative 32-bit number, written as unsigned.
      try context.sink.note("packetsLost wrapped below zero: read as negative")
    }
    if report.hasClockUnits { scaleClockUnits(&sample, stream) }
    if let jitter = sample[.jitterMs], jitter >= Self.maxJitterMs {
      sample.clear(.jitterMs)
      try context.sink.note(
        "jitter of 10 s and more is not in seconds, as pion's in units of the RTP clock: taken as unknown")
    }
    if stream.isInbound, report.hasEmptyReference, !stream.isDecoded {
      try forgetUnmeasured(in: &sample, stream)
    }
    if sample[.packets] == 0 { try forgetUncounted(in: &sample) }
    if isLater, let packets = sample[.packets], stream.notesGrowth(packets) {
      try context.sink.note(
        "packets of a stream fell from report to report: its figures seem to be those of intervals, where counters belong; what is made of them is not to be trusted"
      )
    }
    let counts = isLater ? sample.look { stream.counters.take($0) } : .goesOn
    if counts != .goesOn { try context.sink.note(Self.note(of: counts)) }
    if counts == .old { return }
    if let played = sample[.estimatedPlayoutMs] {
      // Chromium counts from 1900, as NTP does; 0 means unknown.
      let unix = played > Self.ntpEpochMs ? played - Self.ntpEpochMs : played
      sample[.estimatedPlayoutMs] = unix > 0 ? unix + shiftMs : nil
    }
    if shiftMs != 0, let last = sample[.lastPacketMs] { sample.set(.lastPacketMs, last + shiftMs) }
    sample.look { stream.progress.add($0, pollMs: pollMs, ownMs: report.timeMs) }
    stream.counters.restore(&sample)
    try sample.look { try emitChanges(of: stream, $0, report) }
    try context.sink.sample(sample, of: stream.number, extra: extra(of: report, stream))
  }

  /// Members without a column, of the stream's report and its related ones, without secrets.
  private func extra(of report: Report, _ stream: StreamState) -> String? {
    let json = context.extraText
    json.removeAll()
    stream.reported.addChanges(of: report, at: report.timeMs, to: json)
    if let track = report.track { addChanges(of: track, in: report, stream, json) }
    if let device = report.device { addChanges(of: device, in: report, stream, json) }
    if let remote = report.remote { addChanges(of: remote, in: report, stream, json) }
    json.addUnknown(report.extra.bytes)
    return json.text
  }

  private func addChanges(of beside: Report, in report: Report, _ stream: StreamState, _ json: ExtraText) {
    guard beside.snapshot == snapshot else { return }
    stream.reported.addChanges(of: beside, at: report.timeMs, to: json)
  }

  /// 1970 in NTP time, ms (RFC 5905).
  private static let ntpEpochMs = 2_208_988_800_000.0

  private static func note(of counts: CounterResetTracker.Verdict) -> String {
    counts == .old
      ? "reports that count less than the one before, but too much for a reset: old reports repeated, left out"
      : "counters of 32 bits ran over: counted on"
  }

  /// Figures of the remote report: counters always, gauges only from a report not used before (RTCP is sent seldom,
  /// polls are frequent). A repeated round trip without a time of its own is kept, as it still applies; other repeated
  /// figures show that the report is not new.
  private func join(_ remote: Report, to sample: inout Sample, _ stream: StreamState) throws {
    let cameMs = remote.timeMs.isNaN ? nil : try time(of: remote)
    let age = remote.age(timeMs: cameMs, pollMs: sample.timeMs)
    let isNew = age == .new
    if age != .old, let roundTrip = remote.view[.rttMs], !sample.has(.rttMs) {
      sample.set(.rttMs, roundTrip)
    }
    guard !stream.isInbound else {
      // A count without the time of its own report may be from a repeated one.
      if isNew, let sent = remote.view[.farPackets], let cameMs, cameMs < sample.timeMs {
        sample.set(.farPackets, sent)
        sample.set(.farPacketsMs, cameMs)
        if let sentMs = remote.view[.farReportMs] {
          sample.set(.farReportMs, sentMs > Self.ntpEpochMs ? sentMs - Self.ntpEpochMs : sentMs)
        }
      }
      return
    }
    if let lost = remote.view[.lost] { sample.set(.lost, lost) }
    if isNew {
      if let jitter = remote.view[.jitterMs] { sample.set(.jitterMs, jitter) }
      if let fraction = remote.view[.fractionLost] { sample.set(.fractionLost, fraction) }
    }
  }

  /// The same if the stream's own report contains the far end's figures, as in goog-* and early drafts.
  private func forgetRepeated(in sample: inout Sample, _ stream: StreamState) {
    let before = stream.farEnd
    stream.farEnd = sample.look { FarEndReport($0) }
    guard before == stream.farEnd else { return }
    sample.clear(.jitterMs)
    sample.clear(.fractionLost)
  }

  /// Higher jitter is implausible, ms.
  private static let maxJitterMs = 10_000.0

  private func forgetUnmeasured(in sample: inout Sample, _ stream: StreamState) throws {
    stream.isDecoded = GoZeroMembers.isMeasured(sample)
    guard !stream.isDecoded, GoZeroMembers.forget(in: &sample) else { return }
    try context.sink.note(
      "figures of decoding that are 0 beside an empty remoteId, and were never more: taken as not measured")
  }

  /// A count of packets that is 0 beside bytes or decoded sound of the same stream is not one.
  private func forgetUncounted(in sample: inout Sample) throws {
    let played = (sample[.totalSamples] ?? 0) - (sample[.concealedSamples] ?? .infinity)
    guard sample[.bytes] ?? 0 > 0 || played > 0 || sample[.frames] ?? 0 > 0 else { return }
    sample.clear(.packets)
    if sample[.lost] == 0 { sample.clear(.lost) }
    try context.sink.note("packets that are 0 while bytes of the same stream grow: taken as not counted")
  }

  /// goog-* has two flags for one reason.
  private func limitation(_ report: Report, _ sample: inout Sample) {
    let cpu = report.number(.cpuLimited)
    let bandwidth = report.number(.bandwidthLimited)
    guard cpu != nil || bandwidth != nil else { return }
    let reason: LimitedBy = cpu == 1 ? .cpu : bandwidth == 1 ? .bandwidth : .none
    sample.set(.limitedBy, Double(reason.rawValue))
  }

  /// aiortc and mediasoup: jitter in units of the RTP clock, loss as the byte of the RTCP report.
  private func scaleClockUnits(_ sample: inout Sample, _ stream: StreamState) {
    let rate = Double(stream.facts.clockRate ?? 0)
    if let jitter = sample[.jitterMs] { sample[.jitterMs] = rate > 0 ? jitter / rate : nil }
    if let fraction = sample[.fractionLost] { sample.set(.fractionLost, fraction / 256) }
  }

  /// Emits events for changes that belong on the timeline.
  private func emitChanges(of stream: StreamState, _ sample: SampleView, _ report: Report) throws {
    if stream.isInbound, let packets = sample[.packets] {
      for (name, timeMs) in stream.slot.take(packets, at: sample.timeMs, ifAbsent: isOnlyOne(stream)) {
        try event(
          name, "trackIdentifier", stream, report, [("kind", stream.facts.kind?.rawValue ?? "")], at: timeMs)
      }
    }
    if let reason = sample[.limitedBy], reason != stream.limitedBy {
      if stream.limitedBy != nil || reason != 0 {
        let name = LimitedBy(rawValue: Int(reason))?.name ?? "other"
        try event(.mediaQualityLimited, "qualityLimitationReason", stream, report, [("reason", name)])
      }
      stream.limitedBy = reason
    }
    if let width = sample[.width], let height = sample[.height],
      width != stream.width || height != stream.height
    {
      if let before = stream.width, let beforeHeight = stream.height, width > 0, before > 0 {
        try event(
          .mediaResolutionChanged, "frameHeight", stream, report,
          [("from", Self.size(before, beforeHeight)), ("to", Self.size(width, height))])
      }
      stream.width = width
      stream.height = height
    }
  }

  /// Whether nothing else of its kind was received: else a medium is not absent with one stream.
  private func isOnlyOne(_ stream: StreamState) -> Bool {
    !streamsBySSRC.values.contains {
      $0 !== stream && $0.isInbound && $0.facts.kind == stream.facts.kind && $0.slot.hasFlowed
    }
  }

  private static func size(_ width: Double, _ height: Double) -> String {
    var text = ByteWriter()
    text.append(width)
    text.append("x")
    text.append(height)
    return text.string
  }

  /// Emits an event of a stream.
  func event(
    _ name: EventName, _ raw: String, _ stream: StreamState, _ report: Report, _ args: [(String, String)],
    at timeMs: Double? = nil
  ) throws {
    var json = ByteWriter()
    json.append("{\"direction\":\"\(stream.isInbound ? "inbound" : "outbound")\"")
    if let ssrc = stream.facts.ssrc { json.append(",\"ssrc\":\(ssrc)") }
    if let mid = stream.facts.mid {
      json.append(",\"mid\":")
      json.append(json: mid)
    }
    for (key, value) in args {
      json.append(",\"\(key)\":")
      json.append(json: value)
    }
    json.append("}")
    let record = EventRecord(
      timeMs: try timeMs ?? time(of: report), event: name, raw: raw, args: json.string, line: line)
    try context.sink.event(record, of: number)
  }
}

/// Figures of decoding and playout that are 0 because nothing is decoded.
///
/// pion and others written in Go print every member of a report, measured or not: numbers as 0, texts as "". A browser
/// leaves out an unknown `remoteId`; and if its decoder fails it still counts the frames received (`framesReceived`).
private enum GoZeroMembers {
  /// Members counted only by an endpoint that decodes media.
  private static let metrics: [Metric] = [
    .totalSamples, .concealedSamples, .silentConcealedSamples, .concealmentEvents, .insertedSamples,
    .removedSamples, .totalSamplesDurationMs, .audioLevel, .totalAudioEnergy, .jitterBufferDelayMs,
    .jitterBufferTargetDelayMs, .jitterBufferMinimumDelayMs, .jitterBufferEmitted, .processingDelayMs,
    .framesReceived, .frames, .framesDropped, .framesRendered, .keyFrames, .frameRate, .width, .height,
    .qpSum, .freezeCount, .freezeMs, .pauseCount, .pauseMs, .interFrameDelayMs, .squaredInterFrameDelayS2,
    .decodeMs,
  ]

  /// Whether any of them is above 0.
  static func isMeasured(_ sample: borrowing Sample) -> Bool {
    for metric in metrics { if let value = sample[metric], value != 0 { return true } }
    return false
  }

  /// Removes them. Returns whether there were any.
  static func forget(in sample: inout Sample) -> Bool {
    var hadAny = false
    for metric in metrics where sample.has(metric) {
      sample.clear(metric)
      hadAny = true
    }
    return hadAny
  }
}
