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
  var spans: [QuietSpan] = []
  var since: Double?
  for event in events {
    guard let time = event.timeMs else { continue }
    if event.event == "call.muted" { since = since ?? time }
    if event.event == "call.unmuted", let start = since {
      spans.append(QuietSpan(startMs: start, endMs: time))
      since = nil
    }
  }
  if let since { spans.append(QuietSpan(startMs: since)) }
  return spans
}
