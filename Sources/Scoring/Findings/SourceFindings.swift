import CallModel

/// Least packets, and least share missing from the capture, that tell of a capture that lost some.
private let leastPackets = 100.0
private let leastMissing = 0.02
/// Clocks further apart than this, ms, make times of two sources hard to compare.
private let skewMs = 1000.0

/// Rules on the sources themselves: what they miss, where they break off, whose clock is wrong.
func sourceFindings(_ context: FindingContext) -> [Finding] {
  var findings: [Finding] = []
  for stream in context.seenTwice where stream.statsPackets >= leastPackets {
    let missing = 1 - stream.capturePackets / stream.statsPackets
    guard missing >= leastMissing else { continue }
    findings.append(
      Finding(
        "capture-loss", .warning, from: nil, to: nil,
        Evidence().with("missing_share", missing).with("stats_packets", stream.statsPackets)
          .with("capture_packets", stream.capturePackets).with("ssrc", stream.ssrc.map { Double($0) }),
        "The capture misses packets that this end received: its own loss figures are too high."))
  }
  if let skew = context.clockSkewMs, abs(skew) >= skewMs {
    let evidence = context.clockSkewEvidence.map { ", by \($0)" } ?? ""
    findings.append(
      Finding(
        "clock-skew", .warning, from: nil, to: nil, Evidence().with("skew_ms", skew),
        "This end's clock is \(seconds(abs(skew))) \(skew > 0 ? "ahead of" : "behind") the others\(evidence)."
      ))
  } else if let apart = context.clocksApartMs, apart >= skewMs {
    findings.append(
      Finding(
        "clock-skew", .warning, from: nil, to: nil, Evidence().with("at_least_ms", apart),
        "By their clocks one end was established after the other had hung up: they are \(seconds(apart)) apart at least, "
          + "by how much is unknown."))
  }
  for source in context.brokenOff {
    findings.append(
      Finding(
        "truncated", .warning, from: nil, to: nil, Evidence().with("source", source),
        "A recording of this end breaks off before its end."))
  }
  return findings
}
