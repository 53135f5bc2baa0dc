import CallModel

/// How far two clocks are apart that told of one call, and how that is known.
public struct ClockSkew: Sendable, Equatable {
  /// What has to be added to the other log's times to read them on the reference's clock, ms.
  public var offsetMs: Double
  /// The truth lies this far to either side at most, ms.
  public var uncertaintyMs: Double
  /// How many events bear witness.
  public var pairs: Int
  /// How it was found, in a sentence.
  public var evidence: String

  /// A difference, and how it is known.
  public init(offsetMs: Double, uncertaintyMs: Double, pairs: Int, evidence: String) {
    (self.offsetMs, self.uncertaintyMs, self.pairs, self.evidence) = (
      offsetMs, uncertaintyMs, pairs, evidence
    )
  }

  /// Whether it is more than the evidence could be wrong by, and enough to matter: a quarter of a second.
  public var matters: Bool { abs(offsetMs) >= max(250, 2 * uncertaintyMs) }

  /// An event of the other log on the reference's clock. The stored times stay what they are: this is for reading only.
  public func aligned(_ event: EventRecord) -> EventRecord {
    var event = event
    event.timeMs = event.timeMs.map { $0 + offsetMs }
    event.untilMs = event.untilMs.map { $0 + offsetMs }
    return event
  }
}

/// Compares the clocks of two logs of one call; nil where nothing in them bears witness.
///
/// An offer that one log sends and the other receives, and the answer that comes back, bound the difference from both sides, as
/// NTP does (RFC 5905 section 8). Without them, events that both logs tell are compared: the median difference, if they agree.
/// - Parameter sameEnd: whether both logs tell of one end. Where they do not, only what both see of a third counts: what a
///   participant does, a message, a presentation; else when the caller and the callee say that their call began and ended.
public func clockSkew(
  of other: [EventRecord], against reference: [EventRecord], sameEnd: Bool = true
) -> ClockSkew? {
  let found =
    byMessages(other, reference) ?? byTwins(other, reference, sameEnd)
    ?? (sameEnd ? nil : byCallTimes(other, reference))
  guard var skew = found else { return nil }
  // Stamps of whole seconds lie up to one behind.
  let stepMs = (other + reference).compactMap(\.clockStepMs).max() ?? 0
  skew.uncertaintyMs = max(skew.uncertaintyMs, stepMs)
  return skew
}

// MARK: Messages between two ends

private let receipts: Set = ["sdp.offer-received", "sdp.answer-received"]

private func byMessages(_ other: [EventRecord], _ reference: [EventRecord]) -> ClockSkew? {
  // The offset is at least what a message from the reference needs, at most what one to it allows.
  let low = differences(sent: reference, received: other).max()
  let high = differences(sent: other, received: reference).map { -$0 }.min()
  guard let low, let high, high >= low, high - low < 20_000 else { return nil }
  return ClockSkew(
    offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2, pairs: 2,
    evidence: "an offer and its answer, each sent by one log and received by the other")
}

// Sent less received, for every description that both logs have.
private func differences(sent: [EventRecord], received: [EventRecord]) -> [Double] {
  var sentMs: [String: Double] = [:]
  for event in sent where event.event.hasPrefix("sdp.") && !receipts.contains(event.event) {
    guard let time = event.timeMs, let ufrag = ufrag(of: event) else { continue }
    // The last moment at which it had certainly not been sent yet is when it was made.
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

/// More than this apart, differences of two clocks are no witness of one offset, ms.
public let clockAgreementMs = 1000.0

private func byTwins(_ other: [EventRecord], _ reference: [EventRecord], _ sameEnd: Bool) -> ClockSkew? {
  let theirs = witnesses(other, sameEnd: sameEnd)
  let differences = witnesses(reference, sameEnd: sameEnd)
    .compactMap { key, time in theirs[key].map { time - $0 } }.sorted()
  guard differences.count >= 2 else { return nil }
  let offset = median(of: differences)
  let deviation = median(of: differences.map { abs($0 - offset) }.sorted())
  guard deviation <= clockAgreementMs else { return nil }
  return ClockSkew(
    offsetMs: offset, uncertaintyMs: max(1, deviation), pairs: differences.count,
    evidence: Plural.of(differences.count, "event") + " that both logs tell")
}

private func median(of sorted: [Double]) -> Double {
  guard !sorted.isEmpty else { return 0 }
  let half = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
}
