import CallModel

/// A period in which none of the media due at an end arrived.
package struct Outage: Equatable {
  package var fromMs: Double
  package var untilMs: Double

  package var lengthMs: Double { untilMs - fromMs }
}

extension EndAccount {
  /// Outages of all media at once: of audio while no video arrived either, or of video if there is no audio.
  package var outages: [Outage] {
    let all = spans.filter { $0.kind == .outage }
    let (sound, picture) = (all.filter { $0.medium == .audio }, all.filter { $0.medium == .video })
    let seen = streams.contains {
      $0.direction == .inbound && $0.kind == .video && ($0.number("packets") ?? 0) > 0
    }
    let heard = streams.contains {
      $0.direction == .inbound && $0.kind == .audio && ($0.number("packets") ?? 0) > 0
    }
    let without = SpanSet(picture.map { (start: $0.startMs, end: $0.endMs) })
    let alone = heard ? sound : picture
    return alone.filter {
      !seen || !heard || without.covered(from: $0.startMs, to: $0.endMs) > $0.lengthMs / 2
    }.map { Outage(fromMs: $0.startMs, untilMs: $0.endMs) }
  }

  /// Long intervals between reports.
  package var reportGaps: [MediaSpan] { spans.filter { $0.kind == .gap } }
}
