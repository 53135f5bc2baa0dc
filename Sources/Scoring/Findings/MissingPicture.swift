import CallModel

/// A picture that one end of a call sent, and of which the other, which was to see it, never got a packet.
public struct MissingPicture {
  /// Sent for less than this tells nothing, ms.
  private static let leastMs = 5000.0

  /// From the first to the last packet of the picture that was sent, ms since the Unix epoch.
  public var sent: ClosedRange<Double>

  /// A picture sent in that time.
  public init(sent: ClosedRange<Double>) { self.sent = sent }

  /// The finding; nil where it was sent for too short a time.
  public var finding: Finding? {
    let length = sent.upperBound - sent.lowerBound
    guard length >= Self.leastMs else { return nil }
    return Finding(
      "no-picture", .warning, from: sent.lowerBound, to: sent.upperBound, Evidence().with("sent_ms", length),
      "A picture was sent for \(seconds(length)), and no packet of it came to this end.")
  }
}

extension Reception {
  /// Whether a picture was to come to an end by the last answer among its events; nil where there is none.
  public static func isToSee(_ events: [EventRecord]) -> Bool? {
    events.compactMap(agreed).last?.contains(.video)
  }
}
