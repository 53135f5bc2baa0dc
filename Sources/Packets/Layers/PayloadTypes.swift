import CallModel

/// Static RTP payload types (RFC 3551 tables 4 and 5) and the dynamic ones described by SDP.
public struct PayloadFormat: Equatable, Sendable {
  /// Codec name as in SDP.
  public var name: String
  /// RTP clock in Hz.
  public var clockRate: Int
  /// Nil for media that is neither audio nor video: text, camera control.
  public var kind: MediaKind?
  public var channels: Int?
  public var fmtp: String?
  /// Whether it is unencrypted according to SDP.
  public var isClear = false

  public init(_ name: String, _ clockRate: Int, _ kind: MediaKind?) {
    self.name = name
    self.clockRate = clockRate
    self.kind = kind
  }

  /// The static assignment of a payload type; nil if it is dynamic.
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

  /// The clock rate of the static assignment alone, 0 if there is none: called for every packet.
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
  /// Whether the format carries telephone events rather than audio (RFC 4733).
  var isTelephoneEvent: Bool { name.lowercased() == "telephone-event" }
  /// Whether the format is comfort noise (RFC 3389).
  var isNoise: Bool { name.uppercased() == "CN" }
  /// Whether timestamps separate frames: in an MPEG transport stream they are the sending times of packets, and the
  /// marker has another meaning (RFC 2250).
  public var separatesFrames: Bool { kind == .video && name.uppercased() != "MP2T" }
  /// Whether the format is redundancy for others in a separate stream (RFC 8627, RFC 5109).
  public var isRedundancy: Bool {
    let name = name.lowercased()
    return name.hasPrefix("flexfec") || name == "ulpfec" || name == "parityfec"
  }
  /// Whether the format is a codec, rather than something sent in place of or beside one.
  public var isMedium: Bool {
    let name = name.lowercased()
    return !["telephone-event", "tone", "cn", "red", "rtx"].contains(name) && !isRedundancy
  }
}

/// The SDP description of a payload type, reduced to what is needed for every packet.
public struct DescribedType: Sendable {
  /// Whether SDP describes it.
  public var isKnown = false
  /// RTP clock in Hz, 0 where unknown.
  public var clockRate = 0
  public var isTelephoneEvent = false
  /// Whether it is comfort noise, at any clock rate (RFC 3389 section 5).
  public var isNoise = false
  /// Whether it is a codec.
  public var isMedium = false
  /// Whether it is unencrypted video in redundant blocks (RFC 2198), as used with ULPFEC (RFC 5109 14.1).
  public var isPictureInBlocks = false

  /// Not described by SDP.
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

/// The SDP descriptions of transport addresses: the meaning of their payload types.
public final class DescribedPorts {
  @exclusivity(unchecked) private var formats: [Endpoint: [UInt8: PayloadFormat]] = [:]
  /// Addresses switched to fax (T.38) in an answered call.
  private var fax: Set<Endpoint> = []

  public init() {}

  /// Whether there was no SDP.
  public var isEmpty: Bool { formats.isEmpty }
  /// Incremented with every description, which may invalidate earlier lookups.
  @exclusivity(unchecked) public private(set) var version = 0
  private static let most = 20_000

  /// Adds a media description: what the given address can receive.
  public func describe(_ endpoint: Endpoint, _ map: [UInt8: PayloadFormat]) {
    guard formats.count < Self.most || formats[endpoint] != nil else { return }
    formats[endpoint, default: [:]].merge(map) { _, new in new }
    version += 1
  }

  /// Whether an address was named for other media only.
  public func isOfOther(_ kind: MediaKind?, than endpoint: Endpoint) -> Bool {
    guard let kind, let named = formats[endpoint] else { return false }
    return !named.isEmpty && !named.values.contains { $0.kind == kind }
  }

  /// Whether an address was named for media.
  public func knows(_ endpoint: Endpoint) -> Bool { formats[endpoint] != nil }

  /// Records that an offer of fax was followed by an answer and its ACK.
  public func beginFax(at endpoints: Set<Endpoint>) {
    if fax.count < Self.most { fax.formUnion(endpoints) }
  }

  /// Whether TShark decodes packets to an address as fax, which it does even if the offer was withdrawn.
  public func isFax(_ destination: Endpoint) -> Bool { !fax.isEmpty && fax.contains(destination) }

  /// The format of a payload type between two addresses: by the receiver's description, otherwise the sender's.
  public func format(_ type: UInt8, _ source: Endpoint, _ destination: Endpoint) -> PayloadFormat? {
    formats[destination]?[type] ?? formats[source]?[type]
  }
}
