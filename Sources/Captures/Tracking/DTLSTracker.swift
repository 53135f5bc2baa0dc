import IO
import Packets

/// Follows DTLS handshakes by their record and handshake headers (RFC 6347, RFC 9147); what is encrypted stays closed.
struct DTLSTracker {
  /// Who refuses the other's certificate does so as soon as the flight with it has come: an alert so long after the flight
  /// passed here is none of the handshake's.
  private static let refusalNs: Int64 = 500_000_000
  private static let mostSeen = 512
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
        alert(end, path, timeNs, says: nil)  // encrypted: what it says is not known
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

  /// Reads the handshake messages of a record in the clear; answers what was sent again.
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
      // Message numbers begin anew with every handshake, so the type is part of what is remembered.
      let key =
        UInt64(end) << 60 | UInt64(type) << 48 | UInt64(message) << 24 | UInt64(offset)
      if let earlier = path.dtls.seen.updateValue(record, forKey: key) {
        // What is sent again is a new record (RFC 6347 4.2.2); the same one passed at another place, such as behind a relay.
        if earlier != record { repeated = repeated ?? name(type) }
      } else if type == 1 && offset == 0 && message == 0 && path.dtls.clientHelloNs == nil && record > 0 {
        repeated = "ClientHello (earlier ones were not captured)"
      }
      if path.dtls.seen.count > mostSeen { path.dtls.seen.removeAll() }
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
      // Where the handshake was not captured, it was over before.
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

  /// Notes an encrypted handshake record: a Finished, unless the other end has that already. Later ones are a flight that
  /// was sent again for nothing, another handshake, or new keys.
  private static func finished(_ end: Int, _ path: MediaTransport, _ timeNs: Int64) {
    let isClient = path.dtls.client == end
    let known = isClient ? path.dtls.clientFinishedNs : path.dtls.serverFinishedNs
    guard known == nil || !hasKeys(1 - end, path) else { return }
    if isClient { path.dtls.clientFinishedNs = timeNs } else { path.dtls.serverFinishedNs = timeNs }
  }

  /// Whether an end sent what takes keys: data, media or RTCP since the handshake began. It has the other's Finished.
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
    // Without ICE it is no PeerConnection: whoever just looks whether a server answers hangs up as soon.
    path.dtls.isRefusal =
      says == nil && path.ice.checks > 0 && !hasKeys(end, path)
      && flightNs.map { timeNs &- $0 <= refusalNs } ?? false
  }

  /// Puts the first certificate together and takes its fingerprint, as SDP gives it.
  private static func certificate(
    _ piece: Octets, length: Int, offset: Int, _ end: Int, _ path: MediaTransport
  ) {
    guard path[end].fingerprint == nil, length > 6, length <= longestCertificate else { return }
    if let known = path.dtls.certificates[end], known.bytes.count != length { return }
    // Taken out, so that it is not copied for each fragment.
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

/// A Certificate message arriving in fragments, which overlap where it is sent again cut otherwise (RFC 6347 section 4.2.3).
struct CertificateAssembly {
  private(set) var bytes: [UInt8]
  /// How many bytes from the first on are there, and what is there beyond the first hole.
  private var whole = 0
  private var ahead: [Range<Int>] = []
  /// Fragments beyond the first hole that are remembered; one more is taken when it comes again.
  private static let mostAhead = 64

  init(length: Int) { bytes = [UInt8](repeating: 0, count: length) }

  /// Whether every byte is there.
  var isWhole: Bool { whole == bytes.count }

  /// Takes a fragment, as far as it was captured.
  mutating func add(_ fragment: Octets, at offset: Int) {
    let end = offset + fragment.count
    guard end > whole, end <= bytes.count else { return }
    if offset > whole {
      guard ahead.count < Self.mostAhead, !ahead.contains(offset..<end) else { return }
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
