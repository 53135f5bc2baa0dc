import CallModel
import CallStore
import Scoring
import SetupTime

/// Which sources of one end tell time by another clock than the one that knows most of the setup, and by how much.
///
/// Only differences that are sure and matter are told; stored times are never changed.
func clockSkews(of ranked: [(key: Int64, value: [StoredEvent])]) -> [Int64: ClockSkew] {
  guard let reference = ranked.first?.value.map(\.record) else { return [:] }
  var skews: [Int64: ClockSkew] = [:]
  for (source, told) in ranked.dropFirst() {
    guard let skew = clockSkew(of: told.map(\.record), against: reference), skew.matters else { continue }
    skews[source] = skew
  }
  return skews
}

/// What is known of the clock of one end, against that of the end that knows most of the setup.
struct EndClock {
  /// How far it is off, where that is sure and matters.
  var skew: ClockSkew?
  /// Where only the contradiction is sure: the least by which it must be off, ms.
  var apartMs: Double?
  /// How far a log of this end is ahead of what else was recorded here, where it is a zone that was mistaken, ms.
  var zoneMs: Double?
  /// The same beside a zone or without one, where its clock is wrong, ms.
  var logMs: Double?
  /// Where only the contradiction is sure: the least by which a log of this end must be off its media, ms.
  var logApartMs: Double?
}

/// Which ends of a call tell time by another clock than most, or than the end that knows most of its setup.
func endClocks(of events: [StoredEvent]) -> [Int64: EndClock] {
  let byEnd = Dictionary(grouping: events.filter { $0.endpoint != nil }) { $0.endpoint ?? 0 }
    .mapValues { $0.map(\.record) }
  guard byEnd.count > 1 else { return [:] }
  let ranked = byEnd.sorted { a, b in
    let (richA, richB) = (setupNames(a.value), setupNames(b.value))
    guard richA == richB else { return richA > richB }
    // Whichever was imported first: the one that begins first.
    let (firstA, firstB) = (a.value.first?.timeMs ?? .infinity, b.value.first?.timeMs ?? .infinity)
    return firstA == firstB ? comesBefore(a.value, b.value) ?? (a.key < b.key) : firstA < firstB
  }
  guard let reference = mostAgreed(ranked) else { return [:] }
  let times = CallTimes(reference.value)
  var clocks: [Int64: EndClock] = [:]
  for (end, told) in ranked where end != reference.key {
    if let skew = clockSkew(of: told, against: reference.value, sameEnd: false) {
      if skew.matters { clocks[end] = EndClock(skew: skew) }
    } else if byEnd.count == 2, let apart = times.flatMap({ CallTimes(told)?.apart(from: $0) }) {
      clocks[end] = EndClock(apartMs: apart)
    }
  }
  return clocks
}

/// Whether what one list of events tells comes before what another tells, in the order of time and text; nil where they tell the same.
func comesBefore(_ one: [EventRecord], _ other: [EventRecord]) -> Bool? {
  for (a, b) in zip(one, other) {
    let (first, second) = ((a.timeMs ?? .infinity, a.raw, a.args), (b.timeMs ?? .infinity, b.raw, b.args))
    if first != second { return first < second }
  }
  return one.count == other.count ? nil : one.count < other.count
}

// The end that knows most of the setup, of those whose clocks most others agree with.
private func mostAgreed(_ ranked: [(key: Int64, value: [EventRecord])]) -> (key: Int64, value: [EventRecord])?
{
  guard let richest = ranked.first, ranked.count > 2 else { return ranked.first }
  // On the clock of the one that knows most; nil where nothing bears witness.
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

/// What is concluded of each end of a call, from what a store has of it.
///
/// Whoever judges a call, holds its score against another cut, or checks what is stored begins here: its events in the right
/// zones first, then what they tell of the clocks, then its ends.
struct CallAssessment {
  /// What happened, as it would stand in the right zones.
  let events: [StoredEvent]
  let ends: [EndpointAssessment]

  init(
    _ call: StoredCall, from store: Store, model: ScoreModel, cut: WindowCut = .fromFirstMedia,
    readers: Readers, passed: StreamedScores? = nil
  ) throws {
    let told = try store.eventsWithoutPreviews(ofCall: call.key).withClockSteps()
    let zoneless = try ZonelessStatistics(ofCall: call.key, in: store)
    let zones = try TimeZoneMistakes(told, zoneless, in: store)
    let events = zones.corrected(told)
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

  /// Sources of the call whose clock is off the others, and how far it is ahead of them, ms.
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
