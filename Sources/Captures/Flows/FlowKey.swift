/// Two transport addresses and a protocol, whichever of them spoke first.
struct FlowKey: Equatable {
  /// The lesser and the greater of the two by value.
  var low: Endpoint
  var high: Endpoint
  var transport: TransportProtocol

  /// Asked once a packet: one comparison rather than seven.
  @inline(__always)
  static func == (a: FlowKey, b: FlowKey) -> Bool {
    let addresses =
      (a.low.address.low ^ b.low.address.low) | (a.low.address.high ^ b.low.address.high)
      | (a.high.address.low ^ b.high.address.low) | (a.high.address.high ^ b.high.address.high)
    let rest = (a.low.port ^ b.low.port) | (a.high.port ^ b.high.port)
    return addresses | UInt64(rest) | UInt64(a.transport.rawValue ^ b.transport.rawValue) == 0
  }

  /// The key of a datagram, and whether its source is the lesser address.
  @inline(__always)
  static func of(_ datagram: Datagram) -> (key: FlowKey, fromLow: Bool) {
    let (key, fromLow) = between(datagram.source, datagram.destination, datagram.transport)
    return (key, fromLow)
  }

  /// The key of two addresses, and whether the first is the lesser one.
  @inline(__always)
  static func between(_ a: Endpoint, _ b: Endpoint, _ transport: TransportProtocol) -> (
    key: FlowKey, firstIsLow: Bool
  ) {
    let isLow =
      a.address.low != b.address.low
      ? a.address.low < b.address.low
      : a.address.high != b.address.high ? a.address.high < b.address.high : a.port <= b.port
    return (FlowKey(low: isLow ? a : b, high: isLow ? b : a, transport: transport), isLow)
  }

  /// A hash with a secret, so that nobody can fill one slot.
  @inline(__always)
  func hash(_ secret: UInt64) -> UInt64 {
    var h = secret ^ low.address.low
    h = (h ^ (h >> 29)) &* 0xBF58_476D_1CE4_E5B9
    h ^= high.address.low &+ (low.address.high ^ high.address.high &* 0x9E37_79B9_7F4A_7C15)
    h = (h ^ (h >> 32)) &* 0x94D0_49BB_1331_11EB
    h ^= UInt64(low.port) << 32 | UInt64(high.port) << 8 | UInt64(transport.rawValue)
    h = (h ^ (h >> 29)) &* 0xBF58_476D_1CE4_E5B9
    return h ^ (h >> 32)
  }
}
