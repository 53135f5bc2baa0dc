import CallModel
import Scoring
import SetupTime
import Timeline
import Verdicts

/// What became of each medium at each end of a call, from the evidence that its verdict rests on.
struct CallFates {
  private var fates: [Int64: [MediaKind: [Fate]]] = [:]

  /// - Parameter evidence: with the ends in the same order.
  init(_ ends: [EndpointAssessment], _ evidence: CallEvidence) {
    for (end, own) in zip(ends, evidence.ends) {
      for medium in own.media {
        guard let expected = medium.expected else { continue }
        // What goes on after the end of the call is no part of it.
        let over = [end.overMs, CallTimes(end.ownEvents)?.overMs].compactMap { $0 }.min() ?? .infinity
        fates[end.endpoint.key, default: [:]][medium.medium] = Fate.fates(
          of: Self.sightings(of: medium, in: end.judgingWindows),
          during: expected.lowerBound...max(expected.lowerBound, min(expected.upperBound, over)))
      }
    }
  }

  subscript(_ end: EndpointAssessment) -> [MediaKind: [Fate]] { fates[end.endpoint.key] ?? [:] }

  private static func sightings(of medium: MediumEvidence, in windows: PackedWindows) -> [Sighting] {
    let missing = SpanSet(medium.faults.map { (start: $0.startMs, end: $0.endMs) })
    /// What a fault tells of a part of a window is more than the window tells.
    func seen(
      _ saw: Sighting.Saw, by proof: MediaSpan.Proof = .none, in isSo: (Window) -> Bool
    ) -> [Sighting] {
      let spans = SpanSet(windows.lazy.filter(isSo).map { (start: $0.startMs, end: $0.endMs) })
      guard let whole = spans.whole else { return [] }
      return spans.clipped(to: whole.lowerBound, whole.upperBound).flatMap { span in
        missing.between(span.start, span.end).map {
          Sighting(saw, from: $0.start, to: $0.end, proof: proof, by: "media")
        }
      }
    }
    let isSound = medium.medium == .audio
    func isMeasured(_ window: Window) -> Bool { (isSound ? window.audioCQ : window.video) != nil }
    // The share that was lost is that of sound, where there is any.
    func isLost(_ window: Window) -> Bool {
      isSound && window.inputs.lossShare ?? 0 >= VerdictEvidence.allLost
    }
    let carried = seen(.carried) { isMeasured($0) && !isLost($0) }
    let lost = seen(.lost, by: .sequenceNumbers) { isMeasured($0) && isLost($0) }
    let paused = isSound ? seen(.paused) { $0.state == .silent } : []
    let held = medium.held.map { Sighting(.held, from: $0.lowerBound, to: $0.upperBound, by: "events") }
    return carried + lost + paused + held + medium.faults.map(Sighting.init)
  }
}

extension Sighting {
  fileprivate init(_ fault: MediaFault) {
    self.init(
      Self.saw(fault), from: fault.startMs, to: fault.endMs, proof: fault.proof, by: fault.reason.rawValue)
  }

  private static func saw(_ fault: MediaFault) -> Saw {
    switch fault.reason {
    case .notPlayed: .notPlayed
    case .undecodable: .undecodable
    case .notForwarded: .keptBack
    case .silentSource: fault.isProven ? .silencedSpeech : .silence
    case .notSent: fault.isPause ? .paused : fault.isProven ? .notSentThoughDue : .nothing
    default: fault.isProven ? .lost : .nothing
    }
  }
}

extension PackedWindows {
  /// The windows scored by what became of the media, as from callqa-5 on.
  func following(_ fates: [MediaKind: [Fate]], _ model: ScoreModel) -> PackedWindows {
    let relevant = fates.mapValues { fates in
      // What was missed from the first to the last report was missed: reports begin late and end early.
      Self.whole(fates).map { [$0] } ?? fates.filter { $0.isMissed || $0.isUnscored }
    }
    guard model.followsFates, relevant.values.contains(where: { !$0.isEmpty }) else { return self }
    var windows = PackedWindows()
    var lastScore: Int?
    for window in self {
      var missed: [MediaKind: Cause] = [:]
      var unknown: Set<MediaKind> = []
      for (kind, fates) in relevant {
        guard let most = most(of: fates, during: window) else { continue }
        if let cause = most.cause(of: kind) { missed[kind] = cause } else { unknown.insert(kind) }
      }
      var judged =
        missed.isEmpty && unknown.isEmpty ? window : model.window(window, missed: missed, unknown: unknown)
      judged.changed = judged.score.map { $0 != lastScore } ?? false
      lastScore = judged.score ?? lastScore
      windows.append(judged)
    }
    return windows
  }

  /// A medium that was missed for nine tenths of the time that it was due, in one period.
  private static func whole(_ fates: [Fate]) -> Fate? {
    let dueMs = fates.reduce(0) { $0 + ($1.what == .notDue ? 0 : $1.lengthMs) }
    guard var fate = fates.first(where: { $0.isMissed && $0.lengthMs >= 0.9 * dueMs }) else { return nil }
    (fate.startMs, fate.endMs) = (-.infinity, .infinity)
    return fates.contains { $0.what == .notDue } ? nil : fate
  }

  /// What became of the medium for most of a window, if for more than half of it something is missing.
  private func most(of fates: [Fate], during window: Window) -> Fate? {
    func overlap(_ fate: Fate) -> Double {
      Swift.max(0, Swift.min(fate.endMs, window.endMs) - Swift.max(fate.startMs, window.startMs))
    }
    guard fates.reduce(0, { $0 + overlap($1) }) > (window.endMs - window.startMs) / 2 else { return nil }
    return fates.max { overlap($0) < overlap($1) }
  }

  /// Windows for an end without any, over the time in which media was due: nothing came, so nothing was measured.
  init(unmeasured fates: [MediaKind: [Fate]]) {
    self.init()
    let due = fates.values.joined().filter { $0.isMissed || $0.isUnscored }
    guard let start = due.map(\.startMs).min(), let end = due.map(\.endMs).max() else { return }
    for index in 0..<Swift.min(Window.maxEmpty, Int(((end - start) / Window.lengthMs).rounded(.up))) {
      let from = start + Double(index) * Window.lengthMs
      append(
        Window(index: index, startMs: from, endMs: Swift.min(end, from + Window.lengthMs), state: .unscored))
    }
  }
}
