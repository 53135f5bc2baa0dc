/// An RTP packet of a captured stream, or one that is missing.
public struct PacketRow: Sendable, Equatable {
  /// The kind of a row.
  public enum State: String, Sendable {
    case ok
    /// The packet had not arrived when a later one did.
    case lost
    /// The packet arrived after a later one.
    case late
    /// A packet with this number had already arrived.
    case duplicate
    /// The sender restarted: the numbers jumped by more than a network loses (RFC 3550 A.1).
    case restart
  }

  /// The frame number as in Wireshark; nil for a missing packet.
  public var frame: Int?
  /// When it was captured, ms since the epoch.
  public var timeMs: Double?
  public var sequence: UInt16
  public var timestamp: UInt32?
  public var payloadType: Int?
  public var marker: Bool?
  /// The length of the payload on the wire, including padding.
  public var bytes: Int?
  /// The time since the previous packet of the stream, ms.
  public var deltaMs: Double?
  /// The interarrival jitter up to this packet (RFC 3550 A.8), ms; nil if the clock rate is unknown.
  public var jitterMs: Double?
  public var state: State

  /// A packet that was captured.
  public init(
    frame: Int, timeMs: Double, sequence: UInt16, timestamp: UInt32, payloadType: Int, marker: Bool,
    bytes: Int,
    deltaMs: Double?, jitterMs: Double?, state: State
  ) {
    (self.frame, self.timeMs, self.sequence, self.timestamp) = (frame, timeMs, sequence, timestamp)
    (self.payloadType, self.marker, self.bytes) = (payloadType, marker, bytes)
    (self.deltaMs, self.jitterMs, self.state) = (deltaMs, jitterMs, state)
  }

  /// A packet that is missing.
  public init(missing sequence: UInt16) {
    self.sequence = sequence
    state = .lost
  }
}
