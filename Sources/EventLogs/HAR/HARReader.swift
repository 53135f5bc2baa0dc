import Bytes
import CallModel
import LogText

extension SourceFormat {
  public static let har = SourceFormat(rawValue: "har")
}

/// Reads a HAR file as a log of a page's network traffic: requests to endpoints that a dialect knows,
/// messages of WebSockets, and events of event streams.
///
/// It is turned into the lines of a text log, in chronological order, which then pass through the same
/// redaction. Headers, cookies and posted data are never read, and responses only for known endpoints. All
/// other requests are counted by host.
struct HARReader {
  private let sink: any RecordSink
  private let dialects: Dialects
  private let options: ReaderOptions
  private var lines: [(timeMs: Double, text: [UInt8])] = []
  private var bytes = 0
  private var isFull = false
  private var others: [String: Int] = [:]
  private var otherHosts = 0
  private var known = 0
  private let signalling: EventLogReader.Signalling?
  private var signals: [SignallingMessage] = []

  /// The maximum number of lines and bytes that are sorted, and of hosts that are counted.
  private static let maxLines = Limit.harEntries.value
  private static let maxBytes = Limit.har.value
  private static let maxHosts = 20

  init(
    sink: any RecordSink, dialects: Dialects, options: ReaderOptions,
    signalling: EventLogReader.Signalling? = nil
  ) {
    (self.sink, self.dialects, self.options) = (sink, dialects, options)
    self.signalling = signalling
  }

  /// Reads the source to its end. Throws `SourceError` and any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws {
    var failure: (any Error)?
    do {
      try entries(JSONStream(source, longestValue: max(options.longestLine, 64 << 20)))
    } catch let error as JSONError {
      failure = SourceError(.notJSON, error.reason, byte: error.byte)
    } catch let error as BytesError {
      failure = error
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes)
    for line in lines.inOrder(by: \.timeMs) {
      text += line.text
      text.append(UInt8(ascii: "\n"))
    }
    lines = []
    for message in signals.inOrder(by: \.timeMs) { try signalling?(message) }
    signals = []
    if !text.isEmpty {
      var reader = SDKTextReader(sink: sink, dialects: dialects, options: options)
      try reader.read(MemoryBytes(text))
    }
    if isFull {
      try sink.reject(
        Reject("requests and messages beyond \(Self.maxLines) lines or \(Self.maxBytes >> 20) MB of a HAR"))
    }
    if let note { try sink.note(note) }
    if let failure { throw failure }
  }

  // How many requests were left out, by host, largest count first.
  private var note: String? {
    let total = others.values.reduce(otherHosts, +)
    guard total > 0 else { return nil }
    let hosts = others.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(5).map {
      "\($0.key): \($0.value)"
    }
    return "\(total) requests of no known endpoint were left aside (\(hosts.joined(separator: ", ")))"
  }

  private mutating func entries(_ json: JSONStream) throws {
    try json.beginObject()
    while let key = try json.nextKey() {
      guard String(decoding: key, as: UTF8.self) == "log" else {
        _ = try json.value()
        continue
      }
      try json.beginObject()
      while let key = try json.nextKey() {
        guard String(decoding: key, as: UTF8.self) == "entries" else {
          _ = try json.value()
          continue
        }
        try json.beginArray()
        while try json.nextElement() {
          let entry = try HAREntry(json.value())
          try take(entry)
        }
      }
    }
  }

  private mutating func take(_ entry: HAREntry) throws {
    guard let startMs = entry.startMs, let url = entry.url else { return }
    for message in entry.messages {
      if message.isSIP {
        add(signal: message, of: url, startMs)
        continue
      }
      add(message.timeMs ?? startMs, [message.isSent ? ">> " : "<< ", message.text])
    }
    let endMs = startMs + max(0, entry.lastedMs ?? 0)
    let isStream = entry.mimeType?.hasPrefix("text/event-stream") == true
    guard isStream || isKnown(url) else { return entry.messages.contains(where: \.isSIP) ? () : count(url) }
    known += 1
    if entry.method == "OPTIONS" { return }
    let method = entry.method ?? "GET"
    add(startMs, ["\(method) \(url)"])
    if isStream {
      stream(entry, startMs, endMs)
    } else if let status = entry.status, status > 0 {
      add(endMs, ["<-- \(status) \(url) ", Self.oneLine(entry.body ?? "")])
    } else {
      add(endMs, ["\(method) \(url) failed: \(entry.error ?? "no answer")"])
    }
  }

  // Adds the events of a stream. A HAR has no times for them, except in Chromium's own list. The end of a
  // stream was received last.
  private mutating func stream(_ entry: HAREntry, _ startMs: Double, _ endMs: Double) {
    var events: [(name: String, data: String)] = []
    var parser = SSEParser(limit: options.longestLine)
    for (index, line) in (entry.body ?? "").utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).enumerated() {
      guard events.count < Self.maxLines else { break }
      let line = Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
      line.withUnsafeBufferPointer { line in
        if let event = parser.take(line, number: index + 1), let data = event.data {
          events.append((event.name, String(decoding: data, as: UTF8.self)))
        }
      }
    }
    for (index, event) in events.enumerated() {
      let isLast = index == events.count - 1 && entry.lastedMs != nil
      add(
        isLast ? endMs : startMs + 0.001 * Double(index + 1),
        ["event: \(event.name) data: ", Self.oneLine(event.data)], isTimed: isLast)
    }
  }

  private mutating func add(signal message: HAREntry.Message, of url: String, _ startMs: Double) {
    guard signalling != nil else { return }
    guard lines.count + signals.count < Self.maxLines, bytes < Self.maxBytes else { return isFull = true }
    bytes += message.text.utf8.count
    signals.append(
      SignallingMessage(
        timeMs: message.timeMs ?? startMs, from: message.isSent ? nil : url, to: message.isSent ? url : nil,
        text: Array(message.text.utf8)))
  }

  private mutating func add(_ timeMs: Double, _ parts: [String], isTimed: Bool = true) {
    guard lines.count + signals.count < Self.maxLines, bytes < Self.maxBytes else { return isFull = true }
    let text = Array(((isTimed ? LogTime.text(ofMs: timeMs) + " " : "") + parts.joined()).utf8)
    guard text.count <= options.longestTextLine else { return }
    bytes += text.count
    lines.append((timeMs, text))
  }

  private func isKnown(_ url: String) -> Bool {
    let segments = Array(url.utf8).split(separator: UInt8(ascii: "/")).suffix(RequestPath.most)
    return dialects.all.contains { dialect in dialect.paths.contains { $0.match(Array(segments)) != nil } }
  }

  private mutating func count(_ url: String) {
    let host = String(
      url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? "another place"
    ).prefix(80)
    let name = String(host.split(separator: "@").last ?? host)
    guard others[name] != nil || others.count < Self.maxHosts else { return otherHosts += 1 }
    others[name, default: 0] += 1
  }

  private static func oneLine(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 < UInt8(ascii: " ") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }
}

