import Packets

/// A payload type that may be about to take the place of the one before.
struct CodecChange {
  private(set) var type: UInt8 = 0
  private var run = 0
  private var lastUnique = 0
  private var lastNs: Int64 = 0
  private var held: [RTPPacket] = []
  /// Whether what waits is played all the same if nothing comes of the change.
  private(set) var isProvisional = false

  /// Packets in a row that make a change.
  private static let needed = 3
  /// Packets of one attempt that wait at most, and how far apart they may be.
  private static let most = 16
  /// Sound that goes on has no packets further apart, ns: noise in a pause has.
  private static let apartNs: Int64 = 130_000_000

  /// What a packet of another type than the main one does until the change is decided.
  enum Waiting {
    /// It is played as what came before.
    case no
    /// It waits, and can be played as what came before.
    case provisionally
    /// It waits, and can be played only after the change.
    case forChange
  }

  /// Whether a packet cannot be one of the same change: another type, or so late that what waits is to be played.
  func isOutdated(by packet: RTPPacket) -> Bool {
    packet.payloadType != type || packet.timeNs &- lastNs > Self.apartNs
  }

  /// Takes a packet of another type than the main one, and its number in the stream; answers whether the type goes on.
  /// One that nobody describes does so only without a pause.
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

  /// Lets go of what waits; the attempt goes on.
  mutating func release() -> [RTPPacket] {
    defer { (held, isProvisional) = ([], false) }
    return held
  }

  /// Ends the attempt; the packets that waited.
  mutating func close() -> [RTPPacket] {
    defer { self = CodecChange() }
    return held
  }
}
