import CallModel

/// The difference between the clocks of two logs of one call, with its evidence.
public struct ClockSkew: Sendable, Equatable {
  /// The offset to be added to the other log's times to convert them to the reference's clock, ms.
  public var offsetMs: Double
  /// The maximum error in either direction, ms.
  public var uncertaintyMs: Double
  /// The number of events used.
  public var pairs: Int
  /// How it was found, in a sentence.
  public var evidence: String

  /// Creates a difference with its evidence.
  public init(offsetMs: Double, uncertaintyMs: Double, pairs: Int, evidence: String) {
    (self.offsetMs, self.uncertaintyMs, self.pairs, self.evidence) = (
      offsetMs, uncertaintyMs, pairs, evidence
    )
  }

  /// Whether it exceeds the possible error, and is large enough to matter: a quarter of a second.
  public var matters: Bool { abs(offsetMs) >= max(250, 2 * uncertaintyMs) }

  /// Returns an event of the other log with its times on the reference's clock. Stored times are not changed;
  /// this is only for display.
  public func aligned(_ event: EventRecord) -> EventRecord {
    event.shifted(byMs: offsetMs)
  }
}

/// Compares the clocks of two logs of one call; returns nil if there is no evidence.
///
/// An offer sent in one log and received in the other, and the answer that comes back, limit the difference
/// from both sides, as in NTP (RFC 5905 section 8). Without them, events that occur in both logs are
/// compared, and the median difference is used if they agree.
/// - Parameter sameEnd: Whether both logs are from one end. If not, only events that both see of a third
///   party count (actions of a participant, a message, a presentation), or else the times at which caller and
///   callee report the beginning and end of their call.
public func clockSkew(
  of other: [EventRecord], against reference: [EventRecord], sameEnd: Bool = true
) -> ClockSkew? {
  let found =
    byMessages(other, reference) ?? byCommonEvents(other, reference, sameEnd)
    ?? (sameEnd ? nil : byCallTimes(other, reference))
  guard var skew = found else { return nil }
  // Timestamps in whole seconds may be up to one second behind.
  let stepMs = (other + reference).compactMap(\.clockStepMs).max() ?? 0
  skew.uncertaintyMs = max(skew.uncertaintyMs, stepMs)
  return skew
}

// MARK: Messages between two ends

private let receipts: Set<EventName> = [.sdpOfferReceived, .sdpAnswerReceived]

private func byMessages(_ other: [EventRecord], _ reference: [EventRecord]) -> ClockSkew? {
  // The offset is at least what a message from the reference requires, and at most what one to it permits.
  let low = differences(sent: reference, received: other).max()
  let high = differences(sent: other, received: reference).map { -$0 }.min()
  guard let low, let high, high >= low, high - low < 20_000 else { return nil }
  return ClockSkew(
    offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2, pairs: 2,
    evidence: "an offer and its answer, each sent by one log and received by the other")
}

// Time sent minus time received, for every description that is in both logs.
private func differences(sent: [EventRecord], received: [EventRecord]) -> [Double] {
  var sentMs: [String: Double] = [:]
  for event in sent where event.event.group == .sdp && !receipts.contains(event.event) {
    guard let time = event.timeMs, let ufrag = ufrag(of: event) else { continue }
    // The description was created before it was sent, so the earliest time is a lower bound.
    sentMs[ufrag] = min(sentMs[ufrag] ?? time, time)
  }
  return received.compactMap { event in
    guard receipts.contains(event.event), let time = event.timeMs, let ufrag = ufrag(of: event),
      let start = sentMs[ufrag]
    else { return nil }
    return start - time
  }
}

private func ufrag(of event: EventRecord) -> String? { SessionDescription(event.args).ufrags.first }

// MARK: The same event in both logs

/// Clock differences that deviate from each other by more than this, ms, are no evidence of a common offset.
public let clockAgreementMs = 1000.0

private func byCommonEvents(_ other: [EventRecord], _ reference: [EventRecord], _ sameEnd: Bool) -> ClockSkew?
{
  let theirs = comparableTimes(other, sameEnd: sameEnd)
  let differences = comparableTimes(reference, sameEnd: sameEnd)
    .compactMap { key, time in theirs[key].map { time - $0 } }.sorted()
  guard differences.count >= 2 else { return nil }
  let offset = median(of: differences)
  let deviation = median(of: differences.map { abs($0 - offset) }.sorted())
  guard deviation <= clockAgreementMs else { return nil }
  return ClockSkew(
    offsetMs: offset, uncertaintyMs: max(1, deviation), pairs: differences.count,
    evidence: Plural.of(differences.count, "event") + " that both logs report")
}

private func median(of sorted: [Double]) -> Double {
  guard !sorted.isEmpty else { return 0 }
  let half = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
}
