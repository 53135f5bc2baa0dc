import CallModel

/// A period in which media is absent on purpose: muted by the far end, or on hold. It is never charged.
public struct QuietSpan: Sendable, Equatable {
  public var startMs: Double
  /// End; infinite while it lasts.
  public var endMs: Double
  /// The medium concerned; nil for the whole call.
  public var kind: MediaKind?

  /// A quiet period of one medium or of all.
  public init(startMs: Double, endMs: Double = .infinity, kind: MediaKind? = nil) {
    self.startMs = startMs
    self.endMs = endMs
    self.kind = kind
  }

  /// The span at another time, as on another clock.
  public func shifted(byMs offset: Double) -> QuietSpan {
    QuietSpan(startMs: startMs + offset, endMs: endMs + offset, kind: kind)
  }
}

/// The periods in which a medium is absent on purpose, in a form for repeated queries.
struct QuietTimes: Sendable {
  private let sound: SpanSet
  private let picture: SpanSet

  init(_ spans: [QuietSpan] = []) {
    func set(_ kind: MediaKind) -> SpanSet {
      SpanSet(spans.lazy.filter { $0.kind == nil || $0.kind == kind }.map { ($0.startMs, $0.endMs) })
    }
    (sound, picture) = (set(.audio), set(.video))
  }

  /// How much of a period a medium is absent on purpose, ms; overlaps count once.
  func ms(from start: Double, to end: Double, of kind: MediaKind) -> Double {
    (kind == .audio ? sound : picture).covered(from: start, to: end)
  }

  /// The longest part of a span in which audio is not absent on purpose; nil if there is none.
  func longestFree(of span: (start: Double, end: Double)) -> (start: Double, end: Double)? {
    sound.between(span.start, span.end).max { $0.end - $0.start < $1.end - $1.start }
  }

  /// Whether a medium is absent on purpose for more than half of a span.
  func hasMost(of span: (start: Double, end: Double), _ kind: MediaKind = .audio) -> Bool {
    ms(from: span.start, to: span.end, of: kind) > (span.end - span.start) / 2
  }
}

/// Periods in which the audio of this end was muted, by itself or by a host.
///
/// A conference reports everybody's mutes. If the log names its own participant, only that one's count. Otherwise any
/// participant who did not join later may be this end.
func mutedTimes(_ events: [EventRecord]) -> QuietTimes {
  let mutes = events.filter { event in
    (event.event == .callMuted || event.event == .callUnmuted) && event[.kind] != "video"
  }
  let byWhom = Dictionary(grouping: mutes) { $0[.participant] }
  let isOfRoom = byWhom.keys.contains { $0 != nil }
  let own = isOfRoom ? Set(events.compactMap { $0.argument("participant_uuid") }) : []
  let others = isOfRoom && own.isEmpty ? participantsAfter(events) : []
  let spans = byWhom.filter { who, _ in
    who.map { own.isEmpty ? !others.contains($0) : own.contains($0) } ?? true
  }
  .flatMap { QuietSpan.spans($0.value, from: [.callMuted], until: [.callUnmuted]) }
  return QuietTimes(spans.sorted { $0.startMs < $1.startMs })
}

// Participants who joined after this end had received the list of who was present.
private func participantsAfter(_ events: [EventRecord]) -> Set<String> {
  guard let synced = events.first(where: { $0.event == .conferenceRosterSynced })?.timeMs else {
    return []
  }
  return Set(
    events.lazy.filter { $0.event == .conferenceParticipantJoined && $0.timeMs ?? synced > synced + 1000 }
      .compactMap { $0[.participant] })
}

extension QuietSpan {
  /// Periods from an event that removes media to the one that restores it; the last may be open-ended.
  public static func spans(
    _ events: [EventRecord], from beginnings: Set<EventName>, until ends: Set<EventName>
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

/// Periods in which a capture has nothing at all from the far end: the path is broken, or the far end is gone.
struct FarEndAbsence {
  /// Whether anything besides media ever came from the far end; if not, silence means nothing.
  private(set) var sendsNonMedia = false
  private(set) var lastArrivalMs: Double?
  private var absent: [QuietSpan] = []

  /// Records that media of the far end arrived, or something else from it.
  mutating func received(at timeMs: Double, isNonMedia: Bool = false) {
    sendsNonMedia = sendsNonMedia || isNonMedia
    if let last = lastArrivalMs, timeMs - last > Threshold.farEndAbsent.value,
      absent.count < Hysteresis.maxKept
    {
      absent.append(QuietSpan(startMs: last, endMs: timeMs))
    }
    lastArrivalMs = max(lastArrivalMs ?? timeMs, timeMs)
  }

  /// The periods, up to the end of the capture.
  func times(until endMs: Double?) -> QuietTimes {
    guard sendsNonMedia else { return QuietTimes() }
    var whole = self
    if let endMs { whole.received(at: endMs) }
    return QuietTimes(whole.absent)
  }
}
