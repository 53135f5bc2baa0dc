/// Two transport addresses and a protocol, whichever of them spoke first.
struct FlowKey: Equatable {
  /// The lesser and the greater of the two by value.
  var low: Endpoint
  var high: Endpoint
  var transport: TransportProtocol

  /// The key of a datagram, and whether its source is the lesser address.
  @inline(__always)
  static func of(_ datagram: Datagram) -> (key: FlowKey, fromLow: Bool) {
    let s = datagram.source
    let d = datagram.destination
    let fromLow =
      s.address.low != d.address.low
      ? s.address.low < d.address.low
      : s.address.high != d.address.high ? s.address.high < d.address.high : s.port <= d.port
    return (FlowKey(low: fromLow ? s : d, high: fromLow ? d : s, transport: datagram.transport), fromLow)
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
