import CallModel

/// What is known of one end of a call that was taken up, for what its ends show of one another.
public struct EndActivity: Sendable {
  /// While the call stood, ms since the Unix epoch.
  public var stood: ClosedRange<Double>
  /// Whether sound was to come here: as `Reception` has it.
  public var isToHear: Bool
  /// Times on hold.
  public var quiet: [QuietSpan] = []
  /// First and last packet of sound, and of any media, that came here.
  public var sound: ClosedRange<Double>?
  public var media: ClosedRange<Double>?
  /// The relay to which sound for this end came, where none went on from there.
  public var stoppedAt: String?
  /// A capture that has nothing of what was sent here, and how many packets this end reported to have come all the same.
  public var notCaptured: (isSo: Bool, packets: Int?) = (false, nil)
  /// Whether its media is on record as that of another call: a user agent between the two let it pass by.
  public var isElsewhere = false
  /// From the last packet of any kind that came here to the last that this end sent, where nobody ended the call.
  public var alone: ClosedRange<Double>?

  /// An end at which nothing came.
  public init(stood: ClosedRange<Double>, isToHear: Bool) {
    self.stood = stood
    self.isToHear = isToHear
  }
}

/// How long something must be missing, ms.
private let leastMs = 5000.0

/// Sound that was missing at an end, as someone in the middle of the path sees it: to whom every stream is one of its
/// receiver, so that the end alone does not show that it sent.
public func missingSound(at end: EndActivity, others: [EndActivity]) -> Finding? {
  if let gone = goneSilent(end) { return gone }
  let length = span(end.stood)
  guard end.isToHear, !end.isElsewhere, end.sound == nil, length >= leastMs,
    !QuietTimes(end.quiet).hasMost(of: (start: end.stood.lowerBound, end: end.stood.upperBound))
  else { return nil }
  if end.notCaptured.isSo { return oneDirection(end) }
  if let heard = others.compactMap(\.sound).max(by: { span($0) < span($1) }), span(heard) >= leastMs {
    let way = end.stoppedAt.map { "what was sent to it came to \($0), and went no further" }
    // Who never sent may be a recorder that listens: only a relay that received it shows that there was any.
    return Finding(
      "one-way-audio", end.stoppedAt == nil ? .info : .error, from: end.stood.lowerBound,
      to: end.stood.upperBound,
      Evidence().with("without_packets_ms", length).with("heard_by_the_other_ms", span(heard))
        .with("stopped_at", end.stoppedAt),
      "The other end received sound for \(seconds(span(heard))), but not one packet of it came to this one"
        + (way.map { ": \($0)." } ?? "."))
  }
  guard end.media == nil, others.allSatisfy({ $0.media == nil }) else { return nil }
  return Finding(
    "no-media", .warning, from: end.stood.lowerBound, to: end.stood.upperBound,
    Evidence().with("connected_ms", length),
    "The call stood for \(seconds(length)), and the capture has no media of it: none flowed, or it took another way."
  )
}

/// One direction that nobody captured, as a mirror port may show what a port receives and not what it sends.
private func oneDirection(_ end: EndActivity) -> Finding {
  let came = end.notCaptured.packets
  let told = came.map { ", though by its own reports \($0) packets came" } ?? ""
  return Finding(
    "capture-loss", .warning, from: end.stood.lowerBound, to: end.stood.upperBound,
    Evidence().with("missing_share", 1).with("received_packets", came.map(Double.init)),
    "The capture has nothing of the sound that was sent to this end\(told): it took in one direction alone, and what was heard here is not known."
  )
}

/// Whoever this end spoke to was gone: a phone that fails says no goodbye.
private func goneSilent(_ end: EndActivity) -> Finding? {
  guard let alone = end.alone, span(alone) >= leastMs,
    !QuietTimes(end.quiet).hasMost(of: (start: alone.lowerBound, end: alone.upperBound))
  else { return nil }
  return Finding(
    "dropped-mid-call", .error, from: alone.lowerBound, to: alone.upperBound,
    Evidence().with("without_packets_ms", span(alone)).with("last_packet_ms", alone.lowerBound),
    "Nothing came any more for the last \(seconds(span(alone))), while this end went on sending.")
}

private func span(_ range: ClosedRange<Double>) -> Double { range.upperBound - range.lowerBound }
