import IO
import Packets

/// Follows DTLS handshakes by their record and handshake headers (RFC 6347, RFC 9147). Encrypted content is
/// not read.
struct DTLSTracker {
  /// An end that rejects the other's certificate does so as soon as the flight with it has arrived. An alert
  /// later than this after the flight, in ns, does not belong to the handshake.
  private static let refusalNs: Int64 = 500_000_000
  private static let maxSeen = 512
  private static let longestCertificate = 1 << 16

  /// Whether bytes begin like a DTLS record.
  @inline(__always)
  static func isLikely(_ b: Octets) -> Bool {
    let type = b.byte(0)
    if type >= 32 && type < 64 { return true }  // DTLS 1.3 unified header
    return type >= 20 && type <= 26 && (b.byte(1) == 0xFE || b.short(1) == 0x0100) && b.count >= 13
  }

  /// Takes a datagram of records sent by an end of a path.
  static func take(
    _ payload: Octets, wireLength: Int, from end: Int, on path: MediaTransport, at timeNs: Int64
  ) {
    var b = payload
    let cut = wireLength - payload.count
    var repeated: String?
    var isHandshake = false
    if cut > 0 { path.dtls.flights[end].pieces.wasCut() }
    for _ in 0..<32 where b.count > 0 {
      let type = b.byte(0)
      if type >= 32 && type < 64 {
        guard let record = UnifiedRecord(b, cut: cut) else { break }
        unified(record, end, path, timeNs)
        isHandshake = isHandshake || record.epoch == 2
        b = b.from(record.size)
        continue
      }
      guard b.count >= 13 else { break }
      let length = Int(b.short(11))
      let epoch = b.short(3)
      let body = b.from(13).first(length)
      isHandshake = isHandshake || type == 22
      if epoch == 0 {
        if type == 22, let what = handshake(body, record: b.long(3) & 0xFFFF_FFFF_FFFF, end, path, timeNs) {
          repeated = repeated ?? what
        }
        if type == 21 { alert(end, path, timeNs, says: body.count > 1 ? body.byte(1) : nil) }
      } else if type == 22 {
        finished(end, path, timeNs)
      } else if type == 23 {
        sentData(end, path)
      } else if type == 21 {
        alert(end, path, timeNs, says: nil)  // encrypted, so its description is unknown
      }
      b = b.from(13 + length)
    }
    if let repeated { noteRepeat(repeated, end, path, timeNs) }
    if isHandshake { path.dtls.flights[end].passed(at: timeNs) }
  }

  private static func noteRepeat(_ what: String, _ end: Int, _ path: MediaTransport, _ timeNs: Int64) {
    if let last = path.dtls.repeats.last, last.end == end, timeNs &- last.timeNs < HandshakeFlights.apartNs {
      return
    }
    guard path.dtls.repeats.count < 64 else { return }
    let flights = path.dtls.flights[end]
    let (own, others) = (flights.earlierNs, path.dtls.flights[1 - end].lastNs)
    path.dtls.repeats.append(
      RepeatedFlight(
        timeNs: timeNs, end: end, what: what, waitedNs: own.map { timeNs &- $0 },
        isUnanswered: own.map { own in others.map { $0 < own } ?? true } ?? false,
        missing: flights.missingBefore, isFollowed: !flights.pieces.isUnknown))
  }

