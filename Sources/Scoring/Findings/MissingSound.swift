import CallModel

/// What is known of one end of an answered call, for comparing its ends with one another.
public struct EndActivity: Sendable {
  /// When the call was established, from and to, ms since the Unix epoch.
  public var established: ClosedRange<Double>
  /// Whether audio was to be received here, as defined by `Reception`.
  public var expectsAudio: Bool
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
  public var sendingAlone: ClosedRange<Double>?

  /// An end that received nothing.
  public init(established: ClosedRange<Double>, expectsAudio: Bool) {
    self.established = established
    self.expectsAudio = expectsAudio
  }
}

/// Audio missing at an end, as seen by an observer in the middle of the path. The observer records every stream at its
/// receiver, so the end alone does not show that it sent.
public func missingSound(at end: EndActivity, others: [EndActivity]) -> Finding? {
  if let gone = farEndVanished(end) { return gone }
  let length = span(end.established)
  guard end.expectsAudio, !end.isElsewhere, end.sound == nil, length >= Threshold.missingMedium.value,
    !QuietTimes(end.quiet).hasMost(of: (start: end.established.lowerBound, end: end.established.upperBound))
  else { return nil }
  if end.notCaptured.isSo { return oneDirection(end) }
  if let received = others.compactMap(\.sound).max(by: { span($0) < span($1) }),
    span(received) >= Threshold.missingMedium.value
  {
    let way = end.stoppedAt.map { "what was sent to it came to \($0), and went no further" }
    // An end that never sent may be a recorder that only listens: only a relay that received audio proves that there
    // was any.
    return Finding(
      .oneWayAudio, end.stoppedAt == nil ? .info : .error, from: end.established.lowerBound,
      to: end.established.upperBound,
      Evidence().with("without_packets_ms", length).with("heard_by_the_other_ms", span(received))
        .with("stopped_at", end.stoppedAt),
      "The other end received sound for \(seconds(span(received))), but not one packet of it came to this one"
        + (way.map { ": \($0)." } ?? "."))
  }
  guard end.media == nil, others.allSatisfy({ $0.media == nil }) else { return nil }
  return Finding(
    .noMedia, .warning, from: end.established.lowerBound, to: end.established.upperBound,
    Evidence().with("connected_ms", length),
    "The call was established for \(seconds(length)), and the capture has no media of it: none flowed, or it took another path."
  )
}

/// One direction that was not captured: a mirror port may show what a port receives but not what it sends.
private func oneDirection(_ end: EndActivity) -> Finding {
  let came = end.notCaptured.packets
  let reported = came.map { ", though by its own reports \($0) packets came" } ?? ""
  return Finding(
    .captureLoss, .warning, from: end.established.lowerBound, to: end.established.upperBound,
    Evidence().with("missing_share", 1).with("received_packets", came.map(Double.init)),
    "The capture has nothing of the sound that was sent to this end\(reported): it has one direction only, so what was played here is not known."
  )
}

/// The remote party of this end vanished: a phone that fails sends no BYE.
private func farEndVanished(_ end: EndActivity) -> Finding? {
  guard let sendingAlone = end.sendingAlone, span(sendingAlone) >= Threshold.missingMedium.value,
    !QuietTimes(end.quiet).hasMost(of: (start: sendingAlone.lowerBound, end: sendingAlone.upperBound))
  else { return nil }
  return droppedSilently(from: sendingAlone.lowerBound, to: sendingAlone.upperBound)
}

private func span(_ range: ClosedRange<Double>) -> Double { range.upperBound - range.lowerBound }
