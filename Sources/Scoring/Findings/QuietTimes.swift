import CallModel

/// Whether more than half of a span is meant to be without a medium.
func isQuiet(
  _ span: (start: Double, end: Double), _ quiet: [QuietSpan], of kind: MediaKind = .audio
) -> Bool {
  let covered = quiet.filter { $0.kind == nil || $0.kind == kind }
    .reduce(0.0) { $0 + max(0, min(span.end, $1.endMs) - max(span.start, $1.startMs)) }
  return covered > (span.end - span.start) / 2
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