  /// Reads the handshake messages of an unencrypted record; returns which message was retransmitted.
  private static func handshake(
    _ body: Octets, record: UInt64, _ end: Int, _ path: MediaTransport, _ timeNs: Int64
  ) -> String? {
    var b = body
    var repeated: String?
    path.dtls.flights[end].begin(at: timeNs)
    for _ in 0..<16 where b.count >= 12 {
      let type = b.byte(0)
      let length = Int(b.word(0) & 0xFF_FFFF)
      let message = b.short(4)
      let offset = Int(b.word(5) & 0xFF_FFFF)
      let size = Int(b.word(8) & 0xFF_FFFF)
      path.dtls.flights[end].pieces.take(
        type: type, message: message, length: length, offset: offset, size: size)
      // Message numbers restart with every handshake, so the type is part of the key.
      let key =
        UInt64(end) << 60 | UInt64(type) << 48 | UInt64(message) << 24 | UInt64(offset)
      if let earlier = path.dtls.seen.updateValue(record, forKey: key) {
        // A retransmission is a new record (RFC 6347 section 4.2.2); the same record was captured at another
        // place, such as after a relay.
        if earlier != record { repeated = repeated ?? name(type) }
      } else if type == 1 && offset == 0 && message == 0 && path.dtls.clientHelloNs == nil && record > 0 {
        repeated = "ClientHello (earlier ones were not captured)"
      }
      if path.dtls.seen.count > maxSeen { path.dtls.seen.removeAll() }
      if type <= 2 { path.dtls.lastHelloNs = timeNs }
      switch type {
      case 1:
        path.dtls.clientHelloNs = path.dtls.clientHelloNs ?? timeNs
        path.dtls.client = path.dtls.client ?? end
      case 2: path.dtls.serverHelloNs = path.dtls.serverHelloNs ?? timeNs
      case 11: certificate(b.from(12).first(size), length: length, offset: offset, end, path)
      default: break
      }
      b = b.from(12 + size)
    }
    return repeated
  }

  static func name(_ type: UInt8) -> String {
    switch type {
    case 1: "ClientHello"
    case 2: "ServerHello"
    case 3: "HelloVerifyRequest"
    case 11: "Certificate"
    case 12: "ServerKeyExchange"
    case 14: "ServerHelloDone"
    case 16: "ClientKeyExchange"
    default: "handshake message \(type)"
    }
  }

  /// DTLS 1.3 after the ServerHello: epoch 2 is the handshake, 3 is data and acknowledgements.
  private static func unified(_ record: UnifiedRecord, _ end: Int, _ path: MediaTransport, _ timeNs: Int64) {
    let startNs = path.dtls.clientHelloNs ?? path.dtls.serverHelloNs
    if record.isAlert {
      if record.epoch == 2 { path.dtls.early = (timeNs, end) }
      // If the handshake was not captured, it was complete before.
      let hasKeys = startNs == nil || path.dtls.clientFinishedNs != nil || self.hasKeys(end, path)
      if record.epoch != 2, hasKeys { alert(end, path, timeNs, says: nil) }
      return
    }
    guard startNs != nil else { return }
    path.dtls.is13 = true
    if record.epoch == 2 {
      finished(end, path, timeNs)
    } else if record.epoch == 3, !record.isAcknowledgement {
      sentData(end, path)
    }
  }

  private static func sentData(_ end: Int, _ path: MediaTransport) {
    if end == 0 { path.dtls.sentData.0 = true } else { path.dtls.sentData.1 = true }
  }

  /// Records an encrypted handshake record: a Finished, unless the other end already has that. Later ones are
  /// needless retransmissions, another handshake, or new keys.
  private static func finished(_ end: Int, _ path: MediaTransport, _ timeNs: Int64) {
    let isClient = path.dtls.client == end
    let known = isClient ? path.dtls.clientFinishedNs : path.dtls.serverFinishedNs
    guard known == nil || !hasKeys(1 - end, path) else { return }
    if isClient { path.dtls.clientFinishedNs = timeNs } else { path.dtls.serverFinishedNs = timeNs }
  }

  /// Whether an end sent something that requires keys since the handshake began: data, media or RTCP. It then
  /// has the other's Finished.
  private static func hasKeys(_ end: Int, _ path: MediaTransport) -> Bool {
    if end == 0 ? path.dtls.sentData.0 : path.dtls.sentData.1 { return true }
    let startNs = path.dtls.clientHelloNs ?? path.dtls.serverHelloNs ?? .min
    return [path[end].firstMediaNs, path[end].firstRTCPNs].contains { $0.map { $0 > startNs } ?? false }
  }

  private static func alert(_ end: Int, _ path: MediaTransport, _ timeNs: Int64, says: UInt8?) {
    guard path.dtls.alertNs == nil else { return }
    path.dtls.alertNs = timeNs
    path.dtls.alertEnd = end
    path.dtls.alert = says
    let flightNs = path.dtls.flights[1 - end].lastNs
    // Without ICE it is no PeerConnection, and a probe that only tests whether a server answers hangs up just
    // as soon.
    path.dtls.isRefusal =
      says == nil && path.ice.checks > 0 && !hasKeys(end, path)
      && flightNs.map { timeNs &- $0 <= refusalNs } ?? false
  }

