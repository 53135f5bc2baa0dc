import CallModel
import CallStore
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

/// Whether one list of events sorts before another by time, text and line; nil if they are equal.
func comesBefore(_ one: [EventRecord], _ other: [EventRecord]) -> Bool? {
  for (a, b) in zip(one, other) {
    let first = (a.timeMs ?? .infinity, a.raw, a.args, a.line ?? 0)
    let second = (b.timeMs ?? .infinity, b.raw, b.args, b.line ?? 0)
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
  Set(events.map(\.event).filter { [.call, .sdp, .ice].contains($0.group) }).count
}

/// Logs on another clock than the other sources of the same end: read in the wrong time zone, if the offset is a
/// multiple of a quarter hour, or written by a wrong clock, if media began and ended earlier or later by the same
/// amount.
///
/// Stored times are not changed.
struct TimeZoneMistakes {
  /// Maximum offset between two time zones, ms.
  static let maxMs = 26 * 3_600_000.0
  /// Maximum time between established and the start of media, and between the end of the call and that of media, ms.
  static let aboutMs = 60_000.0

  /// Maximum difference between the offsets at start and end that makes them evidence of the clock, ms.
  private static let agreementMs = 1000.0
  private static let minMs = Threshold.skewByMedia.value
  private static let minBesideZoneMs = Threshold.skewBesideZone.value

  /// The error of a log's times, ms to be added.
  private struct Mistake {
    var zoneMs = 0.0
    /// The offset besides the time zone, if certain.
    var restMs: Double?
    /// Minimum offset if only a contradiction is certain.
    var apartMs: Double?

    var sizeMs: Double { abs(zoneMs) + abs(restMs ?? apartMs ?? 0) }

    var skew: ClockSkew {
      ClockSkew(
        offsetMs: zoneMs + (restMs ?? 0), uncertaintyMs: TimeZoneMistakes.aboutMs, pairs: 2,
        evidence: "media at the same end")
    }
  }

  private struct Reporter: Hashable {
    var end: Int64
    var source: Int64
  }

  private var errors: [Reporter: Mistake] = [:]

  init(_ events: [StoredEvent], _ statistics: ZonelessStatistics, _ streams: [Int64: [StoredStream]]) {
    var byReporter: [Reporter: [EventRecord]] = [:]
    for event in events {
      if let end = event.endpoint {
        byReporter[Reporter(end: end, source: event.source), default: []].append(event.record)
      }
    }
    for (reporter, events) in byReporter {
      guard let times = CallTimes(events) else { continue }
      let leftOut = statistics.twins[reporter.end] ?? [:]
      let streams = (streams[reporter.end] ?? []).filter { leftOut[$0.source] == nil }
      guard !streams.contains(where: { $0.source == reporter.source }),
        let first = streams.compactMap(\.totals.firstMs).min(),
        let last = streams.compactMap(\.totals.lastMs).max()
      else { continue }
      errors[reporter] = Self.mistake(of: times, beside: first, last)
    }
    for (end, sources) in statistics.twins {
      for (source, zoneMs) in sources {
        errors[Reporter(end: end, source: source)] = Mistake(zoneMs: -zoneMs)
      }
    }
  }

  private static func mistake(of times: CallTimes, beside first: Double, _ last: Double) -> Mistake? {
    let (begin, end) = (first - times.establishedMs, last - times.overMs)
    let zone = ZoneOffset.nearest(toMs: begin)
    let agrees = abs(begin - end) <= agreementMs
    if zone != 0, abs(zone) <= maxMs, abs(begin - zone) <= aboutMs, abs(end - zone) <= aboutMs {
      let rest = (begin + end) / 2 - zone
      return Mistake(zoneMs: zone, restMs: agrees && abs(rest) >= minBesideZoneMs ? rest : nil)
    }
    if agrees, abs(begin + end) / 2 >= minMs { return Mistake(restMs: (begin + end) / 2) }
    let apart = max(first - times.overMs, times.establishedMs - last)
    return apart >= minMs ? Mistake(apartMs: apart) : nil
  }

  /// The events with their time zone corrected.
  func corrected(_ events: [StoredEvent]) -> [StoredEvent] {
    guard !errors.isEmpty else { return events }
    return events.map { event in
      guard let end = event.endpoint, let error = errors[Reporter(end: end, source: event.source)] else {
        return event
      }
      var event = event
      event.record = error.skew.aligned(event.record)
      return event
    }.inOrder(by: \.record.timeMs)
  }

  /// The known clocks of the ends, with these errors added.
  func added(to clocks: [Int64: EndClock]) -> [Int64: EndClock] {
    var clocks = clocks
    // Of several logs of one end the one with the largest error is reported.
    for (reporter, error) in errors.sorted(by: {
      ($0.value.sizeMs, $0.key.source) < ($1.value.sizeMs, $1.key.source)
    }) {
      var clock = clocks[reporter.end] ?? EndClock()
      if error.zoneMs != 0 { clock.zoneMs = -error.zoneMs }
      clock.logMs = error.restMs.map { -$0 }
      clock.logApartMs = error.apartMs
      clocks[reporter.end] = clock
    }
    return clocks
  }
}

/// Statistics with times of an unknown time zone, compared with others of the same streams that have one: an offset of
/// a multiple of a quarter hour is the time zone.
///
/// If both are of the same end, the others are used; otherwise the end gets a clock of its own. Stored times are not
/// changed.
struct ZonelessStatistics {
  /// By end, the sources that others replace, and how far their times are ahead, ms.
  private(set) var twins: [Int64: [Int64: Double]] = [:]
  /// Clock offset of an end from its far end.
  private(set) var skews: [Int64: ClockSkew] = [:]

  init(ofCall call: Int64, _ streams: [Int64: [StoredStream]], in store: Store) throws {
    let zoneless = try store.sources(ofCall: call, noting: SourceNote.noZone)
    guard !zoneless.isEmpty else { return }
    let streams = try store.endpoints(ofCall: call).flatMap { streams[$0.key] ?? [] }
    let sure = Dictionary(grouping: streams.filter { !zoneless.contains($0.source) }) { $0.facts.ssrc }
    let endsWithOthers = Set(sure.values.flatMap { $0 }.map(\.endpoint))
    for stream in streams where zoneless.contains(stream.source) {
      guard let end = stream.endpoint, let ssrc = stream.facts.ssrc else { continue }
      for other in sure[ssrc] ?? [] {
        guard let apart = stream.zone(against: other) else { continue }
        let isSame = other.facts.direction == stream.facts.direction
        if isSame, other.endpoint == end {
          twins[end, default: [:]][stream.source] = apart.zoneMs
        } else if !isSame, other.endpoint != end, !endsWithOthers.contains(end) {
          skews[end] = ClockSkew(
            offsetMs: -apart.zoneMs, uncertaintyMs: apart.restMs, pairs: 2,
            evidence: "the streams that one end sends and the other receives: its times have no zone")
        }
      }
    }
  }
}

extension StoredStream {
  /// How far its times are ahead of another's, as a multiple of a quarter hour with the remainder, ms; nil if they are
  /// not.
  fileprivate func zone(against other: StoredStream) -> (zoneMs: Double, restMs: Double)? {
    guard let first = totals.firstMs, let last = totals.lastMs, let begin = other.totals.firstMs,
      let end = other.totals.lastMs
    else { return nil }
    let zone = ZoneOffset.nearest(toMs: first - begin)
    let rest = max(abs(first - begin - zone), abs(last - end - zone))
    guard zone != 0, abs(zone) <= TimeZoneMistakes.maxMs, rest <= TimeZoneMistakes.aboutMs else {
      return nil
    }
    return (zone, rest)
  }
}
