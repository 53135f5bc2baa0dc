import Bytes
import CPcap
import CallModel
import Glibc

/// One capture stream open in libpcap, with nanosecond times.
final class PcapHandle {
  private let handle: OpaquePointer
  private let cookie: ByteStream.Cookie
  /// What the packets are taken from where libpcap need not read them, and how much of each it would keep, bytes.
  private let records: PcapRecords?
  private let kept: Int
  @exclusivity(unchecked) private var header: UnsafeMutablePointer<pcap_pkthdr>?
  @exclusivity(unchecked) private var data: UnsafePointer<UInt8>?
  /// DLT value of the packets.
  let linkType: Int32
  /// Why reading stopped, if not at the end of the capture.
  private(set) var trouble: String?
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

  /// The next packet, valid until the next call; nil at the end or at trouble.
  @inline(__always)
  func next() -> Packet? {
    if let packet = records?.next(keeping: kept, linkType: linkType) { return packet }
    guard pcap_next_ex(handle, &header, &data) == 1, let header, let data else {
      remember()
      return nil
    }
    let h = header.pointee
    // From 1970 to 2242: no two such times are further apart than 64 bits of nanoseconds reach.
    let seconds = min(max(Int64(h.ts.tv_sec), 0), 1 << 33)
    let rest = min(max(Int64(h.ts.tv_usec), 0), 999_999_999)
    return Packet(
      bytes: Octets(data, count: Int(h.caplen)), wireLength: Int(h.len),
      timeNs: seconds &* 1_000_000_000 &+ rest, linkType: linkType)
  }

  private func remember() {
    let text = String(cString: pcap_geterr(handle))
    if let failure = cookie.failure as? BytesError {
      trouble = failure.reason
    } else if cookie.failure != nil {
      trouble = "the source could not be read to its end"
    } else if !text.isEmpty {
      trouble = text
    }
  }
}
