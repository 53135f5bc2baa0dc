/// The header of an encrypted record of DTLS 1.3 (RFC 9147 section 4), which says little more than how long it is.
struct UnifiedRecord {
  /// Its epoch, modulo 4.
  let epoch: UInt8
  /// Bytes of it, header included, and of what is encrypted.
  let size: Int
  private let length: Int

  /// An alert is two bytes (RFC 9147 section 6) with its content type and the tag of AES-GCM or ChaCha20-Poly1305 behind it.
  ///
  /// Nothing else that is sent once there are keys is so short: an acknowledgement of one record has 18 bytes, new keys 13, a
  /// packet of a data channel 12 and more.
  private static let alertLength = 2 + 1 + 16

  /// An acknowledgement lists numbers of records, 16 bytes each (RFC 9147 section 7); as much as in an alert is around them.
  private static let recordNumberLength = 16

  /// Whether its length is that of an alert.
  var isAlert: Bool { length == Self.alertLength }

  /// Whether its length is that of an acknowledgement. What data channels send is whole words (RFC 9260 section 3) and 17 bytes,
  /// which is never as long.
  var isAcknowledgement: Bool {
    length > Self.alertLength && (length - Self.alertLength) % Self.recordNumberLength == 0
  }

  /// Reads the header of a record at the front of a datagram of which `cut` bytes were not captured; nil where it does not say
  /// how long it is: a connection id has a length that only the ends know.
  init?(_ b: Octets, cut: Int) {
    let flags = b.byte(0)
    guard flags >> 5 == 1, flags & 0x10 == 0 else { return nil }
    epoch = flags & 3
    let header = flags & 8 == 0 ? 2 : 3
    if flags & 4 == 0 {
      length = b.count + cut - header
      size = b.count
    } else {
      length = Int(b.short(header))
      size = header + 2 + length
    }
    guard length > 0, size <= b.count + cut, b.count > header else { return nil }
  }
}
