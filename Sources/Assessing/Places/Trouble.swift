import CallModel
import Timeline

/// A period in which an end missed a medium, or got it impaired: what a place is looked for.
struct Trouble: Equatable {
  enum Kind: Equatable {
    case missed(Fate.What)
    case impaired(Cause)
  }

  /// Index of its listener among the ends.
  var listener: Int
  var medium: MediaKind
  var startMs: Double
  var endMs: Double
  var kind: Kind
  /// Points times ms.
  var cost: Double

  /// Minimum length of something missing, and of something impaired, ms: a window, and one and the better part
  /// of another, because the last window of a stream ends with it.
  private static let (minMissedMs, minImpairedMs) = (Window.lengthMs, 1.5 * Window.lengthMs)
  /// Mean points over what was recorded of an end that a trouble of a call that is not bad must have cost.
  private static let minMeanPoints = 3.0
  /// Share of the cost of the greatest trouble of a bad call of which another is worth a look.
  private static let minShare = 0.25

  /// The troubles of a call, those that decided its verdict first, then by what they cost.
  static func found(
    at ends: [EndpointAssessment], _ fates: CallFates, _ impairments: [Int64: [Impairment]],
    _ verdict: Verdict
  ) -> [Trouble] {
    var troubles = ends.enumerated().flatMap { index, end in
      let missed = [MediaKind.audio, .video].flatMap { medium in
        (fates[end][medium] ?? []).compactMap { Trouble(listener: index, medium, $0) }
      }
      return missed + (impairments[end.endpoint.key] ?? []).compactMap { Trouble(listener: index, $0) }
    }
    func isOfVerdict(_ trouble: Trouble) -> Bool {
      verdict.medium == trouble.medium && verdict.end == ends[trouble.listener].endpoint.name
    }
    if verdict.value.isAlarm || verdict.value == .notSent, troubles.contains(where: isOfVerdict) {
      troubles = troubles.filter(isOfVerdict)
    } else {
      troubles = troubles.filter { trouble in
        let lastedMs = ends[trouble.listener].judgingWindows.reduce(0) { $0 + $1.endMs - $1.startMs }
        return trouble.cost >= minMeanPoints * lastedMs
      }
    }
    troubles.sort { ($1.cost, $0.startMs) < ($0.cost, $1.startMs) }
    guard verdict.value.isAlarm, let most = troubles.first?.cost else { return troubles }
    return troubles.filter { $0.cost >= minShare * most }
  }

  /// Nil if it is none, or too short.
  init?(listener: Int, _ medium: MediaKind, _ fate: Fate) {
    guard ![.arrived, .paused, .unknown].contains(fate.what), fate.rule != .held,
      fate.lengthMs >= Self.minMissedMs
    else { return nil }
    (self.listener, self.medium) = (listener, medium)
    (startMs, endMs) = (fate.startMs, fate.endMs)
    kind = .missed(fate.what)
    // What nothing shows to have been due counts half.
    cost = fate.lengthMs * (fate.isMissed ? 100 : 50)
  }

  /// Nil if it is too short.
  init?(listener: Int, _ one: Impairment) {
    guard one.lengthMs >= Self.minImpairedMs else { return nil }
    (self.listener, medium) = (listener, one.medium)
    (startMs, endMs) = (one.startMs, one.endMs)
    kind = .impaired(one.cause)
    cost = one.lengthMs * one.points
  }

  var lengthMs: Double { endMs - startMs }

  /// Whether it is of how a picture was made and sent.
  var isOfSentPicture: Bool {
    guard medium == .video, case .impaired(let cause) = kind else { return false }
    return [.framerate, .resolution, .coding, .bitrate, .freeze].contains(cause)
  }

  /// Whether something may not have been sent.
  var isUnsent: Bool {
    guard case .missed(let what) = kind else { return false }
    return [.notSent, .notDue, .lost, .silentSource].contains(what)
  }

  /// Whether it may have come of what the path carried.
  var mayComeOfPath: Bool { isOfPath || isOfSentPicture || kind == .impaired(.delay) }

  /// Whether something did not come, came late, or in part.
  var isOfPath: Bool {
    switch kind {
    case .missed(let what): what == .lost
    case .impaired(let cause): [.loss, .jitter, .freeze].contains(cause)
    }
  }
}
