import Bytes

/// Hands a classic capture (pcap, not pcapng) through to libpcap, and takes the packets that need no libpcap where they lie.
///
/// libpcap has each packet copied twice, by a C stream and into room of its own, which takes as long as finding out what it
/// is. It opens the capture, and reads what is odd in any way, and what is cut. Nearly all of the others have sixteen bytes
/// before them that say everything.
final class PcapRecords: ByteSource {
  /// How a capture writes its numbers.
  private struct Form {
    var isLittle: Bool
    /// What the parts of a second are, ns.
    var partNs: Int64

    /// That of a capture that begins so; nil where libpcap alone knows.
    init?(_ head: Octets) {
      switch head.word(0) {
      case 0xA1B2_C3D4: (isLittle, partNs) = (false, 1000)
      case 0xD4C3_B2A1: (isLittle, partNs) = (true, 1000)
      case 0xA1B2_3C4D: (isLittle, partNs) = (false, 1)
      case 0x4D3C_B2A1: (isLittle, partNs) = (true, 1)
      default: return nil
      }
      // Before version 2.4 the two lengths of a packet could stand the other way round.
      guard head.word(4) == (isLittle ? 0x0200_0400 : 0x0002_0004) else { return nil }
    }

    @inline(__always)
    func number(_ place: UnsafeRawPointer, _ at: Int) -> UInt32 {
      let word = place.loadUnaligned(fromByteOffset: at, as: UInt32.self)
      return isLittle ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
    }
  }

  private let source: any ByteSource
  /// What comes from a source that does not lend.
  private let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 16)
  private let form: Form?
  /// What the source gave last, and how much of it was taken.
  @exclusivity(unchecked) private var window: Octets
  @exclusivity(unchecked) private var at = 0
  /// Where a packet is put together that two pieces of the source share, and what of such a one is left to libpcap.
  private lazy var joint = UnsafeMutableRawPointer.allocate(
    byteCount: PcapRecords.headSize + PcapRecords.longest, alignment: 16)
  private var hasJoint = false
  @exclusivity(unchecked) private var left: Octets
  /// What the source threw when the rest of a packet was asked for.
  private var failure: (any Error)?

  private static let bufferSize = 256 << 10
  private static let headSize = 16
  /// libpcap refuses longer packets (MAXIMUM_SNAPLEN).
  private static let longest = 262_144

  /// Looks at how the capture begins; throws what the source throws.
  init(_ source: any ByteSource) throws {
    self.source = source
    window = try Self.more(of: source, into: buffer)
    left = Octets(buffer, count: 0)
    form = Form(window)
  }

  deinit {
    buffer.deallocate()
    if hasJoint { joint.deallocate() }
  }

  /// Whether packets can be taken here: then libpcap must have no more than it asks for.
  var isPlain: Bool { form != nil }

  /// The next packet with at most so many of its bytes, valid until the next one; nil, and nothing is taken, where libpcap is
  /// to read it. (What libpcap puts right in packets of some link types is in none that carries calls.)
  @inline(__always)
  func next(keeping most: Int, linkType: Int32) -> Packet? {
    guard let form, left.count == 0 else { return nil }
    let there = window.count &- at
    let head = window.base + at
    guard there >= Self.headSize, let captured = Self.captured(form, head), captured <= there &- Self.headSize
    else { return nextAcross(form, keeping: most, linkType: linkType) }
    at &+= Self.headSize &+ captured
    return Self.packet(form, head, captured, keeping: most, linkType: linkType)
  }

  /// How many bytes of a packet follow its head; nil where libpcap must say.
  @inline(__always)
  private static func captured(_ form: Form, _ head: UnsafeRawPointer) -> Int? {
    let captured = Int(form.number(head, 8))
    // Times beyond 2038 depend on the version of libpcap.
    let isUsual = form.number(head, 0) | form.number(head, 4) <= UInt32(Int32.max) && captured <= longest
    return isUsual ? captured : nil
  }

  @inline(__always)
  private static func packet(
    _ form: Form, _ head: UnsafeRawPointer, _ captured: Int, keeping most: Int, linkType: Int32
  ) -> Packet {
    Packet(
      bytes: Octets(head + headSize, count: min(captured, most)), wireLength: Int(form.number(head, 12)),
      timeNs: Int64(form.number(head, 0)) &* 1_000_000_000
        &+ min(Int64(form.number(head, 4)) &* form.partNs, 999_999_999),
      linkType: linkType)
  }

  /// Puts the packet together of which the window has the beginning.
  @inline(never)
  private func nextAcross(_ form: Form, keeping most: Int, linkType: Int32) -> Packet? {
    hasJoint = true
    var joined = 0
    func join(_ count: Int) -> Bool {
      while joined < count {
        if at == window.count, !refill() { return false }
        let part = min(count - joined, window.count - at)
        (joint + joined).copyMemory(from: window.base + at, byteCount: part)
        joined += part
        at += part
      }
      return true
    }
    if join(Self.headSize), let captured = Self.captured(form, joint), join(Self.headSize + captured) {
      return Self.packet(form, joint, captured, keeping: most, linkType: linkType)
    }
    left = Octets(joint, count: joined)
    return nil
  }

  /// Asks for the next piece; false where there is none.
  private func refill() -> Bool {
    (window, at) = (Octets(buffer, count: 0), 0)
    do { window = try Self.more(of: source, into: buffer) } catch { failure = error }
    return window.count > 0
  }

  /// What libpcap asks for.
  func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    if left.count > 0 {
      let count = min(left.count, target.count)
      target.copyMemory(from: UnsafeRawBufferPointer(start: left.base, count: count))
      left = left.from(count)
      return count
    }
    if let failure { throw failure }
    if at == window.count {
      (window, at) = (Octets(buffer, count: 0), 0)
      window = try Self.more(of: source, into: buffer)
    }
    let count = min(window.count - at, target.count)
    target.copyMemory(from: UnsafeRawBufferPointer(start: window.base + at, count: count))
    at += count
    return count
  }

  private static func more(of source: any ByteSource, into buffer: UnsafeMutableRawPointer) throws -> Octets {
    if let lent = try source.lend() {
      return Octets(lent.baseAddress ?? UnsafeRawPointer(buffer), count: lent.count)
    }
    let got = try source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: bufferSize))
    return Octets(buffer, count: got)
  }
}
