import CallModel
import Timeline

/// A period in which an end missed what was meant for it, and what became of that.
struct MissedTime: Equatable {
  var fromMs: Double
  var untilMs: Double
  var what: Fate.What
  /// Nil: all media that were due at the time.
  var medium: MediaKind?

  var lengthMs: Double { untilMs - fromMs }

  /// Minimum length, ms, of sound; for a picture that of a pause.
  private static let minSoundMs = 2500.0

  /// The periods of one medium, in order; those of one kind that follow each other are one.
  fileprivate static func of(_ medium: MediaKind, _ fates: [(medium: MediaKind, fate: Fate)]) -> [MissedTime]
  {
    var times: [MissedTime] = []
    for (_, fate) in fates.filter({ $0.medium == medium && $0.fate.isMissed }) {
      if let last = times.last, last.what == fate.what, fate.startMs - last.untilMs < 1 {
        times[times.count - 1].untilMs = fate.endMs
      } else {
        times.append(MissedTime(fromMs: fate.startMs, untilMs: fate.endMs, what: fate.what, medium: medium))
      }
    }
    return times.filter { $0.lengthMs >= (medium == .audio ? minSoundMs : Threshold.pause.value) }
  }

  /// Whether two periods at different ends are the same fault: ends are polled at different times.
  func isLike(_ other: MissedTime) -> Bool {
    what == other.what && medium == other.medium && abs(fromMs - other.fromMs) < 1500
      && abs(untilMs - other.untilMs) < 1500
  }
}

extension EndAccount {
  /// What was missed here: of all media at once where sound and picture were gone together, or only one was due.
  var missed: [MissedTime] {
    let (sound, picture) = (MissedTime.of(.audio, fates), MissedTime.of(.video, fates))
    func hasArrived(_ medium: MediaKind) -> Bool {
      fates.contains { $0.medium == medium && $0.fate.what == .arrived }
    }
    func covers(_ times: [MissedTime], _ time: MissedTime) -> Bool {
      SpanSet(times.map { (start: $0.fromMs, end: $0.untilMs) }).covered(from: time.fromMs, to: time.untilMs)
        > time.lengthMs / 2
    }
    let heard = sound.map { time in
      var time = time
      if !hasArrived(.video) || covers(picture, time) { time.medium = nil }
      return time
    }
    let seen = picture.filter { !covers(sound, $0) }.map { time in
      var time = time
      if !hasArrived(.audio) { time.medium = nil }
      return time
    }
    return heard + seen
  }

  /// What became of a medium for most of a period; nil if that is several things.
  func fate(of medium: MediaKind, during span: ClosedRange<Double>) -> Fate.What? {
    fates.first { entry in
      entry.medium == medium
        && min(entry.fate.endMs, span.upperBound) - max(entry.fate.startMs, span.lowerBound)
          > 0.8 * (span.upperBound - span.lowerBound)
    }?.fate.what
  }

  /// How much of a medium was missed, ms; nil if nothing says what became of it.
  func missedMs(of medium: MediaKind) -> Double? {
    let own = fates.filter { $0.medium == medium }
    return own.isEmpty ? nil : own.reduce(0) { $0 + ($1.fate.isMissed ? $1.fate.lengthMs : 0) }
  }

  /// Long intervals between reports.
  package var reportGaps: [MediaSpan] { spans.filter { $0.kind == .gap } }
}

extension MissedTime {
  /// What happened to some ends, up to `for 12 s`.
  func words(at ends: String) -> String {
    let something = medium == .video ? "picture" : "sound"
    switch what {
    case .lost where medium == nil: return "Outage: nothing reached \(ends)"
    case .lost: return "Outage: no \(something) reached \(ends)"
    case .notForwarded: return "A server passed on no \(something) to \(ends)"
    case .undecodable: return "The \(something) that reached \(ends) could not be decoded"
    case .notPlayed: return "Sound arrived and was not played at \(ends)"
    case .silentSource: return "What reached \(ends) was silent"
    case .notSent, .notDue, .unknown, .paused, .arrived: return "No \(something) was sent to \(ends)"
    }
  }
}
