/// Finds the event in a line of plain text: an object, a pattern, a callback's name with what stands behind it.
struct TextLine {
  let dialects: Dialects

  /// What a line tells.
  enum Finding {
    case event(RawEvent)
    /// An object begins here and does not end.
    case openObject
    case nothing
  }

  /// Looks at a message, without its stamp.
  /// - Parameter sdk: the SDK of the log, once it is known.
  func find(_ message: ArraySlice<UInt8>, sdk: String? = nil) -> Finding {
    if let object = object(in: message) { return object }
    for dialect in dialects.all {
      for pattern in dialect.lines {
        guard let holes = pattern.match(message) else { continue }
        var event = RawEvent(raw: pattern.raw, sdk: dialect.sdk)
        for hole in holes {
          if pattern.raw == "{\(hole.name)}" { event.raw = hole.value }
          event.arguments.append(hole.name, word: hole.value.trimmed)
        }
        return .event(event)
      }
    }
    return callback(in: message, sdk: sdk).map(Finding.event) ?? .nothing
  }

  // Behind a dialect's marker, or at the head of a line, an object as the SDK prints it.
  private func object(in message: ArraySlice<UInt8>) -> Finding? {
    guard let start = objectStart(in: message) else { return nil }
    let text = message[start...]
    guard let end = LooseObject.end(of: text) else {
      // It goes on below if its bracket is the last thing on the line, or if it is a frame for sure.
      let isBare = text.dropFirst().allSatisfy { $0 <= 0x20 || $0 == 0x7B }
      return isBare || text.contains(0x0A) || Self.contains("control", in: text) ? .openObject : nil
    }
    guard let members = LooseObject.members(text[..<end]),
      let event = KandyInfo.event(members, timeMs: nil, line: nil)
        ?? OracleFrame.event(members, timeMs: nil, line: nil)
    else { return nil }
    return .event(event)
  }

  private func objectStart(in message: ArraySlice<UInt8>) -> Int? {
    func isOpening(_ byte: UInt8) -> Bool { byte == 0x7B || byte == 0x5B }
    guard let first = message.firstIndex(where: { $0 > 0x20 }), message.contains(where: isOpening) else {
      return nil
    }
    if message[first] == 0x7B { return first }
    for marker in dialects.all.flatMap(\.objects) {
      guard let behind = Self.end(of: marker, in: message) else { continue }
      if let start = message[behind...].prefix(40).firstIndex(where: isOpening) { return start }
    }
    return nil
  }

  // The first word that is a name of the log's own SDK, or of one that may be, and what follows it as arguments. A name that any
  // application may use counts only where no other stands in the line, and not for another SDK than the log's.
  private func callback(in message: ArraySlice<UInt8>, sdk: String?) -> RawEvent? {
    var generic: RawEvent?
    var at = message.startIndex
    while let start = message[at...].firstIndex(where: Self.isNameByte) {
      let end = message[start...].firstIndex { !Self.isNameByte($0) } ?? message.endIndex
      at = end
      let isMethod = end < message.endIndex && message[end] == 0x28 && message[start..<end].contains(0x2E)
      guard end - start >= 6, isMethod || Self.looksLikeName(message[start..<end]) else { continue }
      let name = String(decoding: message[start..<end], as: UTF8.self)
      let names = dialects.all.compactMap { dialect in
        known(name, in: dialect, isMethod: isMethod).map { (raw: $0, dialect: dialect) }
      }
      if names.isEmpty { continue }
      let arguments = LooseArguments.read(message[end...])
      let events = names.compactMap { event($0.raw, arguments, in: $0.dialect) }
      guard let event = Self.choose(from: events, sdk: sdk) else { continue }
      if event.telling != .generic { return event }
      generic = generic ?? event
    }
    return generic
  }

  // What a name with its arguments is in the words of one dialect; nil where it is another application's.
  private func event(_ raw: String, _ arguments: LogArguments, in dialect: Dialect) -> RawEvent? {
    var event = RawEvent(raw: raw, arguments: arguments, sdk: dialect.sdk)
    let name = Dialect.normal(raw)
    let isGeneric = dialect.generic.contains(name)
    guard let entry = dialect.events[name], !entry.enumerations.isEmpty else {
      event.telling = isGeneric ? .generic : .own
      return event
    }
    // Of a callback with a state, the state tells more than the name.
    switch dialect.stateChoice(of: entry, in: arguments)?.spelling {
    case .prefixed: event.telling = .own
    case .word: event.telling = isGeneric ? .shared : .own
    case .number where !isGeneric: event.telling = .own
    case nil where !isGeneric: event.telling = entry.events.isEmpty ? .generic : .own
    default: return nil
    }
    return event
  }

  // Of what the same line is to several SDKs: what it is to the log's own, else to the first that it tells.
  private static func choose(from events: [RawEvent], sdk: String?) -> RawEvent? {
    if var own = events.first(where: { $0.sdk == sdk }) {
      own.telling = .own
      return own
    }
    let telling = events.filter { $0.telling == .own || $0.telling == .shared && sdk == nil }
    guard var first = telling.first else { return sdk == nil ? events.first : nil }
    if telling.count > 1 { first.telling = .shared }
    return first
  }

  private func known(_ word: String, in dialect: Dialect, isMethod: Bool) -> String? {
    let parts = word.split(whereSeparator: { $0 == ":" || $0 == "." })
    for part in parts.reversed() where part.utf8.count >= 6 && Self.looksLikeName(Array(part.utf8)[...]) {
      if dialect.events[Dialect.normal(part)] != nil { return String(part) }
    }
    // `call.hold()`, `self.currentCall.resume()`: a method of a call may have a plain name.
    if isMethod, parts.count > 1, Dialect.normal(parts[parts.count - 2]).hasSuffix("call"),
      let last = parts.last, dialect.events[Dialect.normal(last)] != nil
    {
      return String(last)
    }
    let isValue = dialect.enums.contains { dialect.value(word, of: $0, allowBare: false) != nil }
    return isValue ? word : nil
  }

  // Identifiers have capitals inside or underscores; plain words have not.
  private static func looksLikeName(_ word: ArraySlice<UInt8>) -> Bool {
    let tail = word.dropFirst()
    let hasCapital = tail.contains { $0 >= 0x41 && $0 <= 0x5A }
    return hasCapital || tail.contains(0x5F)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F
      || byte == 0x3A
      || byte == 0x2E
  }

  static func contains(_ word: String, in bytes: ArraySlice<UInt8>) -> Bool {
    end(of: word, in: bytes) != nil
  }

  /// The place behind the first occurrence of a word.
  static func end(of word: String, in bytes: ArraySlice<UInt8>) -> Int? {
    let wanted = Array(word.utf8)
    guard let first = wanted.first else { return nil }
    var at = bytes.startIndex
    while let hit = bytes[at...].firstIndex(of: first), hit + wanted.count <= bytes.endIndex {
      if bytes[hit..<(hit + wanted.count)].elementsEqual(wanted) { return hit + wanted.count }
      at = hit + 1
    }
    return nil
  }
}

extension String {
  /// The text without white space at its ends.
  var trimmed: String {
    let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
    let head = utf8.drop(while: isSpace)
    guard let last = head.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(decoding: head[...last], as: UTF8.self)
  }
}
