/// Which pieces of the handshake messages of an end passed in the clear: what is missing among them was lost before here.
struct HandshakePieces {
  /// What was missing when a flight was over.
  struct Missing {
    /// A part of a message, in words.
    var part: String
    /// Its length, and that of the longest piece that came, bytes.
    var bytes: Int
    var longestCame: Int
  }

  fileprivate struct Message {
    var type: UInt8
    var length: Int
    /// What came of it, in order and apart from each other.
    var pieces: [Range<Int>] = []
  }

  private var messages: [UInt16: Message] = [:]
  private var longest = 0
  /// Whether something was cut short by the capture, or is too much to follow.
  private(set) var isUnknown = false

  /// Bounds against floods.
  private static let mostMessages = 64
  private static let mostPieces = 64

  /// Takes a piece of a message, by its header.
  mutating func take(type: UInt8, message number: UInt16, length: Int, offset: Int, size: Int) {
    // Numbers begin anew with every handshake.
    if let known = messages[number], known.type != type || known.length != length { messages = [:] }
    var message = messages.removeValue(forKey: number) ?? Message(type: type, length: length)
    guard messages.count < Self.mostMessages, message.pieces.count < Self.mostPieces else {
      return isUnknown = true
    }
    longest = max(longest, size)
    if size > 0 { message.add(offset..<(offset + size)) }
    messages[number] = message
  }

  /// Takes note that more was in a datagram than the capture kept.
  mutating func wasCut() { isUnknown = true }

  /// What has not come between the first message and the last; nil for nothing, or where nobody knows.
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
  /// The first part of it that has not come.
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

/// The flights of the handshake that one end sends.
struct HandshakeFlights {
  /// Flights closer together than this are one.
  static let apartNs: Int64 = 5_000_000

  var pieces = HandshakePieces()
  /// When the last datagram passed.
  private(set) var lastNs: Int64?
  private var beganNs: Int64?
  /// When the flight before was over, and what of it had not come by then.
  private var before: (lastNs: Int64?, missing: HandshakePieces.Missing?) = (nil, nil)

  /// When what was sent before this flight was over; of one that follows at once, when its own last datagram passed.
  var earlierNs: Int64? { before.lastNs ?? lastNs }
  /// What had not come of what was sent before this flight.
  var missingBefore: HandshakePieces.Missing? { before.missing }

  /// Notes that a datagram of the handshake begins; for each of its messages alike.
  mutating func begin(at timeNs: Int64) {
    guard beganNs != timeNs, lastNs.map({ timeNs &- $0 >= Self.apartNs }) ?? true else { return }
    beganNs = timeNs
    before = (lastNs, pieces.missing)
  }

  /// Notes that one has passed.
  mutating func passed(at timeNs: Int64) { lastNs = timeNs }
}

/// How far a DTLS handshake has come on a path.
struct DTLSState {
  var clientHelloNs: Int64?
  var serverHelloNs: Int64?
  /// When a handshake last began, the first or another for new keys.
  var lastHelloNs: Int64?
  /// The last encrypted handshake record of the client and of the server before the other showed that it had it: their
  /// Finished, as it arrived.
  var clientFinishedNs: Int64?
  var serverFinishedNs: Int64?
  /// Whether an end sent application data. In DTLS 1.3 acknowledgements go under the same keys, and say less: the server's may
  /// be of the ClientHello.
  var sentData = (false, false)
  /// The end that sent the ClientHello.
  var client: Int?
  var is13 = false
  /// Flights sent again.
  var repeats: [RepeatedFlight] = []
  /// What each end sent of the handshake.
  var flights = [HandshakeFlights(), HandshakeFlights()]
  var alertNs: Int64?
  var alertEnd: Int?
  var alert: UInt8?
  /// Whether its sender never took up the keys, so that it refuses them rather than to hang up.
  var isRefusal = false
  /// A record as long as an alert under the keys of the handshake alone, the last one, and its sender.
  var early: (timeNs: Int64, end: Int)?
  /// What was seen in the clear (end, handshake type, message, fragment offset), to know it again, and the number of the
  /// record that brought it last.
  var seen: [UInt64: UInt64] = [:]
  /// Certificates being put together, one an end.
  var certificates: [Int: CertificateAssembly] = [:]
}

/// A flight of the handshake that was sent again.
struct RepeatedFlight {
  var timeNs: Int64
  var end: Int
  var what: String
  /// How long its sender had waited; nil where the flight before was not captured.
  var waitedNs: Int64?
  /// Whether the other end had sent nothing since, and so had not answered yet.
  var isUnanswered: Bool
  /// What had not come here of the flights before; and whether everything in them was captured, so that nothing else is missing.
  var missing: HandshakePieces.Missing?
  var isFollowed: Bool
}
