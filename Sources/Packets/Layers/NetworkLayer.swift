/// Decodes IPv4 and IPv6 down to UDP and TCP: extension headers, fragments and the usual tunnels.
public struct NetworkLayer {
  /// The content of an IP packet.
  public enum Content {
    case datagram(Datagram)
    /// An ICMP error for a UDP datagram of ours: its target cannot be reached any more.
    case unreachable(source: Endpoint, destination: Endpoint, error: ICMPError, timeNs: Int64)
    case nothing
  }

  private let fragments: FragmentStore
  private let document = RTCPDocument()
  /// Datagrams with a missing fragment.
  public var incompleteDatagrams: Int { fragments.incomplete }

  /// Fragments of datagrams with too many fragments.
  public var fragmentsBeyond: Int { fragments.beyond }

  public init(fragmentsPerDatagram: Int) { fragments = FragmentStore(maxPieces: fragmentsPerDatagram) }

  /// Maximum nesting of tunnels.
  private static let deepest = 6

  /// Decodes a packet from its IP header; the content is valid until the next call.
  public func content(_ found: LinkLayer.Found, of packet: Packet) -> Content {
    var b = found.payload
    for _ in 0..<Self.deepest {
      let header: Header
      switch b.byte(0) >> 4 {
      case 4:
        guard let h = Header(v4: b) else { return .nothing }
        header = h
      case 6:
        guard let h = Header(v6: b) else { return .nothing }
        header = h
      default: return .nothing
      }
      var body = header.body
      var wire = header.bodyLength
      if header.isFragment {
        guard let whole = fragments.add(header, timeNs: packet.timeNs) else { return .nothing }
        body = whole.bytes
        wire = whole.wireLength
      }
      switch header.next {
      case 17:
        guard body.count >= 8 else { return .nothing }
        let destination = body.short(2)
        if UDPTunnel.isPort(destination), let inner = UDPTunnel.inner(body.from(8), destination) {
          b = inner
          continue
        }
        // The UDP length, unless it is 0 (offload) or invalid.
        let length = Int(body.short(4))
        let payloadWire = length >= 8 && length <= wire ? length - 8 : max(0, wire - 8)
        var datagram = Datagram(
          source: Endpoint(address: header.source, port: body.short(0)),
          destination: Endpoint(address: header.destination, port: destination), transport: .udp,
          payload: body.from(8).first(payloadWire), wireLength: payloadWire, timeNs: packet.timeNs)
        if let inner = HomerPacket.inner(datagram, document) { return .datagram(inner) }
        datagram.direction = found.direction
        datagram.ipID = header.identification
        datagram.ttl = header.ttl
        return .datagram(datagram)
      case 6:
        let offset = Int(body.byte(12) >> 4) * 4
        guard body.count >= 20, offset >= 20 else { return .nothing }
        var datagram = Datagram(
          source: Endpoint(address: header.source, port: body.short(0)),
          destination: Endpoint(address: header.destination, port: body.short(2)), transport: .tcp,
          payload: body.from(offset), wireLength: max(0, wire - offset), timeNs: packet.timeNs)
        datagram.direction = found.direction
        datagram.ipID = header.identification
        datagram.tcpSequence = body.word(4)
        datagram.tcpAcknowledgement = body.word(8)
        datagram.tcpFlags = body.byte(13)
        return .datagram(datagram)
      case 1: return Self.icmp(body, isV6: false, timeNs: packet.timeNs)
      case 58: return Self.icmp(body, isV6: true, timeNs: packet.timeNs)
      case 4, 41: b = body
      case 47:
        guard let inner = Self.gre(body) else { return .nothing }
        b = inner
      default: return .nothing
      }
    }
    return .nothing
  }

  private static func icmp(_ b: Octets, isV6: Bool, timeNs: Int64) -> Content {
    guard b.count >= 8, let error = ICMPError(type: b.byte(0), code: b.byte(1), isV6: isV6) else {
      return .nothing
    }
    let inner = b.from(8)
    guard let header = inner.byte(0) >> 4 == 4 ? Header(v4: inner) : Header(v6: inner),
      header.next == 17, !header.isFragment || header.fragmentOffset == 0, header.body.count >= 4
    else { return .nothing }
    return .unreachable(
      source: Endpoint(address: header.source, port: header.body.short(0)),
      destination: Endpoint(address: header.destination, port: header.body.short(2)), error: error,
      timeNs: timeNs)
  }

  /// GRE (RFC 2784, 2890) with IP, Ethernet or ERSPAN inside.
  private static func gre(_ b: Octets) -> Octets? {
    let flags = b.byte(0)
    guard b.byte(1) & 7 <= 1 else { return nil }
    var at = 4
    if flags & 0x80 != 0 { at += 4 }
    if flags & 0x20 != 0 { at += 4 }
    let sequenced = flags & 0x10 != 0
    if sequenced { at += 4 }
    let type = b.short(2)
    switch type {
    case 0x6558: return ethernet(b.from(at))
    case 0x88BE: return ethernet(b.from(sequenced ? at + 8 : at))  // ERSPAN II, or I without a header
    // ERSPAN III, whose last bit announces a platform-specific sub-header (draft-foschiano-erspan).
    case 0x22EB: return ethernet(b.from(at + (b.byte(at + 11) & 1 == 0 ? 12 : 20)))
    default: return LinkLayer.etherType(type, b.from(at), .unknown)?.payload
    }
  }

