import CallModel

/// When a medium is meant to be missing, for many questions.
struct QuietTimes: Sendable {
  private let sound: SpanSet
  private let picture: SpanSet

  init(_ spans: [QuietSpan] = []) {
    func set(_ kind: MediaKind) -> SpanSet {
      SpanSet(spans.lazy.filter { $0.kind == nil || $0.kind == kind }.map { ($0.startMs, $0.endMs) })
    }
    (sound, picture) = (set(.audio), set(.video))
  }

  /// How much of a time is meant to be without a medium, ms; overlaps count once.
  func ms(from start: Double, to end: Double, of kind: MediaKind) -> Double {
    (kind == .audio ? sound : picture).covered(from: start, to: end)
  }

  /// Whether more than half of a span is meant to be without a medium.
  func hasMost(of span: (start: Double, end: Double), _ kind: MediaKind = .audio) -> Bool {
    ms(from: span.start, to: span.end, of: kind) > (span.end - span.start) / 2
  }
}

/// Times in which this end muted itself.
func mutedTimes(_ events: [EventRecord]) -> QuietTimes {
  QuietTimes(QuietSpan.spans(events, from: ["call.muted"], until: ["call.unmuted"]))
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
