/// Tracks which fragments of an end's unencrypted handshake messages were captured. What is missing among
/// them was lost before the capture point.
struct HandshakePieces {
  /// What was missing at the end of a flight.
  struct Missing {
    /// A part of a message, in words.
    var part: String
    /// The length of the part, and that of the longest fragment captured, in bytes.
    var bytes: Int
    var longestCame: Int
  }

  fileprivate struct Message {
    var type: UInt8
    var length: Int
    /// The fragments that arrived, sorted and merged.
    var pieces: [Range<Int>] = []
  }

  private var messages: [UInt16: Message] = [:]
  private var longest = 0
  /// Whether a datagram was truncated by the capture, or there was too much to track.
  private(set) var isUnknown = false

  /// Limits against floods.
  private static let maxMessages = 64
  private static let maxPieces = 64

  /// Takes a fragment of a message, described by its header.
  mutating func take(type: UInt8, message number: UInt16, length: Int, offset: Int, size: Int) {
    // Numbers restart with every handshake.
    if let known = messages[number], known.type != type || known.length != length { messages = [:] }
    var message = messages.removeValue(forKey: number) ?? Message(type: type, length: length)
    guard messages.count < Self.maxMessages, message.pieces.count < Self.maxPieces else {
      return isUnknown = true
    }
    longest = max(longest, size)
    if size > 0 { message.add(offset..<(offset + size)) }
    messages[number] = message
  }

  /// Records that a datagram held more than was captured.
  mutating func wasCut() { isUnknown = true }

  /// What is missing between the first and the last message; nil if nothing is, or if this is unknown.
  var missing: Missing? {
    guard !isUnknown, let first = messages.keys.min(), let last = messages.keys.max() else { return nil }
    for number in first...last {
      guard let message = messages[number] else {
        return Missing(part: "message \(number)", bytes: 0, longestCame: longest)
      }
      guard let hole = message.hole else { continue }
      let part =
        "bytes \(hole.lowerBound) to \(hole.upperBound - 1) of \(message.length) of the "
        + DTLSTracker.name(message.type)
      return Missing(part: part, bytes: hole.count, longestCame: longest)
    }
    return nil
  }
}

extension HandshakePieces.Message {
  /// The first part of the message that is missing.
  fileprivate var hole: Range<Int>? {
    var next = 0
    for piece in pieces {
      if piece.lowerBound > next { return next..<piece.lowerBound }
      next = max(next, piece.upperBound)
    }
    return next < length ? next..<length : nil
  }

  fileprivate mutating func add(_ piece: Range<Int>) {
    guard !pieces.contains(piece) else { return }
    pieces.append(piece)
    pieces.sort { $0.lowerBound < $1.lowerBound }
  }
}

/// The handshake flights that one end sends.
struct HandshakeFlights {
  /// The minimum time between two flights, ns.
  static let apartNs: Int64 = 5_000_000

  var pieces = HandshakePieces()
  /// When the last datagram was captured.
  private(set) var lastNs: Int64?
  private var beganNs: Int64?
  /// When the previous flight ended, and what was missing at that time.
  private var before: (lastNs: Int64?, missing: HandshakePieces.Missing?) = (nil, nil)

  /// When the data before this flight ended; for a flight that follows immediately, the time of its own last
  /// datagram.
  var earlierNs: Int64? { before.lastNs ?? lastNs }
  /// What was missing of the data before this flight.
  var missingBefore: HandshakePieces.Missing? { before.missing }

  /// Records that a handshake datagram begins. It is called for each message in the datagram.
  mutating func begin(at timeNs: Int64) {
    guard beganNs != timeNs, lastNs.map({ timeNs &- $0 >= Self.apartNs }) ?? true else { return }
    beganNs = timeNs
    before = (lastNs, pieces.missing)
  }

  /// Records the time of a datagram.
  mutating func passed(at timeNs: Int64) { lastNs = timeNs }
}

/// How far a DTLS handshake has progressed on a path.
struct DTLSState {
  var clientHelloNs: Int64?
  var serverHelloNs: Int64?
  /// When the last handshake began, either the first or one for new keys.
  var lastHelloNs: Int64?
  /// The last encrypted handshake record of the client and the server before the other end showed that it had
  /// received it, that is, their Finished messages as they arrived.
  var clientFinishedNs: Int64?
  var serverFinishedNs: Int64?
  /// Whether an end sent application data. In DTLS 1.3, acknowledgements use the same keys but prove less:
  /// the server's may be for the ClientHello.
  var sentData = (false, false)
  /// The end that sent the ClientHello.
  var client: Int?
  var is13 = false
  /// Retransmitted flights.
  var repeats: [RepeatedFlight] = []
  /// The flights of each end.
  var flights = [HandshakeFlights(), HandshakeFlights()]
  var alertNs: Int64?
  var alertEnd: Int?
  var alert: UInt8?
  /// Whether the sender of the alert never used the keys, so that the alert is a rejection rather than a
  /// hang-up.
  var isRefusal = false
  /// The last record with the length of an alert that was sent when only the handshake keys were available,
  /// and its sender.
  var early: (timeNs: Int64, end: Int)?
  /// Unencrypted fragments (end, handshake type, message, fragment offset) for detecting retransmissions,
  /// with the number of the record that last carried each.
  var seen: [UInt64: UInt64] = [:]
  /// Certificates being assembled, one per end.
  var certificates: [Int: CertificateAssembly] = [:]
}

/// A retransmitted flight of the handshake.
struct RepeatedFlight {
  var timeNs: Int64
  var end: Int
  var what: String
  /// How long its sender had waited, ns; nil if the previous flight was not captured.
  var waitedNs: Int64?
  /// Whether the other end had sent nothing since, and so had not answered yet.
  var isUnanswered: Bool
  /// What was missing of the earlier flights; and whether everything in them was captured, so that nothing
  /// else is missing.
  var missing: HandshakePieces.Missing?
  var isFollowed: Bool
}