  private static func ethernet(_ frame: Octets) -> Octets? {
    LinkLayer.etherType(frame.short(12), frame.from(14), .unknown)?.payload
  }
}

/// Reassembles IP fragments (RFC 791, RFC 8200; overlaps are rejected as in RFC 5722), in bounded memory.
final class FragmentStore {
  /// A reassembled datagram; valid until the next call.
  struct ReassembledDatagram {
    var bytes: Octets
    var wireLength: Int
  }

  private struct Key: Hashable {
    var source: Address
    var destination: Address
    var id: UInt32
    var next: UInt8
  }

  private struct PartialDatagram {
    var pieces: [(offset: Int, bytes: [UInt8], wire: Int)] = []
    var total: Int?
    var firstNs: Int64
    /// Whether its datagram was completed recently: the capture has duplicates of packets, so missing duplicates are
    /// not counted.
    var isCopy = false
  }

  private var partials: [Key: PartialDatagram] = [:]
  private var order: [Key] = []
  /// Completion times of datagrams of which duplicate fragments may follow.
  private var done: [Key: Int64] = [:]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Datagrams dropped because a fragment was missing when time or memory ran out.
  private var givenUp = 0
  /// Datagrams with a fragment missing so far.
  var incomplete: Int { givenUp + partials.values.count { !$0.isCopy } }
  /// Fragments dropped because their datagram had too many.
  private(set) var beyond = 0

  /// The most incomplete datagrams, and how long they are kept.
  private static let most = 256
  private static let patienceNs: Int64 = 30_000_000_000
  /// Duplicates in a capture follow within this time.
  private static let copyNs: Int64 = 10_000_000
  private let maxPieces: Int

  init(maxPieces: Int) { self.maxPieces = maxPieces }

  deinit { buffer.deallocate() }

  /// Adds a fragment; returns the datagram if it is complete now.
  func add(_ header: Header, timeNs: Int64) -> ReassembledDatagram? {
    let key = Key(
      source: header.source, destination: header.destination, id: header.fragmentID, next: header.next)
    let wire = header.bodyLength
    let end = header.fragmentOffset + wire
    guard end <= 65_535, wire > 0 else { return nil }
    var partial = partials[key] ?? begin(key, timeNs)
    if timeNs &- partial.firstNs > (partial.isCopy ? Self.copyNs : Self.patienceNs) {
      giveUp(partial)
      partial = begin(key, timeNs)
    }
    if partials[key] == nil { makeRoom(for: key) }
    let overlaps = partial.pieces.contains {
      header.fragmentOffset < $0.offset + $0.wire && $0.offset < end
    }
    guard !overlaps else { return nil }
    guard partial.pieces.count < maxPieces else {
      beyond += 1
      return nil
    }
    if !header.moreFragments { partial.total = end }
    partial.pieces.append((header.fragmentOffset, header.body.copy(), wire))
    guard let total = partial.total, partial.pieces.reduce(0, { $0 + $1.wire }) >= total else {
      partials[key] = partial
      return nil
    }
    forget(key)
    if done.count == Self.most { done = done.filter { timeNs &- $0.value <= Self.copyNs } }
    if done.count < Self.most { done[key] = timeNs }
    return assemble(partial, total: total)
  }

  private func begin(_ key: Key, _ timeNs: Int64) -> PartialDatagram {
    let isCopy = done[key].map { timeNs &- $0 <= Self.copyNs } ?? false
    return PartialDatagram(firstNs: timeNs, isCopy: isCopy)
  }

  private func giveUp(_ partial: PartialDatagram) {
    if !partial.isCopy { givenUp += 1 }
  }

  private func assemble(_ partial: PartialDatagram, total: Int) -> ReassembledDatagram? {
    guard let base = buffer.baseAddress else { return nil }
    var captured = 0
    for piece in partial.pieces.sorted(by: { $0.offset < $1.offset }) {
      guard piece.offset + piece.bytes.count <= buffer.count else { return nil }
      // Bytes are usable only up to the first gap left by the snaplen.
      guard piece.offset == captured else { break }
      piece.bytes.withUnsafeBytes { from in
        if let start = from.baseAddress {
          (base + piece.offset).copyMemory(from: start, byteCount: from.count)
        }
      }
      captured += piece.bytes.count
      if piece.bytes.count < piece.wire { break }
    }
    return ReassembledDatagram(bytes: Octets(base, count: captured), wireLength: total)
  }

  private func makeRoom(for key: Key) {
    order.append(key)
    guard order.count > Self.most else { return }
    let oldest = order.removeFirst()
    if let partial = partials.removeValue(forKey: oldest) { giveUp(partial) }
  }

  private func forget(_ key: Key) {
    partials.removeValue(forKey: key)
    order.removeAll { $0 == key }
  }
}

/// The relevant fields of an IPv4 or IPv6 header, after skipping extension headers.
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
  /// Time to live, or hop limit.
  var ttl: UInt8
  /// Fragmentation: whether it is a fragment, its offset (bytes), and whether more follow.
  var isFragment = false
  var fragmentOffset = 0
  var moreFragments = false
  /// 32-bit identification of an IPv6 fragment.
  var fragmentID: UInt32 = 0

  /// Parses an IPv4 header (RFC 791); nil if it is inconsistent.
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

  /// Parses an IPv6 header and its extension headers (RFC 8200); nil if it is truncated.
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
      // After the header of a later fragment comes payload, not another header.
      if wasFragmentHeader && isFragment { return }
    }
  }
}
