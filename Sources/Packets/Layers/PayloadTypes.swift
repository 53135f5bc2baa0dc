import CallModel

/// Static RTP payload types (RFC 3551 tables 4 and 5) and what SDP said of dynamic ones.
public struct PayloadFormat: Equatable, Sendable {
  /// Codec name as in SDP.
  public var name: String
  /// RTP clock in Hz.
  public var clockRate: Int
  /// nil for what is neither heard nor seen: text, camera control.
  public var kind: MediaKind?
  public var channels: Int?
  public var fmtp: String?
  /// Whether SDP says that nothing enciphers it.
  public var isClear = false

  public init(_ name: String, _ clockRate: Int, _ kind: MediaKind?) {
    self.name = name
    self.clockRate = clockRate
    self.kind = kind
  }

  /// The static assignment of a payload type, nil where it is dynamic.
  public static func assigned(_ type: UInt8) -> PayloadFormat? {
    switch type {
    case 0: .init("PCMU", 8000, .audio)
    case 3: .init("GSM", 8000, .audio)
    case 4: .init("G723", 8000, .audio)
    case 5: .init("DVI4", 8000, .audio)
    case 6: .init("DVI4", 16000, .audio)
    case 7: .init("LPC", 8000, .audio)
    case 8: .init("PCMA", 8000, .audio)
    case 9: .init("G722", 8000, .audio)  // the clock is 8000 although it samples at 16000 (RFC 3551 4.5.2)
    case 10: .init("L16", 44100, .audio)
    case 11: .init("L16", 44100, .audio)
    case 12: .init("QCELP", 8000, .audio)
    case 13, 19: .init("CN", 8000, .audio)
    case 14: .init("MPA", 90000, .audio)
    case 15: .init("G728", 8000, .audio)
    case 16: .init("DVI4", 11025, .audio)
    case 17: .init("DVI4", 22050, .audio)
    case 18: .init("G729", 8000, .audio)
    case 25: .init("CelB", 90000, .video)
    case 26: .init("JPEG", 90000, .video)
    case 28: .init("nv", 90000, .video)
    case 31: .init("H261", 90000, .video)
    case 32: .init("MPV", 90000, .video)
    case 33: .init("MP2T", 90000, .video)
    case 34: .init("H263", 90000, .video)
    default: nil
    }
  }

  /// The clock of the static assignment alone, 0 where there is none: asked once a packet.
  @inline(__always)
  public static func assignedClock(_ type: UInt8) -> Int {
    switch type {
    case 0, 3, 4, 5, 7, 8, 9, 12, 13, 15, 18, 19: 8000
    case 6: 16_000
    case 10, 11: 44_100
    case 16: 11_025
    case 17: 22_050
    case 14, 25, 26, 28, 31, 32, 33, 34: 90_000
    default: 0
    }
  }

  /// Comfort noise: a pause, not media.
  public static func isComfortNoise(_ type: UInt8) -> Bool { type == 13 || type == 19 }
  /// Whether the format carries key presses rather than sound (RFC 4733).
  var isTelephoneEvent: Bool { name.lowercased() == "telephone-event" }
  /// Whether the format is comfort noise (RFC 3389).
  var isNoise: Bool { name.uppercased() == "CN" }
  /// Whether timestamps tell pictures apart: those of an MPEG transport stream are the times at which packets are sent, and its
  /// marker means something else (RFC 2250).
  public var tellsPictures: Bool { kind == .video && name.uppercased() != "MP2T" }
  /// Whether the format is redundancy of others in a stream of its own (RFC 8627, RFC 5109).
  public var isRedundancy: Bool {
    let name = name.lowercased()
    return name.hasPrefix("flexfec") || name == "ulpfec" || name == "parityfec"
  }
  /// Whether the format is a codec, rather than what is sent in place of one or beside it.
  var isMedium: Bool {
    let name = name.lowercased()
    return !["telephone-event", "tone", "cn", "red", "rtx"].contains(name) && !isRedundancy
  }
}

/// What SDP said of a payload type, as far as every packet asks for it.
public struct DescribedType: Sendable {
  /// Whether SDP said anything.
  public var isKnown = false
  /// RTP clock in Hz, 0 where unknown.
  public var clockRate = 0
  public var isTelephoneEvent = false
  /// Whether it is comfort noise, at whatever clock (RFC 3389 section 5).
  public var isNoise = false
  /// Whether it is a codec, not what accompanies one.
  public var isMedium = false
  /// Whether it is pictures in redundant blocks (RFC 2198) that nothing enciphers, of which ULPFEC makes use (RFC 5109 14.1).
  public var isPictureInBlocks = false

  /// SDP said nothing.
  public static let unknown = DescribedType()

  private init() {}

  public init(_ format: PayloadFormat) {
    isKnown = true
    clockRate = format.clockRate
    isTelephoneEvent = format.isTelephoneEvent
    isNoise = format.isNoise
    isMedium = format.isMedium
    isPictureInBlocks = format.isClear && format.kind == .video && format.name.lowercased() == "red"
  }
}

/// What SDP said of transport addresses: which payload types mean what there.
public final class DescribedPorts {
  @exclusivity(unchecked) private var formats: [Endpoint: [UInt8: PayloadFormat]] = [:]
  /// Addresses that an answered call gave over to fax (T.38).
  private var fax: Set<Endpoint> = []

  public init() {}

  /// Whether no SDP was seen.
  public var isEmpty: Bool { formats.isEmpty }
  /// Goes on with every description: what was looked up before may no longer hold.
  @exclusivity(unchecked) public private(set) var version = 0
  private static let most = 20_000

  /// Takes a media description: what the given address is ready to receive.
  public func describe(_ endpoint: Endpoint, _ map: [UInt8: PayloadFormat]) {
    guard formats.count < Self.most || formats[endpoint] != nil else { return }
    formats[endpoint, default: [:]].merge(map) { _, new in new }
    version += 1
  }

  /// Whether an address was named for media.
  public func knows(_ endpoint: Endpoint) -> Bool { formats[endpoint] != nil }

  /// Notes that an offer of fax was followed by an answer and its ACK.
  public func beginFax(at endpoints: Set<Endpoint>) {
    if fax.count < Self.most { fax.formUnion(endpoints) }
  }

  /// Whether TShark reads what goes to an address as fax: it does so even where the offer was withdrawn.
  public func isFax(_ destination: Endpoint) -> Bool { !fax.isEmpty && fax.contains(destination) }

  /// The format of a payload type sent between two addresses: the receiver's description decides, then the sender's.
  public func format(_ type: UInt8, _ source: Endpoint, _ destination: Endpoint) -> PayloadFormat? {
    formats[destination]?[type] ?? formats[source]?[type]
  }
}
