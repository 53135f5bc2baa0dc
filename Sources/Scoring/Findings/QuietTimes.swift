import CallModel

/// Whether more than half of a span is meant to be without a medium.
func isQuiet(
  _ span: (start: Double, end: Double), _ quiet: [QuietSpan], of kind: MediaKind = .audio
) -> Bool {
  quietMs(from: span.start, to: span.end, quiet, of: kind) > (span.end - span.start) / 2
}

/// How much of a time is meant to be without a medium, ms; overlaps count once.
func quietMs(from start: Double, to end: Double, _ quiet: [QuietSpan], of kind: MediaKind) -> Double {
  guard !quiet.isEmpty else { return 0 }
  var covered = 0.0
  var at = start
  for span in quiet.sorted(by: { $0.startMs < $1.startMs }) where span.kind == nil || span.kind == kind {
    let until = min(end, span.endMs)
    covered += max(0, until - max(at, span.startMs))
    at = max(at, until)
  }
  return covered
}

/// Times in which this end muted itself.
func mutedSpans(_ events: [EventRecord]) -> [QuietSpan] {
  QuietSpan.spans(events, from: ["call.muted"], until: ["call.unmuted"])
}

extension QuietSpan {
  /// Times from an event that takes media away to the one that gives it back; the last may have no end.
  public static func spans(
    _ events: [EventRecord], from beginnings: Set<String>, until ends: Set<String>
  ) -> [QuietSpan] {
    var spans: [QuietSpan] = []
    var since: Double?
    for event in events {
      guard let timeMs = event.timeMs else { continue }
      if beginnings.contains(event.event) { since = since ?? timeMs }
      if ends.contains(event.event), let start = since {
        spans.append(QuietSpan(startMs: start, endMs: timeMs))
        since = nil
      }
    }
    return spans + (since.map { [QuietSpan(startMs: $0)] } ?? [])
  }
}
