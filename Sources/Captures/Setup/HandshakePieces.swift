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
        + DTLSWatch.name(message.type)
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
