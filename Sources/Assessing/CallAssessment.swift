import CallModel
import CallStore
import Scoring

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
    readers: Readers, passed: PassedScans? = nil
  ) throws {
    let told = try store.eventsWithoutPreviews(ofCall: call.key).withClockSteps()
    let zoneless = try ZonelessStatistics(ofCall: call.key, in: store)
    let zones = try MistakenZones(told, zoneless, in: store)
    let events = zones.corrected(told)
    var clocks = zones.added(to: endClocks(of: events))
    for (end, skew) in zoneless.skews { clocks[end, default: EndClock()].skew = skew }
    let scoring = EndpointScoring(model: model, cut: cut, references: References(json: call.references))
    self.events = events
    let endpoints = try store.endpoints(ofCall: call.key)
    let sources = FarStreams(endpoints.map(\.key), clocks)
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
