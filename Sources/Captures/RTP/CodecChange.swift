import Packets

/// A payload type that may be about to replace the current one.
struct CodecChange {
  private(set) var type: UInt8 = 0
  private var run = 0
  private var lastUnique = 0
  private var lastNs: Int64 = 0
  private var held: [RTPPacket] = []
  /// Whether the waiting packets are still played if the change does not happen.
  private(set) var isProvisional = false

  /// The number of consecutive packets that make a change.
  private static let needed = 3
  /// The maximum number of packets that wait for one change, and the maximum time between them.
  private static let most = 16
  /// The maximum time between packets of continuous audio, ns; comfort noise has longer gaps.
  private static let apartNs: Int64 = 130_000_000

  /// What happens to a packet of a type other than the main one until the change is decided.
  enum Waiting {
    /// It is played as part of the current stream.
    case no
    /// It waits, and can still be played as part of the current stream.
    case provisionally
    /// It waits, and can be played only after the change.
    case forChange
  }

  /// Whether a packet cannot belong to the same change, because it has another type or is so late that the
  /// waiting packets have to be played.
  func isOutdated(by packet: RTPPacket) -> Bool {
    packet.payloadType != type || packet.timeNs &- lastNs > Self.apartNs
  }

  /// Takes a packet of a type other than the main one, and its extended number; returns whether the stream
  /// has changed to that type. A type without a description counts only if there is no gap.
  mutating func take(_ packet: RTPPacket, number: Int, waits: Waiting, isKnown: Bool) -> Bool {
    if packet.payloadType != type || number - lastUnique > Self.most { self = CodecChange() }
    type = packet.payloadType
    let goesOn = number == lastUnique + 1 && (isKnown || packet.timeNs &- lastNs <= Self.apartNs)
    run = goesOn ? run + 1 : 1
    lastUnique = number
    lastNs = packet.timeNs
    if waits != .no, held.count < Self.most { held.append(packet) }
    isProvisional = waits == .provisionally || isProvisional && waits == .no
    return run >= Self.needed
  }

  /// Releases the waiting packets; the attempt continues.
  mutating func release() -> [RTPPacket] {
    defer { (held, isProvisional) = ([], false) }
    return held
  }

  /// Ends the attempt and returns the waiting packets.
  mutating func close() -> [RTPPacket] {
    defer { self = CodecChange() }
    return held
  }
}
