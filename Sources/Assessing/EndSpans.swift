import CallModel
import CallStore
import Scoring
import Timeline

/// The spans stored with the judgement of an end, so that nothing above the store has to read samples.
struct EndSpans {
  let spans: [MediaSpan]

  init(_ end: EndpointAssessment, findings: [Finding], fates: [MediaKind: [Fate]], from store: Store) throws {
    var spans: [MediaSpan] = []
    for (kind, fates) in fates {
      for fate in fates where fate.isMissed && fate.lengthMs >= MediaSpan.minOutageMs(of: kind) {
        spans.append(MediaSpan(.outage, kind, from: fate.startMs, to: fate.endMs, proof: fate.proof))
      }
    }
    spans.sort { ($0.startMs, $0.medium?.rawValue ?? "") < ($1.startMs, $1.medium?.rawValue ?? "") }
    let missed = SpanSet(spans.filter { $0.medium == .audio }.map { (start: $0.startMs, end: $0.endMs) })
    let unsent = try Self.notSent(end, findings, from: store).filter {
      missed.covered(from: $0.startMs, to: $0.endMs) <= $0.lengthMs / 2
    }
    spans += unsent + Self.notSent(fates, beside: unsent)
    let last = end.media?.upperBound
    let sound = Self.onlySound(end)
    var heldUntil = -Double.infinity
    spans += try end.quiet.compactMap { quiet in
      let stop = quiet.endMs.isFinite ? quiet.endMs : last ?? quiet.startMs
      guard stop > quiet.startMs else { return nil }
      var span = MediaSpan(.hold, quiet.kind, from: quiet.startMs, to: stop)
      let start = max(quiet.startMs, heldUntil)
      if let sound, quiet.kind != .video, start < stop {
        span.concealedSamples = try Self.concealed(sound, from: start, to: stop, in: store)
        heldUntil = stop
      }
      return span
    }
    spans += end.frozen.filter(\.isPause).map { MediaSpan(.freeze, .video, from: $0.startMs, to: $0.endMs) }
    spans += end.reportGaps.map { MediaSpan(.gap, nil, from: $0.lowerBound, to: $0.upperBound) }
    var kept: [MediaSpan.Kind: Int] = [:]
    self.spans = spans.filter { span in
      kept[span.kind, default: 0] += 1
      return kept[span.kind, default: 0] <= FrozenSpan.maxReported
    }
  }

  /// What was not sent of each medium, where no other span says so.
  private static func notSent(_ fates: [MediaKind: [Fate]], beside known: [MediaSpan]) -> [MediaSpan] {
    [MediaKind.audio, .video].flatMap { kind in
      let same = SpanSet(known.filter { $0.medium == kind }.map { (start: $0.startMs, end: $0.endMs) })
      return (fates[kind] ?? []).compactMap { fate -> MediaSpan? in
        guard fate.what == .notSent, !fate.isMissed, fate.lengthMs >= MediaSpan.minOutageMs(of: kind),
          same.covered(from: fate.startMs, to: fate.endMs) <= fate.lengthMs / 2
        else { return nil }
        return MediaSpan(.notSent, kind, from: fate.startMs, to: fate.endMs, proof: fate.proof)
      }
    }
  }

  /// Periods in which the far end sent no audio, with the concealment of this end's only audio stream meanwhile.
  private static func notSent(_ end: EndpointAssessment, _ findings: [Finding], from store: Store) throws
    -> [MediaSpan]
  {
    let sound = onlySound(end)
    let silences = findings.filter { $0.code == .farEndSilent }.sorted {
      $0.startMs ?? 0 < $1.startMs ?? 0
    }
    return try silences.prefix(FrozenSpan.maxReported).compactMap { finding in
      guard let start = finding.startMs, let stop = finding.endMs, stop > start else { return nil }
      let proof = finding.evidence.word("by") ?? MediaSpan.Proof.none
      var span = MediaSpan(.notSent, .audio, from: start, to: stop, proof: proof)
      if let sound { span.concealedSamples = try concealed(sound, from: start, to: stop, in: store) }
      return span
    }
  }

  /// The only audio stream that an end received, by its statistics.
  private static func onlySound(_ end: EndpointAssessment) -> [StoredStream]? {
    let sounds = end.choice.tracks[.stats]?.filter { parts in
      parts.first.map { $0.facts.direction == .inbound && $0.facts.kind == .audio } ?? false
    }
    return sounds?.count == 1 ? sounds?.first : nil
  }

  /// Samples that a receiver concealed while the far end sent no audio.
  private static func concealed(
    _ parts: [StoredStream], from start: Double, to stop: Double, in store: Store
  ) throws -> Double {
    var sum = 0.0
    for part in parts {
      let cursor = try store.samples(ofStream: part.key, from: start - reachMs, to: stop + reachMs)
      var sample = Sample(timeMs: 0)
      var before: Sample?
      while try cursor.next(into: &sample) {
        defer { before = sample }
        guard let earlier = before, sample.timeMs > earlier.timeMs,
          let all = sample[.totalSamples], let allBefore = earlier[.totalSamples],
          let concealed = sample[.concealedSamples], let concealedBefore = earlier[.concealedSamples]
        else { continue }
        let overlap = min(sample.timeMs, stop) - max(earlier.timeMs, start)
        let quiet = (all - allBefore) * overlap / (sample.timeMs - earlier.timeMs)
        // A sender that transmits silence is not paused.
        guard overlap > 0, quiet > 0, concealed - concealedBefore >= quiet / 2 else { continue }
        sum += min(concealed - concealedBefore, quiet)
      }
    }
    return sum
  }

  /// How long after a silence a report may end that began in it, ms.
  private static let reachMs = 15_000.0
}

extension MediaSpan {
  /// Minimum length of an outage, ms; shorter gaps only make windows bad. Video packets come in bursts, so short gaps
  /// in them are only estimates.
  static func minOutageMs(of kind: MediaKind) -> Double { kind == .audio ? 2500 : Threshold.pause.value }
}
