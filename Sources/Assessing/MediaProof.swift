import CallModel
import CallStore
import Scoring

/// Evidence of an end on missing media: whether it was sent or lost.
extension EndpointAssessment {
  /// Whether the call was up, as this end shows: it was answered or connected. A browser receives nothing before it has
  /// the other side's description, whatever its log tells.
  var wasUp: Bool {
    let events: Set<EventName> = [.callAnswered, .callEstablished, .iceConnected, .dtlsConnected]
    return choice.judging == .stats || ownEvents.contains { events.contains($0.event) }
  }

  /// The other end of two on record, if all that this one receives of a medium comes from there; nil with more ends.
  func onlySource(of kind: MediaKind, among ends: [EndpointAssessment]) -> EndpointAssessment? {
    guard ends.count == 2, let far = ends.first(where: { $0.endpoint.key != endpoint.key }) else {
      return nil
    }
    return mayReceive(kind, fromOthersThan: far) ? nil : far
  }

  /// Whether a medium may come from others than the only other end on record, by its statistics: a server gave several
  /// streams on one connection SSRCs of its own, and chooses what each carries.
  private func mayReceive(_ kind: MediaKind, fromOthersThan far: EndpointAssessment) -> Bool {
    func streams(_ end: EndpointAssessment, _ direction: StreamDirection) -> [StoredStream] {
      end.choice.chosen(.stats).filter {
        $0.facts.direction == direction && $0.facts.kind == kind && ($0.totals.packets ?? 0) > 0
      }
    }
    let own = streams(self, .inbound)
    let sent = Set(streams(far, .outbound).compactMap(\.facts.ssrc))
    guard !sent.isEmpty, own.allSatisfy({ $0.facts.ssrc.map { !sent.contains($0) } ?? false }) else {
      return false
    }
    return Dictionary(grouping: own, by: \.connection).values.contains { Set($0.map(\.facts.ssrc)).count > 1 }
  }

  /// Whether this end's own recording shows that it sent a medium for most of a period, given on the clock of another
  /// end.
  func sent(_ kind: MediaKind, from start: Double, to stop: Double, seenFrom end: EndpointAssessment) -> Bool
  {
    let ahead = end.onCallClock(0) - onCallClock(0)
    let (start, stop) = (start + ahead, stop + ahead)
    // A stream seen by one capture is the same at both ends: only another capture can prove that it was sent.
    let there = Set(end.choice.chosen(.capture).map(\.source))
    let rows = StreamSource.allCases.flatMap(choice.chosen).filter {
      $0.facts.source == .stats || !there.contains($0.source)
    }
    let quiet = kind == .audio ? notSent.sound : notSent.picture
    let sent = SpanSet(of: rows.filter { $0.facts.direction == .outbound && $0.facts.kind == kind })
      .covered(from: start, to: stop)
    let not = SpanSet(quiet.map { (start: $0.startMs, end: $0.endMs) }).covered(from: start, to: stop)
    return sent - not > (stop - start) / 2
  }

  /// When this end sent audio by its own statistics and its microphone was not silent, in a period on the clock of
  /// another end.
  ///
  /// - Parameter silent: when the microphone was silent, on this end's clock.
  func spoke(from start: Double, to stop: Double, seenFrom end: EndpointAssessment, silent: [QuietSpan]) -> [(
    start: Double, end: Double
  )] {
    let ahead = end.onCallClock(0) - onCallClock(0)
    let (start, stop) = (start + ahead, stop + ahead)
    let sent = SpanSet(
      of: choice.chosen(.stats).filter { $0.facts.direction == .outbound && $0.facts.kind == .audio })
    let not = sent.between(start, stop) + (notSent.sound + silent).map { ($0.startMs, $0.endMs) }
    return SpanSet(not).between(start, stop).map { ($0.start - ahead, $0.end - ahead) }
  }

  /// Whether a capture elsewhere shows that a stream that this end received before went on for most of a period.
  func passedElsewhere(_ kind: MediaKind, from start: Double, to stop: Double) -> Bool {
    let own = choice.chosen(.capture).filter { $0.facts.direction != .outbound && $0.facts.kind == kind }
    guard !own.isEmpty else { return false }
    let files = Set(own.map(\.source))
    return choice.captured.contains { row in
      guard row.facts.kind == kind, !files.contains(row.source), let first = row.totals.firstMs,
        let last = row.totals.lastMs,
        let same = own.first(where: { $0.facts.ssrc == row.facts.ssrc }), let here = same.totals.firstMs,
        row.hasMore(than: same, in: stop - start)
      else { return false }
      // Both saw its first packet: what lies between is the difference of their clocks.
      let ahead = here - first
      let common = min(stop, last + ahead) - max(start, here)
      return common > (stop - start) / 2
    }
  }

  /// Whether this end's own recording shows that it did not send a medium for most of a period, given on the clock of
  /// another end.
  func unsent(_ kind: MediaKind, from start: Double, to stop: Double, seenFrom end: EndpointAssessment)
    -> Bool
  {
    let ahead = end.onCallClock(0) - onCallClock(0)
    let quiet = kind == .audio ? notSent.sound : notSent.picture
    return SpanSet(quiet.map { (start: $0.startMs, end: $0.endMs) }).covered(
      from: start + ahead, to: stop + ahead) > (stop - start) / 2
  }

  /// Whether this end's statistics show that audio arrived for most of a period.
  func receivedAudio(from start: Double, to stop: Double) -> Bool {
    let streams = choice.chosen(.stats).filter { $0.facts.direction == .inbound && $0.facts.kind == .audio }
    return SpanSet(of: streams).covered(from: start, to: stop) > (stop - start) / 2
      && !missed(.audio, from: start, to: stop)
  }

  /// Periods in which this end was muted according to its events.
  var muted: [QuietSpan] {
    QuietSpan.spans(
      ownEvents.filter { $0[.kind] != "video" }, from: [.callMuted], until: [.callUnmuted])
  }

  /// Whether no packet of a medium arrived for most of a period.
  func missed(_ kind: MediaKind, from start: Double, to stop: Double) -> Bool {
    isMost(gapsOffHold(kind), from: start, to: stop)
  }

  /// Whether most of a period without packets was lost according to the scorer: by sender reports, missing sequence
  /// numbers, or a path on which nothing arrived at all.
  func lost(_ kind: MediaKind, from start: Double, to stop: Double) -> Bool {
    isMost(gapsOffHold(kind).filter { $0.isLost && !$0.isUnexplained }, from: start, to: stop)
  }

  private func isMost(_ gaps: [PacketGap], from start: Double, to stop: Double) -> Bool {
    SpanSet(gaps.map { (start: $0.startMs, end: $0.endMs) }).covered(from: start, to: stop) > (stop - start)
      / 2
  }
}

extension StoredStream {
  /// Whether a capture has packets of a stream for a gap in what another has of it: by their counts, as only those tell what
  /// was within. Of another SSRC, or without counts, that is not known, and it may.
  func hasMore(than other: StoredStream, in gapMs: Double) -> Bool {
    guard facts.ssrc == other.facts.ssrc, let mine = totals.packets, let theirs = other.totals.packets,
      let span = other.span, span.upperBound - span.lowerBound > gapMs
    else { return true }
    let perMs = Double(theirs) / (span.upperBound - span.lowerBound - gapMs)
    return Double(mine - theirs) >= perMs * gapMs / 2
  }
}
