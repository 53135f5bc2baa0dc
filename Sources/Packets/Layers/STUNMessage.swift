/// A STUN message (RFC 8489) and its attributes relevant to call setup.
public struct STUNMessage {
  /// 0 request, 1 indication, 2 success, 3 error.
  public var messageClass: UInt8
  /// 1 binding; TURN: 3 allocate, 4 refresh, 6 send, 7 data, 8 permission, 9 channel.
  public var method: UInt16
  public var transaction: TransactionID
  /// `receiver:sender` username fragments of a connectivity check.
  public var username: Octets?
  public var useCandidate = false
  /// Whether the sender is controlling (RFC 8445); nil if it has neither attribute.
  public var controlling: Bool?
  public var errorCode: Int?
  /// The relayed address of a TURN server.
  public var relayed: Endpoint?
  /// Payload of a send or data indication.
  public var data: Octets?

  /// Length of the message, header included.
  var length: Int

  static let magic: UInt32 = 0x2112_A442

  /// Whether bytes begin like STUN with the magic cookie.
  @inline(__always)
  public static func isLikely(_ b: Octets) -> Bool { b.byte(0) < 4 && b.word(4) == magic }

  /// Whether bytes begin like a TURN indication, which wraps relayed data.
  @inline(__always)
  public static func isIndication(_ b: Octets) -> Bool { b.short(0) == 0x0016 || b.short(0) == 0x0017 }

  /// Parses a message; nil if its length is invalid. Attributes cut off by the snaplen are missing.
  public init?(_ b: Octets, wireLength: Int) {
    guard b.count >= 20, b.byte(0) < 4, b.word(4) == Self.magic else { return nil }
    let type = b.short(0)
    length = 20 + Int(b.short(2))
    guard length <= wireLength, length & 3 == 0 else { return nil }
    messageClass = UInt8(truncatingIfNeeded: (type >> 7) & 2 | (type >> 4) & 1)
    method = (type & 0xF) | (type >> 1) & 0x70 | (type >> 2) & 0xF80
    transaction = TransactionID(high: b.long(8), low: b.word(16))
    var at = 20
    let end = min(length, b.count)
    while at + 4 <= end {
      let size = Int(b.short(at + 2))
      guard at + 4 + size <= end else { break }
      take(b.short(at), b.from(at + 4).first(size))
      at += 4 + (size + 3) & ~3
    }
  }

  private mutating func take(_ type: UInt16, _ value: Octets) {
    switch type {
    case 0x0006: username = value
    case 0x0025: useCandidate = true
    case 0x8029: controlling = false
    case 0x802A: controlling = true
    case 0x0009: errorCode = Int(value.byte(2) & 7) * 100 + Int(value.byte(3))
    case 0x0013: data = value
    case 0x0016: relayed = address(value)
    default: break
    }
  }

  /// Undoes the XOR of an address attribute.
  private func address(_ v: Octets) -> Endpoint? {
    let port = v.short(2) ^ 0x2112
    if v.byte(1) == 1, v.count >= 8 {
      return Endpoint(address: Address(v4: v.word(4) ^ Self.magic), port: port)
    }
    guard v.byte(1) == 2, v.count >= 20 else { return nil }
    let high = v.long(4) ^ (UInt64(Self.magic) << 32 | transaction.high >> 32)
    let low = v.long(12) ^ (transaction.high << 32 | UInt64(transaction.low))
    return Endpoint(address: Address(high: high, low: low), port: port)
  }
}

/// The 96-bit transaction id of a request and its response.
public struct TransactionID: Hashable {
  var high: UInt64
  var low: UInt32
}
