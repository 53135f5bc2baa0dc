import CallModel

private let zoneDoubt =
  "; whole quarters of an hour suggest a time zone that one of the logs does not name rather than a wrong clock"

private func isZone(_ skewMs: Double) -> Bool {
  let zoneMs = ZoneOffset.nearest(toMs: skewMs)
  return zoneMs != 0 && abs(skewMs - zoneMs) <= Threshold.zoneSlack.value
}

private func hours(_ ms: Double) -> String {
  let minutes = Int((ms / 60_000).rounded())
  return minutes.isMultiple(of: 60) ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
}

/// Findings about the sources themselves: missing packets, truncation, wrong clocks.
func sourceFindings(_ context: FindingContext) -> [Finding] {
  var findings: [Finding] = []
  for stream in context.seenTwice where stream.statsPackets >= Threshold.missedOf.value {
    let missing = 1 - stream.capturePackets / stream.statsPackets
    guard missing >= Threshold.missedByCapture.value else { continue }
    findings.append(
      Finding(
        .captureLoss, .warning, from: nil, to: nil,
        Evidence().with("missing_share", missing).with("stats_packets", stream.statsPackets)
          .with("capture_packets", stream.capturePackets).with("ssrc", stream.ssrc.map { Double($0) }),
        "The capture misses packets that this end received: its own loss figures are too high."))
  }
  findings += logClock(context)
  findings += context.events.compactMap(missedByCapture)
  if let skew = context.clockSkewMs, abs(skew) >= Threshold.skew.value {
    let evidence = (context.clockSkewEvidence.map { ", by \($0)" } ?? "") + (isZone(skew) ? zoneDoubt : "")
    findings.append(
      Finding(
        .clockSkew, .warning, from: nil, to: nil,
        Evidence().with("skew_ms", skew)
          .with("clock_ms", context.judgingSkewMs),
        "This end's clock is \(seconds(abs(skew))) \(skew > 0 ? "ahead of" : "behind") the others\(evidence)."
      ))
  } else if let ahead = context.otherCaptureMs, abs(ahead) >= Threshold.skew.value {
    findings.append(
      Finding(
        .clockSkew, .warning, from: nil, to: nil, Evidence().with("skew_ms", ahead),
        "Another capture is \(seconds(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind") the one that judges this end."
      ))
  } else if let apart = context.clocksApartMs, apart >= Threshold.skew.value {
    findings.append(
      Finding(
        .clockSkew, .warning, from: nil, to: nil, Evidence().with("at_least_ms", apart),
        "By their clocks one end was established after the other had hung up: they are \(seconds(apart)) apart at least, "
          + "by how much is unknown."))
  }
  for source in context.brokenOff {
    findings.append(
      Finding(
        .truncated, .warning, from: nil, to: nil, Evidence().with("source", source),
        "A recording of this end breaks off before its end."))
  }
  return findings
}

/// A log of this end that uses another clock than its media.
private func logClock(_ context: FindingContext) -> [Finding] {
  func way(_ ms: Double) -> String { ms > 0 ? "ahead of" : "behind" }
  if let zone = context.mistakenZoneMs {
    let rest = context.logAheadMs.map {
      "; besides, its clock is \(seconds(abs($0))) \($0 > 0 ? "ahead" : "behind")"
    }
    return [
      Finding(
        .clockSkew, .warning, from: nil, to: nil,
        Evidence().with("zone_ms", zone).with("skew_ms", context.logAheadMs),
        "A log of this end is \(hours(abs(zone))) \(way(zone)) what else was recorded here: its times were read in the wrong "
          + "zone\(rest ?? "").")
    ]
  }
  if let ahead = context.logAheadMs {
    return [
      Finding(
        .clockSkew, .warning, from: nil, to: nil, Evidence().with("skew_ms", ahead),
        "A log of this end is \(seconds(abs(ahead))) \(way(ahead)) what else was recorded here, by when media began and ended: "
          + "one of the clocks is wrong.")
    ]
  }
  guard let apart = context.logApartMs else { return [] }
  return [
    Finding(
      .clockSkew, .warning, from: nil, to: nil, Evidence().with("at_least_ms", apart),
      "A log of this end has its call at a time without media: it is \(seconds(apart)) off what else was recorded here at least, or "
        + "is of another call.")
  ]
}

/// Packets of a stream missing from a capture, according to the receiver's reports.
private func missedByCapture(_ event: EventRecord) -> Finding? {
  guard event.note == .missed, let ssrc = event[.ssrc].map(Double.init),
    let missing = event[.missingPackets], let expected = event[.expected],
    expected >= Threshold.missedOf.value, Double(missing) >= Threshold.missedByCapture.value * expected
  else { return nil }
  return Finding(
    .captureLoss, .warning, from: event.timeMs, to: event[.untilMs],
    Evidence().with("missing_share", Double(missing) / expected).with("missing", Double(missing)).with(
      "ssrc", ssrc),
    "The capture misses \(missing) packets that by this end's own reports were not lost: its loss figures are too high."
  )
}