  /// Assembles the first certificate and computes its fingerprint, in the form used in SDP.
  private static func certificate(
    _ piece: Octets, length: Int, offset: Int, _ end: Int, _ path: MediaTransport
  ) {
    guard path[end].fingerprint == nil, length > 6, length <= longestCertificate else { return }
    if let known = path.dtls.certificates[end], known.bytes.count != length { return }
    // Removed from the dictionary so that it is not copied for each fragment.
    var assembly = path.dtls.certificates.removeValue(forKey: end) ?? CertificateAssembly(length: length)
    assembly.add(piece, at: offset)
    if assembly.isWhole {
      path[end].fingerprint = fingerprint(assembly.bytes)
    } else {
      path.dtls.certificates[end] = assembly
    }
  }

  private static func fingerprint(_ message: [UInt8]) -> String? {
    let size = Int(message[3]) << 16 | Int(message[4]) << 8 | Int(message[5])
    guard size > 0, 6 + size <= message.count else { return nil }
    let hash = SHA256()
    message.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[6..<(6 + size)])) }
    let digits = Array(hash.hexDigest().uppercased().utf8)
    return stride(from: 0, to: digits.count - 1, by: 2)
      .map { String(decoding: digits[$0...($0 + 1)], as: UTF8.self) }.joined(separator: ":")
  }
}

/// The header of an encrypted DTLS 1.3 record (RFC 9147 section 4), which gives little more than its length.
struct UnifiedRecord {
  /// Its epoch, modulo 4.
  let epoch: UInt8
  /// The number of bytes including the header, and of those that are encrypted.
  let size: Int
  private let length: Int

  /// The encrypted length of an alert: two bytes (RFC 9147 section 6), its content type, and the tag of
  /// AES-GCM or ChaCha20-Poly1305.
  ///
  /// Nothing else sent after the keys are established is this short: an acknowledgement of one record has 18
  /// bytes, a KeyUpdate 13, a packet of a data channel at least 12.
  private static let alertLength = 2 + 1 + 16

  /// An acknowledgement lists record numbers of 16 bytes each (RFC 9147 section 7), with the same overhead as
  /// an alert.
  private static let recordNumberLength = 16

  /// Whether its length is that of an alert.
  var isAlert: Bool { length == Self.alertLength }

  /// Whether its length is that of an acknowledgement. Data channels send multiples of four bytes (RFC 9260
  /// section 3) plus 17, which never has this length.
  var isAcknowledgement: Bool {
    length > Self.alertLength && (length - Self.alertLength) % Self.recordNumberLength == 0
  }

  /// Reads the header of a record at the start of a datagram of which `cut` bytes were not captured. Fails if
  /// the header does not give the length, because the length of a connection id is known only to the ends.
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

/// A Certificate message arriving in fragments, which overlap if it is retransmitted with different fragment
/// sizes (RFC 6347 section 4.2.3).
struct CertificateAssembly {
  private(set) var bytes: [UInt8]
  /// The number of contiguous bytes from the start, and the ranges after the first gap.
  private var whole = 0
  private var ahead: [Range<Int>] = []
  /// The maximum number of fragments remembered after the first gap. Further ones are used when they are
  /// retransmitted.
  private static let maxAhead = 64

  init(length: Int) { bytes = [UInt8](repeating: 0, count: length) }

  /// Whether all bytes have arrived.
  var isWhole: Bool { whole == bytes.count }

  /// Takes a fragment, as far as it was captured.
  mutating func add(_ fragment: Octets, at offset: Int) {
    let end = offset + fragment.count
    guard end > whole, end <= bytes.count else { return }
    if offset > whole {
      guard ahead.count < Self.maxAhead, !ahead.contains(offset..<end) else { return }
      ahead.append(offset..<end)
    } else {
      whole = end
    }
    for i in 0..<fragment.count { bytes[offset + i] = fragment.byte(i) }
    while let next = ahead.firstIndex(where: { $0.lowerBound <= whole }) {
      whole = max(whole, ahead.remove(at: next).upperBound)
    }
  }
}
