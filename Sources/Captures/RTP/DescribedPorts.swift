/// What SDP said of a payload type, as far as every packet asks for it.
struct DescribedType {
  /// Whether SDP said anything.
  var isKnown = false
  /// RTP clock in Hz, 0 where unknown.
  var clockRate = 0
  var isTelephoneEvent = false
  /// Whether it is comfort noise, at whatever clock (RFC 3389 section 5).
  var isNoise = false
  /// Whether it is a codec, not what accompanies one.
  var isMedium = false
  /// Whether it is pictures in redundant blocks (RFC 2198) that nothing enciphers, of which ULPFEC makes use (RFC 5109 14.1).
  var isPictureInBlocks = false

  /// SDP said nothing.
  static let unknown = DescribedType()

  private init() {}

  init(_ format: PayloadFormat) {
    isKnown = true
    clockRate = format.clockRate
    isTelephoneEvent = format.isTelephoneEvent
    isNoise = format.isNoise
    isMedium = format.isMedium
    isPictureInBlocks = format.isClear && format.kind == .video && format.name.lowercased() == "red"
  }
}

/// What SDP said of transport addresses: which payload types mean what there.
final class DescribedPorts {
  @exclusivity(unchecked) private var formats: [Endpoint: [UInt8: PayloadFormat]] = [:]
  /// Addresses that an answered call gave over to fax (T.38).
  private var fax: Set<Endpoint> = []
  /// Whether no SDP was seen.
  var isEmpty: Bool { formats.isEmpty }
  /// Goes on with every description: what was looked up before may no longer hold.
  @exclusivity(unchecked) private(set) var version = 0
  private static let most = 20_000

  /// Takes a media description: what the given address is ready to receive.
  func describe(_ endpoint: Endpoint, _ map: [UInt8: PayloadFormat]) {
    guard formats.count < Self.most || formats[endpoint] != nil else { return }
    formats[endpoint, default: [:]].merge(map) { _, new in new }
    version += 1
  }

  /// Whether an address was named for media.
  func knows(_ endpoint: Endpoint) -> Bool { formats[endpoint] != nil }

  /// Notes that an offer of fax was followed by an answer and its ACK.
  func beginFax(at endpoints: Set<Endpoint>) {
    if fax.count < Self.most { fax.formUnion(endpoints) }
  }

  /// Whether TShark reads what goes to an address as fax: it does so even where the offer was withdrawn.
  func isFax(_ destination: Endpoint) -> Bool { !fax.isEmpty && fax.contains(destination) }

  /// The format of a payload type sent between two addresses: the receiver's description decides, then the sender's.
  func format(_ type: UInt8, _ source: Endpoint, _ destination: Endpoint) -> PayloadFormat? {
    formats[destination]?[type] ?? formats[source]?[type]
  }
}
