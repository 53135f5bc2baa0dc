import CallModel
import CallStore
import Scoring

/// The results for each end of a call, from the contents of a store.
///
/// Judging a call, rescoring it with other windows and checking the store all start here: first the events are
/// corrected for time zones, then clocks are compared, then the ends are judged.
struct CallAssessment {
  /// The events with their time zones corrected.
  let events: [StoredEvent]
  let ends: [EndpointAssessment]
  /// The streams of each end, by its key.
  let streams: [Int64: [StoredStream]]
  /// The sources that are captures with media.
  let captures: Set<Int64>
  let lostBetween: LostBetweenCaptures

  init(
    _ call: StoredCall, from store: Store, model: ScoreModel, cut: WindowCut = .fromFirstMedia,
    readers: Readers, passed: StreamedScores? = nil
  ) throws {
    let stored = try store.eventsWithoutPreviews(ofCall: call.key).withClockSteps()
    let streams = try store.streams(ofCall: call.key)
    self.streams = streams
    let zoneless = try ZonelessStatistics(ofCall: call.key, streams, in: store)
    let zones = TimeZoneMistakes(stored, zoneless, streams)
    captures = try store.mediaCaptures(ofCall: call.key)
    let endpoints = try store.endpoints(ofCall: call.key)
    let captureClocks = CaptureClocks(stored, captures: captures, of: endpoints, streams)
    let events = captureClocks.aligned(zones.corrected(stored))
    var clocks = zones.added(to: endClocks(of: events))
    for (end, skew) in zoneless.skews { clocks[end, default: EndClock()].skew = skew }
    let scoring = EndpointScoring(model: model, cut: cut, references: References(json: call.references))
    self.events = events
    if clocks.isEmpty {
      let logged = Set(events.compactMap(\.endpoint))
      if let (end, skew) = StreamClocks(of: endpoints, logged: logged, streams).found {
        clocks[end] = EndClock(skew: skew)
      }
    }
    let sources = RemoteSenders(endpoints.map(\.key), streams, clocks, captureClocks)
    let lost =
      captures.count > 1
      ? LostBetweenCaptures(of: endpoints, streams, captureClocks, stored) : LostBetweenCaptures()
    lostBetween = lost
    let byEnd = EventsByEnd(events)
    let assessed = { @Sendable [clocks] (endpoint: StoredEndpoint, store: Store) in
      try EndpointAssessment(
        endpoint, streams[endpoint.key] ?? [], events: byEnd, clock: clocks[endpoint.key],
        captures: captureClocks,
        lost: lost.received, leftOut: Set((zoneless.twins[endpoint.key] ?? [:]).keys),
        sources: sources, store: store,
        readers: readers, scoring: scoring, passed: passed)
    }
    ends =
      try store.sampleCount(ofCall: call.key) < Readers.fewestSamples
      ? endpoints.map { try assessed($0, store) } : readers.map(endpoints, beside: store, assessed)
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
