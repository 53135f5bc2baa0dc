import CallModel
import CallStore
import Scoring
import Verdicts

/// What figures say that something else worked out: means of long times, and of whole calls.
extension VerdictEvidence {
  /// Whether an end is judged by means of long times, or moments, of which no window shows how it was.
  func isOfLongMeans(_ end: EndpointAssessment) -> Bool {
    guard end.choice.judging == .figures else { return false }
    return end.choice.judges.contains { stream in
      // Counters are in the samples, and in the last one.
      let isCounted = stream.facts.intervalMs == nil && stream.totals.packets != nil
      return FigurePrecision(stream.facts, isCounted: isCounted) == .long
    }
  }

  /// What the figures rest on.
  func basis(ofFiguresAt end: EndpointAssessment) -> Verdict.Basis {
    let intervalMs = end.choice.judges.compactMap(\.facts.intervalMs).max()
    let per: String
    switch intervalMs {
    case nil: per = "report"
    case 60_000?: per = "minute"
    case let length?: per = "\(Int(exactly: (length / 1000).rounded()) ?? 0) s"
    }
    return .figures(per: per, by: end.endpoint.sdk ?? "a table")
  }

  /// Reports of a whole call at an end; empty where something better is known.
  func callReports(at end: EndpointAssessment) -> [EventRecord] {
    guard end.choice.judges.isEmpty else { return [] }
    return end.ownEvents.filter { $0.event == .mediaQualityReported && $0[.per] == "call" }
  }

  /// The loss of a medium that an end is judged by, as means of long times; nil if it is known better, or not at all.
  func summedLoss(_ kind: MediaKind, at end: EndpointAssessment, windows: PackedWindows) -> SummedLoss? {
    if isOfLongMeans(end) {
      guard kind == .audio, var summed = summedLoss(of: windows) else { return nil }
      // An outage that nobody counted is in no share, and a switch does not know what was heard.
      summed.isClean = summed.isClean && isCovered(end)
      return summed
    }
    let reports = callReports(at: end).filter { $0[.of] != "sent" && $0[.medium] == kind.rawValue }
    guard let report = reports.max(by: { $0[.lossPercent] ?? 0 < $1[.lossPercent] ?? 0 }) else { return nil }
    let talkMs = report[.durationS].map { $0 * 1000 } ?? talk.map { $0.upperBound - $0.lowerBound }
    guard let talkMs, talkMs > 0 else { return nil }
    var summed = SummedLoss()
    summed.isAtSwitch = report[.seenBy] == "switch"
    let loss = report[.lossPercent]
    summed.add(share: (loss ?? 0) / 100, lengthMs: talkMs)
    let others = [report[.concealedPercent], report[.discardedPercent]].compactMap(\.self)
    let isSteady = report[.packets].map { Double($0) * Self.packetMs >= Self.coveredShare * talkMs } ?? false
    let jitterMs = max(report[.jitterMs] ?? 0, report[.jitterMaxMs] ?? 0)
    summed.isClean =
      summed.isClean && loss != nil && report[.seenBy] == "end"
      && others.allSatisfy { $0 < Self.cleanPercent }
      && isSteady && jitterMs < Self.audibleJitterMs && report[.rttMs] ?? 0 < Self.audibleTripMs
    return summed
  }

  /// Whether an end itself counted packets of sound all the time.
  private func isCovered(_ end: EndpointAssessment) -> Bool {
    let sound = end.choice.judges.filter { $0.facts.direction == .inbound && $0.facts.kind == .audio }
    return !sound.isEmpty
      && sound.allSatisfy { stream in
        guard stream.isSeenByEnd, let packets = stream.totals.packets, let span = stream.span else {
          return false
        }
        return Double(packets) * Self.packetMs >= Self.coveredShare * (span.upperBound - span.lowerBound)
      }
  }

  private func summedLoss(of windows: PackedWindows) -> SummedLoss? {
    var summed = SummedLoss()
    for window in windows where window.state != .unscored {
      guard let share = window.inputs.lossShare else { continue }
      summed.add(share: share, lengthMs: window.endMs - window.startMs)
      let isHeard = (window.inputs.concealedShare ?? 0) * 100 >= Self.cleanPercent
      let isCharged = [Cause.jitter, .delay, .freeze].contains { window.pointsLost?[$0] ?? 0 > 0 }
      if isHeard || isCharged { summed.isClean = false }
    }
    return summed.talkMs > 0 ? summed : nil
  }

  /// Usual audio per packet, ms, and the share of the time that packets have to cover.
  private static let packetMs = 20.0
  private static let coveredShare = 0.9
  /// Shares below which nothing is heard, per cent; jitter and round trips from which a window is charged, ms.
  private static let cleanPercent = 0.5
  private static let audibleJitterMs = 10.0
  private static let audibleTripMs = 250.0

  /// Sound of which an end received no packet at all in a whole call: proven to be lost if the other end sent some.
  func unreceivedInFigures(at end: EndpointAssessment) -> MediaFault? {
    let received = end.ownEvents.filter {
      $0.event == .mediaQualityReported && $0[.per] != nil && $0[.of] == "received" && $0[.medium] == "audio"
    }
    let sounds = end.choice.chosen(.figures).filter {
      $0.facts.direction == .inbound && $0.facts.kind != .video
    }
    let isEmpty =
      received.isEmpty
      ? !sounds.isEmpty && sounds.allSatisfy { $0.totals.lossShare == nil && $0.isSeenByEnd }
      : received.allSatisfy { $0[.packets] == 0 && $0[.seenBy] == "end" }
    guard isEmpty, sounds.allSatisfy({ $0.totals.packets == 0 }), let talk = talk ?? rows(at: ends)
    else { return nil }
    let others = ends.filter { $0.endpoint.key != end.endpoint.key }
    let isSent =
      others.count == 1
      && others.contains { other in
        callReports(at: other).contains {
          $0[.of] == "sent" && $0[.medium] == "audio" && $0[.packets] ?? 0 > 0 && $0[.seenBy] == "end"
        }
          || other.choice.chosen(.figures).contains {
            $0.facts.direction == .outbound && $0.facts.kind == .audio && $0.totals.packets ?? 0 > 0
          }
      }
    return MediaFault(
      from: talk.lowerBound, to: talk.upperBound, reason: isSent ? .lostOnPath : .notSent, isProven: isSent,
      isLossShown: isSent)
  }

  /// From the first to the last row of figures at some ends; nil without any.
  private func rows(at ends: [EndpointAssessment]) -> ClosedRange<Double>? {
    let spans = ends.flatMap { $0.choice.chosen(.figures) }.compactMap(\.span)
    guard let from = spans.map(\.lowerBound).min(), let to = spans.map(\.upperBound).max() else { return nil }
    return from...to
  }

  /// From the first answer to the last end that any end of the call tells; nil without both.
  private var talk: ClosedRange<Double>? {
    let events = ends.flatMap(\.ownEvents)
    let start = events.filter { $0.event == .callEstablished }.compactMap(\.ownTimeMs).min()
    let end = events.filter { $0.event == .callEnded }.compactMap(\.ownTimeMs).max()
    guard let start, let end, end > start else { return nil }
    return start...end
  }
}

extension StoredStream {
  /// Whether figures are of what an end itself counted, and not a switch or a tap.
  fileprivate var isSeenByEnd: Bool {
    totals.extra.flatMap { memberText("seen_by", of: $0) } == "end"
  }
}