extension HARReader: LogReader {
  static let description = FormatDescription(
    .har, .document,
    summary:
      "a browser's record of its requests: those of call endpoints, WebSocket messages (SIP too), event streams",
    recognisedBy: "an object with log, and in it entries or pages",
    example:
      #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-…","request":{…},"response":{…}}]}}"#)

  init(sink: any RecordSink, options: ReaderOptions) throws {
    self.init(sink: sink, dialects: try Dialects.installed(), options: options)
  }

  /// Whether the bytes are a HAR (HAR 1.2, a browser's recording of its requests): a single member `log` with
  /// the expected members.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(head)
    guard (try? scanner.peek()) == .object, (try? scanner.beginObject()) != nil,
      let key = (try? scanner.nextKey()) ?? nil, key == "log", (try? scanner.beginObject()) != nil
    else { return false }
    while let key = (try? scanner.nextKey()) ?? nil {
      switch key {
      case "entries", "pages": return (try? scanner.peek()) == .array
      case "version", "creator", "browser", "comment": if (try? scanner.skip()) == nil { return false }
      default: return false
      }
    }
    return false
  }
}

/// What is read of one request in a HAR: time, URL, response, and the messages of its WebSocket. Headers,
/// cookies and posted data are not read.
struct HAREntry {
  /// A message of a WebSocket.
  struct Message {
    var timeMs: Double?
    var isSent: Bool
    var text: String

    /// Whether it begins like a message of SIP (RFC 3261 section 7), as WebSockets carry them (RFC 7118).
    var isSIP: Bool {
      let line = text.utf8.prefix(2000).prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
      return line.starts(with: "SIP/2.0 ".utf8) || line.suffix(8).elementsEqual(" SIP/2.0".utf8)
    }
  }

  private(set) var startMs: Double?
  private(set) var lastedMs: Double?
  private(set) var method: String?
  /// The URL without query and fragment.
  private(set) var url: String?
  private(set) var status: Int?
  private(set) var error: String?
  private(set) var mimeType: String?
  /// The response, if the recording has it as text.
  private(set) var body: String?
  private(set) var messages: [Message] = []

  /// The maximum number of messages per socket, and the maximum length of a message or response.
  private static let maxMessages = 200_000
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
      guard try scanner.peek() == .object, messages.count < Self.maxMessages else {
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
      // Only JSON objects and SIP can be messages of a call.
      if message.text.utf8.first == UInt8(ascii: "{") || message.isSIP { messages.append(message) }
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
