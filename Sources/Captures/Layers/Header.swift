/// The fields of an IPv4 or IPv6 header that matter, extension headers already passed.
struct Header {
  var source: Address
  var destination: Address
  /// Protocol of the body.
  var next: UInt8
  /// Captured body, bounded by the packet's own length.
  var body: Octets
  /// Body length on the wire.
  var bodyLength: Int
  var identification: UInt16 = 0
  /// Time to live, or hop limit: routers it may still pass.
  var ttl: UInt8
  /// Fragmentation: whether it is a fragment, where it begins (bytes) and whether more follow.
  var isFragment = false
  var fragmentOffset = 0
  var moreFragments = false
  /// 32-bit identification of an IPv6 fragment.
  var fragmentID: UInt32 = 0

  /// Reads an IPv4 header (RFC 791); nil where it contradicts itself.
  @inline(__always)
  init?(v4 b: Octets) {
    let headerLength = Int(b.byte(0) & 15) * 4
    guard b.count >= 20, headerLength >= 20 else { return nil }
    var total = Int(b.short(2))
    if total == 0 { total = b.count }  // segmentation offload leaves 0
    guard total >= headerLength else { return nil }
    source = Address(v4: b.word(12))
    destination = Address(v4: b.word(16))
    next = b.byte(9)
    ttl = b.byte(8)
    body = b.first(total).from(headerLength)
    bodyLength = total - headerLength
    identification = b.short(4)
    let fragment = b.short(6)
    if fragment & 0x3FFF != 0 {
      isFragment = true
      fragmentOffset = Int(fragment & 0x1FFF) * 8
      moreFragments = fragment & 0x2000 != 0
      fragmentID = UInt32(identification)
    }
  }

  /// Reads an IPv6 header and the extension headers before the upper layer (RFC 8200); nil where it is cut.
  init?(v6 b: Octets) {
    guard b.count >= 40 else { return nil }
    source = Address(high: b.long(8), low: b.long(16))
    destination = Address(high: b.long(24), low: b.long(32))
    next = b.byte(6)
    ttl = b.byte(7)
    var length = Int(b.short(4))
    if length == 0 { length = b.count - 40 }
    body = b.from(40).first(length)
    bodyLength = length
    for _ in 0..<16 {
      var size: Int
      switch next {
      case 0, 43, 60, 135, 139, 140: size = (Int(body.byte(1)) + 1) * 8
      case 51: size = (Int(body.byte(1)) + 2) * 4  // authentication header (RFC 4302)
      case 44:
        size = 8
        let field = body.short(2)
        fragmentOffset = Int(field & 0xFFF8)
        moreFragments = field & 1 != 0
        isFragment = fragmentOffset != 0 || moreFragments  // an atomic fragment is whole (RFC 6946)
        fragmentID = body.word(4)
      default: return
      }
      guard body.count >= size else { return nil }
      let wasFragmentHeader = next == 44
      next = body.byte(0)
      body = body.from(size)
      bodyLength = max(0, bodyLength - size)
      // What follows a later fragment's header is payload, not another header.
      if wasFragmentHeader && isFragment { return }
    }
  }
}
