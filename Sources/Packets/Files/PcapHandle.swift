import Bytes
import CallModel
import CPcap
import Glibc

/// One capture stream open in libpcap, with nanosecond times.
final class PcapHandle {
  private let handle: OpaquePointer
  private let cookie: ByteStream.Cookie
  /// The source of packets that libpcap need not read, and the snaplen, bytes.
  private let records: PcapRecords?
  private let kept: Int
  @exclusivity(unchecked) private var header: UnsafeMutablePointer<pcap_pkthdr>?
  @exclusivity(unchecked) private var data: UnsafePointer<UInt8>?
  /// DLT value of the packets.
  let linkType: Int32
  /// Why reading stopped, if not at the end of the capture.
  private(set) var readError: String?
  private static let usualBuffer = 256 << 10

  /// Opens a classic capture (pcap).
  convenience init(classic source: any ByteSource) throws {
    let records = try PcapRecords(source)
    try self.init(records, buffer: records.isPlain ? 0 : Self.usualBuffer, records)
  }

  /// Opens a stream; throws `SourceError` with libpcap's reason.
  init(_ source: any ByteSource, buffer: Int = usualBuffer, _ records: PcapRecords? = nil) throws {
    cookie = ByteStream.Cookie(source)
    guard let file = ByteStream.open(cookie, buffer: buffer) else {
      throw SourceError(.unreadable, "no memory for another stream")
    }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard
      let opened = pcap_fopen_offline_with_tstamp_precision(
        file, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message)
    else {
      fclose(file)
      if let failure = cookie.failure { throw failure }
      let text = String(
        decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw SourceError(text.contains("truncated") ? .truncated : .notAFormat, "libpcap: \(text)")
    }
    handle = opened
    linkType = pcap_datalink(opened)
    kept = Int(pcap_snapshot(opened))
    self.records = records
  }

  deinit { pcap_close(handle) }

  /// The next packet, valid until the next call; nil at the end or after an error.
  @inline(__always)
  func next() -> Packet? {
    if let packet = records?.next(keeping: kept, linkType: linkType) { return packet }
    guard pcap_next_ex(handle, &header, &data) == 1, let header, let data else {
      remember()
      return nil
    }
    let h = header.pointee
    // From 1970 to 2242, so that differences fit in 64 bits of nanoseconds.
    let seconds = min(max(Int64(h.ts.tv_sec), 0), 1 << 33)
    let rest = min(max(Int64(h.ts.tv_usec), 0), 999_999_999)
    return Packet(
      bytes: Octets(data, count: Int(h.caplen)), wireLength: Int(h.len),
      timeNs: seconds &* 1_000_000_000 &+ rest, linkType: linkType)
  }

  private func remember() {
    let text = String(cString: pcap_geterr(handle))
    if let failure = cookie.failure as? BytesError {
      readError = failure.reason
    } else if cookie.failure != nil {
      readError = "the source could not be read to its end"
    } else if !text.isEmpty {
      readError = text
    }
  }
}

/// A C stream over a `ByteSource`, so that libpcap reads gzip, memory and pipes as it reads files.
enum ByteStream {
  /// The context of the stream's callbacks: the source, and its error, which cannot pass through C.
  final class Cookie {
    let source: any ByteSource
    var failure: (any Error)?

    init(_ source: any ByteSource) { self.source = source }
  }

  /// Opens a stream that reads from the cookie's source; `fclose` releases the cookie.
  ///
  /// `buffer` is the size of the stream's buffer in bytes; 0 makes every read exact.
  static func open(_ cookie: Cookie, buffer: Int) -> UnsafeMutablePointer<FILE>? {
    let functions = callqa_cookie_functions(
      read: { cookie, into, size in
        guard let cookie, let into else { return -1 }
        let held = Unmanaged<Cookie>.fromOpaque(cookie).takeUnretainedValue()
        do {
          return try held.source.read(into: UnsafeMutableRawBufferPointer(start: into, count: size))
        } catch {
          // Earlier bytes are valid: the stream ends here, and the reader fetches the error.
          held.failure = error
          return 0
        }
      },
      write: nil, seek: nil,
      close: { cookie in
        if let cookie { Unmanaged<Cookie>.fromOpaque(cookie).release() }
        return 0
      })
    let held = Unmanaged.passRetained(cookie)
    guard let file = callqa_fopencookie(held.toOpaque(), "r", functions) else {
      held.release()
      return nil
    }
    setvbuf(file, nil, buffer == 0 ? _IONBF : _IOFBF, buffer)
    return file
  }
}

/// Passes a classic capture (pcap, not pcapng) to libpcap, and reads packets that need no libpcap in place.
///
/// libpcap copies each packet twice, through a C stream and to its own buffer, which takes as long as decoding it. It
/// opens the capture, and reads unusual and truncated records. Nearly all others are fully described by the sixteen
/// bytes before them.
final class PcapRecords: ByteSource {
  /// The number format of a capture.
  private struct Form {
    var isLittle: Bool
    /// Unit of the fraction of a second, ns.
    var partNs: Int64

    /// The format by the first bytes; nil if only libpcap knows it.
    init?(_ head: Octets) {
      switch head.word(0) {
      case 0xA1B2_C3D4: (isLittle, partNs) = (false, 1000)
      case 0xD4C3_B2A1: (isLittle, partNs) = (true, 1000)
      case 0xA1B2_3C4D: (isLittle, partNs) = (false, 1)
      case 0x4D3C_B2A1: (isLittle, partNs) = (true, 1)
      default: return nil
      }
      // Before version 2.4 the two lengths of a packet could be swapped.
      guard head.word(4) == (isLittle ? 0x0200_0400 : 0x0002_0004) else { return nil }
    }

    @inline(__always)
    func number(_ place: UnsafeRawPointer, _ at: Int) -> UInt32 {
      let word = place.loadUnaligned(fromByteOffset: at, as: UInt32.self)
      return isLittle ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
    }
  }

  private let source: any ByteSource
  /// Buffer for a source that does not lend.
  private let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 16)
  private let form: Form?
  /// The last bytes from the source, and how many were consumed.
  @exclusivity(unchecked) private var window: Octets
  @exclusivity(unchecked) private var at = 0
  /// Buffer for a packet that spans two chunks, and the part of it that is left to libpcap.
  private lazy var joint = UnsafeMutableRawPointer.allocate(
    byteCount: PcapRecords.headSize + PcapRecords.longest, alignment: 16)
  private var hasJoint = false
  @exclusivity(unchecked) private var left: Octets
  /// The source's error while the rest of a packet was read.
  private var failure: (any Error)?

  private static let bufferSize = 256 << 10
  private static let headSize = 16
  /// libpcap rejects longer packets (MAXIMUM_SNAPLEN).
  private static let longest = 262_144

  /// Reads the header of the capture; throws the source's error.
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

  /// Whether packets can be read here, which requires that libpcap has not read ahead.
  var isPlain: Bool { form != nil }

  /// The next packet with at most this many of its bytes, valid until the next one; nil, without consuming anything, if
  /// libpcap has to read it. (libpcap's fix-ups for some link types do not concern any that carry calls.)
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

  /// Number of bytes after a packet's header; nil if libpcap has to decide.
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

  /// Assembles the packet that begins in the window.
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

  /// Reads the next chunk; false if there is none.
  private func refill() -> Bool {
    (window, at) = (Octets(buffer, count: 0), 0)
    do { window = try Self.more(of: source, into: buffer) } catch { failure = error }
    return window.count > 0
  }

  /// Serves reads of libpcap.
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
