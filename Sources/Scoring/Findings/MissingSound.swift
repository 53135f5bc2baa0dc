import CallModel

/// What is known of one end of a call that was taken up, for what its ends show of one another.
public struct EndSeen: Sendable {
  /// While the call stood, ms since the Unix epoch.
  public var stood: ClosedRange<Double>
  /// Whether sound was to come here: as `Reception` has it.
  public var isToHear: Bool
  /// Times on hold.
  public var quiet: [QuietSpan] = []
  /// First and last packet of sound, and of any media, that came here.
  public var sound: ClosedRange<Double>?
  public var media: ClosedRange<Double>?

  /// An end at which nothing came.
  public init(stood: ClosedRange<Double>, isToHear: Bool) {
    self.stood = stood
    self.isToHear = isToHear
  }
}

/// Sound that was missing at an end, as someone in the middle of the path sees it: to whom every stream is one of its
/// receiver, so that the end alone does not show that it sent.
public func missingSound(at end: EndSeen, others: [EndSeen]) -> Finding? {
  let leastMs = 5000.0
  let length = end.stood.upperBound - end.stood.lowerBound
  guard end.isToHear, end.sound == nil, length >= leastMs,
    !QuietTimes(end.quiet).hasMost(of: (start: end.stood.lowerBound, end: end.stood.upperBound))
  else { return nil }
  if let heard = others.compactMap(\.sound).max(by: { span($0) < span($1) }), span(heard) >= leastMs {
    return Finding(
      "one-way-audio", .error, from: end.stood.lowerBound, to: end.stood.upperBound,
      Evidence().with("without_packets_ms", length).with("heard_by_the_other_ms", span(heard)),
      "The other end received sound for \(seconds(span(heard))), but not one packet of it came to this one.")
  }
  guard end.media == nil, others.allSatisfy({ $0.media == nil }) else { return nil }
  return Finding(
    "no-media", .warning, from: end.stood.lowerBound, to: end.stood.upperBound,
    Evidence().with("connected_ms", length),
    "The call stood for \(seconds(length)), and the capture has no media of it: none flowed, or it took another way."
  )
}

private func span(_ range: ClosedRange<Double>) -> Double { range.upperBound - range.lowerBound }
