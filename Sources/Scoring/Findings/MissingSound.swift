import CallModel

/// What is known of one end of an answered call, for comparing its ends with one another.
public struct EndActivity: Sendable {
  /// When the call was established, from and to, ms since the Unix epoch.
  public var stood: ClosedRange<Double>
  /// Whether audio was to be received here, as defined by `Reception`.
  public var isToHear: Bool
  /// Times on hold.
  public var quiet: [QuietSpan] = []
  /// First and last packet of audio, and of any media, received here.
  public var sound: ClosedRange<Double>?
  public var media: ClosedRange<Double>?
  /// The relay that received audio for this end but did not forward it.
  public var stoppedAt: String?
  /// Whether a capture lacks everything sent here, and how many packets this end reported as received nevertheless.
  public var notCaptured: (isSo: Bool, packets: Int?) = (false, nil)
  /// Whether its media is on record as that of another call, because a B2BUA between the two passed it through.
  public var isElsewhere = false
  /// From the last packet of any kind received here to the last one this end sent, if nobody ended the call.
  public var alone: ClosedRange<Double>?

  /// An end that received nothing.
  public init(stood: ClosedRange<Double>, isToHear: Bool) {
    self.stood = stood
    self.isToHear = isToHear
  }
}

/// Minimum length of a period without media, ms.
private let minMs = 5000.0

/// Audio missing at an end, as seen by an observer in the middle of the path. The observer records every stream at its
/// receiver, so the end alone does not show that it sent.
public func missingSound(at end: EndActivity, others: [EndActivity]) -> Finding? {
  if let gone = goneSilent(end) { return gone }
  let length = span(end.stood)
  guard end.isToHear, !end.isElsewhere, end.sound == nil, length >= minMs,
    !QuietTimes(end.quiet).hasMost(of: (start: end.stood.lowerBound, end: end.stood.upperBound))
  else { return nil }
  if end.notCaptured.isSo { return oneDirection(end) }
  if let heard = others.compactMap(\.sound).max(by: { span($0) < span($1) }), span(heard) >= minMs {
    let way = end.stoppedAt.map { "what was sent to it came to \($0), and went no further" }
    // An end that never sent may be a recorder that only listens: only a relay that received audio proves that there
    // was any.
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

/// One direction that was not captured: a mirror port may show what a port receives but not what it sends.
private func oneDirection(_ end: EndActivity) -> Finding {
  let came = end.notCaptured.packets
  let told = came.map { ", though by its own reports \($0) packets came" } ?? ""
  return Finding(
    "capture-loss", .warning, from: end.stood.lowerBound, to: end.stood.upperBound,
    Evidence().with("missing_share", 1).with("received_packets", came.map(Double.init)),
    "The capture has nothing of the sound that was sent to this end\(told): it took in one direction alone, and what was heard here is not known."
  )
}

/// The remote party of this end vanished: a phone that fails sends no BYE.
private func goneSilent(_ end: EndActivity) -> Finding? {
  guard let alone = end.alone, span(alone) >= minMs,
    !QuietTimes(end.quiet).hasMost(of: (start: alone.lowerBound, end: alone.upperBound))
  else { return nil }
  return Finding(
    "dropped-mid-call", .error, from: alone.lowerBound, to: alone.upperBound,
    Evidence().with("without_packets_ms", span(alone)).with("last_packet_ms", alone.lowerBound),
    "Nothing came any more for the last \(seconds(span(alone))), while this end went on sending.")
}

private func span(_ range: ClosedRange<Double>) -> Double { range.upperBound - range.lowerBound }
