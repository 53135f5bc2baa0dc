import CallModel

/// Where packets that did not come to an end were lost, as far as captures tell.
enum LossPlace {
  case onTheWay
  /// By its receivers' own reports the capture missed some.
  case perhapsNotCaptured
  /// A capture where they were to be sent misses them as well: their sender had no way to send them.
  case neverSent
}

extension ScoreCaveats {
  /// Where what is missing at an end was lost.
  func lossPlace(_ end: EndAccount) -> LossPlace {
    if captureMissed(end) { return .perhapsNotCaptured }
    return WireWords(account).wasNeverSent(to: end) ? .neverSent : .onTheWay
  }

  /// When an end was sent no sound, by the numbers of a capture.
  func unsent(to end: EndAccount) -> SpanSet {
    guard end.windowSource == .capture else { return SpanSet([]) }
    return SpanSet(
      account.findings.compactMap { entry in
        guard entry.end == end.name, entry.finding.code == "far-end-silent",
          let start = entry.finding.startMs, let until = entry.finding.endMs,
          memberText("by", of: entry.finding.evidence) == "sequence numbers",
          memberText("times", of: entry.finding.evidence) == nil
        else { return nil }
        return (start, until)
      })
  }
}
