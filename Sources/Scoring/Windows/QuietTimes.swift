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

  /// The longest part of a span in which sound is not meant to be missing; nil where there is none.
  func longestFree(of span: (start: Double, end: Double)) -> (start: Double, end: Double)? {
    sound.between(span.start, span.end).max { $0.end - $0.start < $1.end - $1.start }
  }

  /// Whether more than half of a span is meant to be without a medium.
  func hasMost(of span: (start: Double, end: Double), _ kind: MediaKind = .audio) -> Bool {
    ms(from: span.start, to: span.end, of: kind) > (span.end - span.start) / 2
  }
}

/// Times in which the sound of this end was muted, by itself or by a host.
///
/// A conference tells of everybody's: where a log names its own participant, that one's count. Where none does, any may be its own
/// who did not come after it.
func mutedTimes(_ events: [EventRecord]) -> QuietTimes {
  let mutes = events.filter { event in
    (event.event == "call.muted" || event.event == "call.unmuted") && event.argument("kind") != "video"
  }
  let byWhom = Dictionary(grouping: mutes) { $0.argument("participant") }
  let isOfRoom = byWhom.keys.contains { $0 != nil }
  let own = isOfRoom ? Set(events.compactMap { $0.argument("participant_uuid") }) : []
  let others = isOfRoom && own.isEmpty ? participantsAfter(events) : []
  let spans = byWhom.filter { who, _ in
    who.map { own.isEmpty ? !others.contains($0) : own.contains($0) } ?? true
  }
  .flatMap { QuietSpan.spans($0.value, from: ["call.muted"], until: ["call.unmuted"]) }
  return QuietTimes(spans.sorted { $0.startMs < $1.startMs })
}

// Who joined when this end had been told already who was there.
private func participantsAfter(_ events: [EventRecord]) -> Set<String> {
  guard let synced = events.first(where: { $0.event == "conference.roster-synced" })?.timeMs else {
    return []
  }
  return Set(
    events.lazy.filter { $0.event == "conference.participant-joined" && $0.timeMs ?? synced > synced + 1000 }
      .compactMap { $0.argument("participant") })
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

/// Times in which a capture has nothing of any kind from the far end: the way is broken, or nobody is there any more.
///
/// Who is there is heard of though it sends no media: checks that keep consent are 6 s apart at most (RFC 7675 section 5.1),
/// reports 6.2 s (RFC 3550 section 6.3.1).
struct FarEndAbsence {
  static let longestSilenceMs = 6500.0

  /// Whether the far end was ever heard of beside media; of one that never was, a silence tells nothing.
  private(set) var givesSigns = false
  private(set) var heardMs: Double?
  private var absent: [QuietSpan] = []

  /// Takes note that media of the far end came, or something else of it did.
  mutating func heard(at timeMs: Double, isSign: Bool = false) {
    givesSigns = givesSigns || isSign
    if let last = heardMs, timeMs - last > Self.longestSilenceMs, absent.count < Hysteresis.mostKept {
      absent.append(QuietSpan(startMs: last, endMs: timeMs))
    }
    heardMs = max(heardMs ?? timeMs, timeMs)
  }

  /// The times, up to the end of the capture.
  func times(until endMs: Double?) -> QuietTimes {
    guard givesSigns else { return QuietTimes() }
    var whole = self
    if let endMs { whole.heard(at: endMs) }
    return QuietTimes(whole.absent)
  }
}
