import Bytes

/// What is read of one request in a HAR: when, what, how it was answered, and what came over its WebSocket. No header, cookie or posted text.
struct HAREntry {
  /// A message of a WebSocket.
  struct Message {
    var timeMs: Double?
    var isSent: Bool
    var text: String
  }

  private(set) var startMs: Double?
  private(set) var lastedMs: Double?
  private(set) var method: String?
  /// Without its query and fragment.
  private(set) var url: String?
  private(set) var status: Int?
  private(set) var error: String?
  private(set) var mimeType: String?
  /// What was answered, where the record has it as text.
  private(set) var body: String?
  private(set) var messages: [Message] = []

  /// Most messages of one socket, and longest text of a message or an answer.
  private static let mostMessages = 200_000
  private static let longest = 8 << 20

  /// Throws `JSONError`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "startedDateTime": startMs = try Self.text(&scanner).flatMap(Self.moment)
      case "time": lastedMs = try Self.number(&scanner)
      case "request": try request(&scanner)
      case "response": try response(&scanner)
      case "_webSocketMessages": try messages(&scanner)
      default: try scanner.skip()
      }
    }
  }

  private mutating func request(_ scanner: inout JSONScanner) throws(JSONError) {
    guard try scanner.peek() == .object else { return _ = try scanner.skip() }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "method": method = try Self.text(&scanner).map { String($0.filter(\.isLetter).prefix(16)) }
      case "url":
        url = try Self.text(&scanner).map {
          String($0.prefix { $0 != "?" && $0 != "#" && $0 > " " }.prefix(2000))
        }
      default: try scanner.skip()
      }
    }
  }

  private mutating func response(_ scanner: inout JSONScanner) throws(JSONError) {
    guard try scanner.peek() == .object else { return _ = try scanner.skip() }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "status": status = try Self.number(&scanner).flatMap { Int(exactly: $0) }
      case "_error": error = try Self.text(&scanner).map { String($0.prefix(200)) }
      case "content": try content(&scanner)
      default: try scanner.skip()
      }
    }
  }

  private mutating func content(_ scanner: inout JSONScanner) throws(JSONError) {
    guard try scanner.peek() == .object else { return _ = try scanner.skip() }
    try scanner.beginObject()
    var isEncoded = false
    while let key = try scanner.nextKey() {
      switch key {
      case "mimeType": mimeType = try Self.text(&scanner).map { String($0.prefix(100)).lowercased() }
      case "encoding": isEncoded = try Self.text(&scanner) != nil
      case "text": body = try Self.text(&scanner)
      default: try scanner.skip()
      }
    }
    if isEncoded { body = nil }
  }

  private mutating func messages(_ scanner: inout JSONScanner) throws(JSONError) {
    guard try scanner.peek() == .array else { return _ = try scanner.skip() }
    try scanner.beginArray()
    while try scanner.nextElement() {
      guard try scanner.peek() == .object, messages.count < Self.mostMessages else {
        try scanner.skip()
        continue
      }
      var message = Message(isSent: false, text: "")
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        switch key {
        case "time": message.timeMs = try Self.number(&scanner).map { $0 * 1000 }
        case "type": message.isSent = try Self.text(&scanner) == "send"
        case "data": message.text = try Self.text(&scanner) ?? ""
        default: try scanner.skip()
        }
      }
      // Only objects can be a call's messages.
      if message.text.utf8.first == UInt8(ascii: "{") { messages.append(message) }
    }
  }

  private static func moment(_ text: String) -> Double? {
    LogTime.stamp(text)?.date.map { $0.zoned ?? $0.localMs }
  }

  private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
    guard try scanner.peek() == .string else {
      try scanner.skip()
      return nil
    }
    let text = try scanner.string().string
    return text.utf8.count <= longest ? text : nil
  }

  private static func number(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    guard try scanner.peek() == .number else {
      try scanner.skip()
      return nil
    }
    return try scanner.number()
  }
}
