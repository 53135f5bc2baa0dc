import CallModel
import CallStore
import Scoring
import SetupTime

/// The sources of one end whose clock differs from that of the source with most of the setup, and by how much.
///
/// Contains only differences that are certain and matter; stored times are never changed.
func clockSkews(of ranked: [(key: Int64, value: [StoredEvent])]) -> [Int64: ClockSkew] {
  guard let reference = ranked.first?.value.map(\.record) else { return [:] }
  var skews: [Int64: ClockSkew] = [:]
  for (source, own) in ranked.dropFirst() {
    guard let skew = clockSkew(of: own.map(\.record), against: reference), skew.matters else { continue }
    skews[source] = skew
  }
  return skews
}

/// What is known of an end's clock compared with that of the end that has most of the setup.
struct EndClock {
  /// Its offset, if certain and relevant.
  var skew: ClockSkew?
  /// Minimum offset if only a contradiction is certain, ms.
  var apartMs: Double?
  /// How far a log of this end is ahead of its other sources because of a mistaken time zone, ms.
  var zoneMs: Double?
  /// How far a log of this end is ahead because its clock is wrong, apart from a time zone, ms.
  var logMs: Double?
  /// Minimum offset between a log of this end and its media if only a contradiction is certain, ms.
  var logApartMs: Double?
}

/// The ends of a call whose clock differs from most others, or from that of the end with most of its setup.
func endClocks(of events: [StoredEvent]) -> [Int64: EndClock] {
  let byEnd = Dictionary(grouping: events.filter { $0.endpoint != nil }) { $0.endpoint ?? 0 }
    .mapValues { $0.map(\.record) }
  guard byEnd.count > 1 else { return [:] }
  let ranked = byEnd.sorted { a, b in
    let (richA, richB) = (setupNames(a.value), setupNames(b.value))
    guard richA == richB else { return richA > richB }
    // The one that begins first, independent of the import order.
    let (firstA, firstB) = (a.value.first?.timeMs ?? .infinity, b.value.first?.timeMs ?? .infinity)
    return firstA == firstB ? comesBefore(a.value, b.value) ?? (a.key < b.key) : firstA < firstB
  }
  guard let reference = mostAgreed(ranked) else { return [:] }
  let times = CallTimes(reference.value)
  var clocks: [Int64: EndClock] = [:]
  for (end, own) in ranked where end != reference.key {
    if let skew = clockSkew(of: own, against: reference.value, sameEnd: false) {
      if skew.matters { clocks[end] = EndClock(skew: skew) }
    } else if byEnd.count == 2, let apart = times.flatMap({ CallTimes(own)?.apart(from: $0) }) {
      clocks[end] = EndClock(apartMs: apart)
    }
  }
  return clocks
}

/// Whether one list of events sorts before another by time and text; nil if they are equal.
func comesBefore(_ one: [EventRecord], _ other: [EventRecord]) -> Bool? {
  for (a, b) in zip(one, other) {
    let (first, second) = ((a.timeMs ?? .infinity, a.raw, a.args), (b.timeMs ?? .infinity, b.raw, b.args))
    if first != second { return first < second }
  }
  return one.count == other.count ? nil : one.count < other.count
}

// Of the ends whose clocks agree with most others, the one that has most of the setup.
private func mostAgreed(_ ranked: [(key: Int64, value: [EventRecord])]) -> (key: Int64, value: [EventRecord])?
{
  guard let richest = ranked.first, ranked.count > 2 else { return ranked.first }
  // On the clock of the end with most of the setup; nil without evidence.
  let offsets = ranked.map { end in
    end.key == richest.key ? 0 : clockSkew(of: end.value, against: richest.value, sameEnd: false)?.offsetMs
  }
  let agreeing = offsets.map { offset in
    offset.map { own in offsets.count { $0.map { abs($0 - own) <= clockAgreementMs } ?? false } } ?? 0
  }
  return zip(ranked, agreeing).first { $0.1 == agreeing.max() }?.0
}

private func setupNames(_ events: [EventRecord]) -> Int {
  Set(events.map(\.event).filter { $0.hasPrefix("call.") || $0.hasPrefix("sdp.") || $0.hasPrefix("ice.") })
    .count
}

/// The results for each end of a call, from the contents of a store.
///
/// Judging a call, rescoring it with other windows and checking the store all start here: first the events are
/// corrected for time zones, then clocks are compared, then the ends are judged.
struct CallAssessment {
  /// The events with their time zones corrected.
  let events: [StoredEvent]
  let ends: [EndpointAssessment]

  init(
    _ call: StoredCall, from store: Store, model: ScoreModel, cut: WindowCut = .fromFirstMedia,
    readers: Readers, passed: StreamedScores? = nil
  ) throws {
    let stored = try store.eventsWithoutPreviews(ofCall: call.key).withClockSteps()
    let zoneless = try ZonelessStatistics(ofCall: call.key, in: store)
    let zones = try TimeZoneMistakes(stored, zoneless, in: store)
    let events = zones.corrected(stored)
    var clocks = zones.added(to: endClocks(of: events))
    for (end, skew) in zoneless.skews { clocks[end, default: EndClock()].skew = skew }
    let scoring = EndpointScoring(model: model, cut: cut, references: References(json: call.references))
    self.events = events
    let endpoints = try store.endpoints(ofCall: call.key)
    let sources = RemoteSenders(endpoints.map(\.key), clocks)
    ends = try readers.map(endpoints, beside: store) { [clocks] endpoint, store in
      try EndpointAssessment(
        endpoint, events: events, clock: clocks[endpoint.key],
        leftOut: Set((zoneless.twins[endpoint.key] ?? [:]).keys), sources: sources, store: store,
        readers: readers, scoring: scoring, passed: passed)
    }
  }

  /// Sources of the call whose clock differs from the others, and how far it is ahead of them, ms.
  var skewsMs: [Int64: Double] {
    var skews: [Int64: Double] = [:]
    for end in ends {
      for (source, skew) in end.sourceSkews where abs(skew.offsetMs) > abs(skews[source] ?? 0) {
        skews[source] = -skew.offsetMs
      }
    }
    return skews
  }
}
