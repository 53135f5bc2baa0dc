import CallModel
import Scoring
import Timeline

extension PackedWindows {
  /// The windows scored by what became of the media, as from callqa-5 on.
  ///
  /// - Parameter unevenBy: when what came unevenly, or too late, was no network's fault, and the cause that is charged
  ///   with it; the first that holds for most of a window.
  /// - Parameter played: the share of the time that was played where `playout` is charged, 0–1; nil if unknown.
  func following(
    _ fates: [MediaKind: [Fate]], unevenBy: [(cause: Cause, spans: SpanSet)], played: Double? = nil,
    _ model: ScoreModel
  ) -> PackedWindows {
    let relevant = fates.mapValues { fates in
      // What was missed from the first to the last report was missed: reports begin late and end early.
      Self.whole(fates).map { [$0] } ?? fates.filter { $0.isMissed || $0.isUnscored }
    }
    guard model.followsFates,
      unevenBy.contains(where: { $0.spans.whole != nil }) || relevant.values.contains(where: { !$0.isEmpty })
    else {
      return self
    }
    var windows = PackedWindows()
    var lastScore: Int?
    for var row in self {
      let uneven = unevenBy.first {
        $0.spans.covered(from: row.startMs, to: row.endMs) > (row.endMs - row.startMs) / 2
      }
      guard uneven != nil || relevant.contains(where: { $0.value.contains { $0.overlap(with: row) > 0 } })
      else {
        row.changed = row.score.map { $0 != lastScore } ?? false
        lastScore = row.score ?? lastScore
        windows.append(row, of: self)
        continue
      }
      var missed: [MediaKind: Cause] = [:]
      var unknown: Set<MediaKind> = []
      for (kind, fates) in relevant {
        guard let most = most(of: fates, during: row) else {
          if kind == .audio, isEdge(of: fates, row) { unknown.insert(kind) }
          continue
        }
        if let cause = most.cause(of: kind) { missed[kind] = cause } else { unknown.insert(kind) }
      }
      let window = window(row)
      var judged =
        missed.isEmpty && unknown.isEmpty ? window : model.window(window, missed: missed, unknown: unknown)
      if judged.score != nil, missed.isEmpty { judged.chargeEdges(of: relevant) }
      if let uneven {
        judged.charge(uneven.cause, insteadOf: .jitter)
        if uneven.cause == .playout, let played { judged.allow(atMost: 100 * played, charging: .playout) }
      }
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

  /// Whether a window lost points to what was concealed, without a lost packet, as nothing was sent any more.
  private func isEdge(of fates: [Fate], _ row: PackedWindow) -> Bool {
    guard row.lossShare ?? 0 == 0, fates.contains(where: { $0.isUnscored && $0.overlap(with: row) > 0 })
    else {
      return false
    }
    return window(row).pointsLost?[.loss] ?? 0 > 0
  }

  /// What became of the medium for most of a window, if for more than half of it something is missing.
  private func most(of fates: [Fate], during window: PackedWindow) -> Fate? {
    guard fates.reduce(0, { $0 + $1.overlap(with: window) }) > (window.endMs - window.startMs) / 2 else {
      return nil
    }
    return fates.max { $0.overlap(with: window) < $1.overlap(with: window) }
  }

  /// The same with windows for the time in which something was missed before the first one or after the last: what never
  /// came was not measured.
  func covering(_ fates: [MediaKind: [Fate]]) -> PackedWindows {
    let due = fates.values.joined().filter { isEmpty ? $0.isMissed || $0.isUnscored : $0.isMissed }
    guard let start = due.map(\.startMs).min(), let end = due.map(\.endMs).max() else { return self }
    var (first, last): (PackedWindow?, PackedWindow?)
    for window in self { (first, last) = (first ?? window, window) }
    func count(_ lengthMs: Double, _ rounding: FloatingPointRoundingRule) -> Int {
      Swift.max(0, Swift.min(Window.maxEmpty, Int((lengthMs / Window.lengthMs).rounded(rounding))))
    }
    guard let first, let last else {
      var windows = PackedWindows()
      windows.append(unmeasured: count(end - start, .up), from: start, until: end, index: 0)
      return windows
    }
    let (before, after) = (
      count(first.startMs - start, .toNearestOrEven), count(end - last.endMs, .toNearestOrEven)
    )
    guard before + after > 0 else { return self }
    var windows = PackedWindows()
    windows.append(
      unmeasured: before, from: first.startMs - Double(before) * Window.lengthMs, until: first.startMs,
      index: 0)
    for var window in unpacked {
      window.index += before
      windows.append(window)
    }
    windows.append(
      unmeasured: after, from: last.endMs, until: end, index: Int(last.index) + before + 1)
    return windows
  }

  private mutating func append(unmeasured count: Int, from startMs: Double, until endMs: Double, index: Int) {
    for number in 0..<count {
      let from = startMs + Double(number) * Window.lengthMs
      let until = number == count - 1 ? Swift.max(from + 1, endMs) : from + Window.lengthMs
      append(Window(index: index + number, startMs: from, endMs: until, state: .unscored))
    }
  }
}

extension Fate {
  /// How much of a window it takes, ms.
  fileprivate func overlap(with window: PackedWindow) -> Double {
    max(0, min(endMs, window.endMs) - max(startMs, window.startMs))
  }
}

extension Window {
  /// Charges what was concealed at the edge of what was missed to the same cause: without a lost packet it is no loss.
  fileprivate mutating func chargeEdges(of fates: [MediaKind: [Fate]]) {
    guard inputs.lossShare ?? 0 == 0 else { return }
    let near = [MediaKind.audio, .video].flatMap { kind in
      (fates[kind] ?? []).compactMap { fate in
        fate.isMissed && fate.startMs < endMs && fate.endMs > startMs ? fate.cause(of: kind) : nil
      }
    }
    guard let cause = near.first, !near.contains(.loss) else { return }
    charge(cause, insteadOf: .loss)
  }

  /// Takes points for a cause until no more than a score is left.
  fileprivate mutating func allow(atMost most: Double, charging cause: Cause) {
    // What a damaged record counts as played may be less than nothing.
    guard most.isFinite, let score, var points = pointsLost else { return }
    let most = Int(min(max(most, 0), 100).rounded())
    guard score > most else { return }
    points[cause] = (points[cause] ?? 0) + score - most
    (self.score, pointsLost) = (most, points)
    (audioCQ, audioLQ) = (audioCQ.map { min($0, Double(most)) }, audioLQ.map { min($0, Double(most)) })
  }

  fileprivate mutating func charge(_ cause: Cause, insteadOf other: Cause) {
    guard var points = pointsLost, let lost = points[other], lost > 0 else { return }
    points[other] = 0
    points[cause] = (points[cause] ?? 0) + lost
    pointsLost = points
  }
}
