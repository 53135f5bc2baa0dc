import Bytes
import LogText

/// Finds the event in a line of plain text: an object, a request's path, a pattern, or a callback's name with
/// its arguments.
struct TextLine {
  let dialects: Dialects

  /// What a line contains.
  enum Finding {
    case event(RawEvent)
    /// An object that begins on this line and continues: a dialect's own, or the arguments of a callback,
    /// with what has been read so far.
    case openObject(RawEvent?)
    case nothing
  }

  /// Finds the event in a message without its timestamp.
  /// - Parameters:
  ///   - sdk: The SDK of the log, once known.
  ///   - isWhole: Whether the message is complete.
  func find(_ message: ArraySlice<UInt8>, sdk: String? = nil, isWhole: Bool = false) -> Finding {
    if let quoted = quoted(in: message, sdk: sdk) { return .event(quoted) }
    if let object = object(in: message) { return object }
    let stripped = StackFrames.without(message)
    let message = SwiftText.withoutOptionals(stripped).map { $0[...] } ?? stripped
    if RequestPath.isPreflight(message) { return .nothing }
    if let request = request(in: message, sdk: sdk) { return .event(request) }
    if let texts = JSONTexts(of: message) {
      return texts.first { words(in: StackFrames.without($0), sdk: sdk) }.map(Finding.event) ?? .nothing
    }
    guard let event = words(in: message, sdk: sdk) else { return .nothing }
    return !isWhole && MultilineArguments.begin(in: message) ? .openObject(event) : .event(event)
  }

  // What the message of a logfmt line is as a whole: an object, a request, a sentence. A callback has the pairs
  // beside the message as arguments too.
  private func quoted(in line: ArraySlice<UInt8>, sdk: String?) -> RawEvent? {
    guard let (text, start) = QuotedMessage.text(of: line) else { return nil }
    var found: RawEvent?
    if case .event(let object) = object(in: text) { found = object }
    found = found ?? request(in: text, sdk: sdk) ?? pattern(in: text, sdk: sdk)
    guard var event = found, event.specificity != .generic else { return nil }
    event.owner = event.owner.within(LineAttribution(around: start, in: line))
    return event
  }

  /// Interprets an event of a run log whose name is a sentence, as structlog and Splunk's collector write it,
  /// by its words.
  func worded(_ event: RawEvent) -> RawEvent {
    guard event.raw.contains(" ") || event.raw.contains("(") && !event.raw.hasSuffix("()"),
      let found = words(in: StackFrames.without(Array(event.raw.utf8)[...]), sdk: event.sdk)
    else { return event }
    var event = event
    event.raw = found.raw
    event.arguments = found.arguments.adding(event.arguments)
    if event.sdk == nil, found.specificity == .own { event.sdk = found.sdk }
    return event
  }

  /// Whether a word is the name of an event: one that only an SDK uses, or any name of the log's own SDK.
  func isName(_ raw: String, of sdk: String? = nil) -> Bool {
    let name = LogName.normal(raw)
    return dialects.all.contains { dialect in
      dialect.events[name] != nil && (dialect.sdk == sdk || !dialect.generic.contains(name))
    }
  }

  // The event found in the words: what an SDK prints itself, a callback, or what applications print about
  // one.
  private func words(in message: ArraySlice<UInt8>, sdk: String?) -> RawEvent? {
    let pattern = pattern(in: message, sdk: sdk)
    if let pattern, pattern.specificity != .generic { return pattern }
    let callback = callback(in: message, sdk: sdk)
    // A name that any application may print counts only if there is nothing else on the line.
    return callback?.specificity == .generic ? pattern ?? callback : callback ?? pattern
  }

  /// Whether a line is about a request that a dialect knows.
  func isRequest(_ message: ArraySlice<UInt8>) -> Bool { request(in: message, sdk: nil) != nil }

  private func request(in message: ArraySlice<UInt8>, sdk: String?) -> RawEvent? {
    RequestPath.first(in: message) { segments, place in
      let events = dialects.all.compactMap { dialect in
        dialect.paths.lazy.compactMap { path -> RawEvent? in
          guard var ids = path.match(segments) else { return nil }
          ids = ids.adding(path.headIDs(segments, dialect.pathHeads))
          let answer = RequestAnswer(to: place, in: message)
          var event = RawEvent(raw: path.raw, arguments: ids.adding(answer.arguments), sdk: dialect.sdk)
          event.request = LoggedRequests.Line(
            path: segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"),
            kind: answer.isAlone ? .answer : answer.status == nil ? .question : .whole,
            mayHaveBody: answer.isAlone && !answer.hasBody)
          event.owner = LineAttribution(around: place.lowerBound, in: message)
          return event
        }.first
      }
      return choose(from: events, sdk: sdk)
    }
  }

  private func pattern(in message: ArraySlice<UInt8>, sdk: String?) -> RawEvent? {
    var tried = 0
    let found = dialects.patterns.matches(in: message, dialects.all, tried: &tried)
    if found.isEmpty { return nil }
    let events = found.compactMap { dialect, pattern, arguments, place in
      var raw = pattern.raw
      var isGeneric = pattern.isGeneric
      if raw.first == "{", let name = arguments.text(String(raw.dropFirst().dropLast())) {
        raw = name
        // A distinctive name identifies the SDK regardless of who prints it.
        isGeneric = isGeneric && !(dialect.isOwn(name) && Self.looksLikeName(Array(name.utf8)[...]))
      }
      var event = event(raw, arguments, in: dialect, isGeneric: isGeneric)
      event?.owner = LineAttribution(around: place, in: message)
      event?.isSentence = pattern.isSentence && dialect.everywhere.isEmpty
      return event
    }
    return choose(from: events, sdk: sdk)
  }

  // An object as the SDK prints it, after a dialect's marker or at the start of a line.
  private func object(in message: ArraySlice<UInt8>) -> Finding? {
    guard let start = objectStart(in: message) else { return nil }
    let text = message[start...]
    guard let end = LenientObject.end(of: text) else {
      // The object continues on the next lines if the line ends with its bracket, or if it is certainly a
      // frame.
      let isBare = text.dropFirst().allSatisfy { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: "{") }
      return isBare || text.contains(UInt8(ascii: "\n")) || ByteSearch.contains("control", in: text)
        ? .openObject(nil) : nil
    }
    guard let members = LenientObject.members(text[..<end]),
      var event = KandyInfo.event(members, timeMs: nil, line: nil)
        ?? OracleFrame.event(members, timeMs: nil, line: nil, behind: message[..<start])
    else { return nil }
    event.owner = LineAttribution(around: start, in: message)
    return .event(event)
  }

  private func objectStart(in message: ArraySlice<UInt8>) -> Int? {
    func isOpening(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }
    guard let first = message.firstIndex(where: { $0 > UInt8(ascii: " ") }),
      message.contains(where: isOpening)
    else {
      return nil
    }
    if message[first] == UInt8(ascii: "{") { return first }
    for marker in dialects.objects {
      guard let behind = ByteSearch.end(of: marker, in: message) else { continue }
      if let start = message[behind...].prefix(40).firstIndex(where: isOpening) { return start }
    }
    return nil
  }

  // The maximum number of names on a line whose arguments are read. A line with more does not report a single
  // event.
  private static let maxNames = 64

  // Returns the first word that is a name of the log's own SDK, or of a possible one, with what follows as
  // arguments. A name that any application may use counts only if there is no other on the line, and only for
  // the log's own SDK.
  private func callback(in message: ArraySlice<UInt8>, sdk: String?) -> RawEvent? {
    var generic: RawEvent?
    var names = 0
    var at = message.startIndex
    while names < Self.maxNames, let start = message[at...].firstIndex(where: Self.isNameByte) {
      let end = message[start...].firstIndex { !Self.isNameByte($0) } ?? message.endIndex
      at = end
      if let dotted = DottedWord.end(of: start..<end, in: message, dialects),
        sdk == nil || sdk == DottedWord.sdk
      {
        var event = DottedWord.event(start..<dotted, in: message, isExpected: sdk != nil)
        event.owner = LineAttribution(around: start, in: message)
        return event
      }
      let isCalled = end < message.endIndex && message[end] == UInt8(ascii: "(")
      // `call.hangup` does not identify an SDK, but is a method of the call if the SDK is known.
      let receiver = MethodCall.receiver(of: start..<end, in: message)
      let isMethod =
        receiver != nil
        || message[start..<end].contains(UInt8(ascii: "."))
          && (isCalled || sdk != nil && PlainEventName.standsAlone(end, in: message))
      let isName =
        receiver != nil || end - start >= 6 && (isMethod || Self.looksLikeName(message[start..<end]))
      guard isName || PlainEventName.mayBeName(start..<end, in: message),
        dialects.names.mayHold(message[start..<end])
      else { continue }
      let name = String(decoding: message[start..<end], as: UTF8.self)
      let parts = isName ? (receiver.map { Self.parts(of: $0) } ?? []) + Self.parts(of: name) : []
      let meant = dialects.all.compactMap { dialect in
        (isName
          ? known(name, parts, in: dialect, isMethod: isMethod) : dialect.plain.contains(name) ? name : nil)
          .map { (raw: $0, dialect: dialect) }
      }
      if meant.isEmpty { continue }
      names += 1
      let place = NamePlace(line: message, word: start..<end)
      let events = meant.compactMap { raw, dialect in
        event(
          raw, place.arguments(of: raw), in: dialect,
          isGeneric: !isName || isMethod && !isCalled && receiver == nil
            || dialect.generic.contains(LogName.normal(raw)))
      }
      guard var event = choose(from: events, sdk: sdk) else { continue }
      event.owner = LineAttribution(around: start, in: message)
      if event.specificity != .generic { return event }
      generic = generic ?? event
    }
    return generic
  }

  // The event that a name with its arguments is in one dialect; nil if it belongs to another application.
  private func event(
    _ raw: String, _ arguments: LogArguments, in dialect: Dialect, isGeneric: Bool
  ) -> RawEvent? {
    var event = RawEvent(raw: raw, arguments: arguments, sdk: dialect.sdk)
    if let known = dialect.isEverywhere(raw, arguments) {
      event.specificity = .shared
      return known ? event : nil
    }
    guard let entry = dialect.events[LogName.normal(raw)], !entry.enumerations.isEmpty else {
      event.specificity = isGeneric ? .generic : .own
      return event
    }
    // The state passed to a callback says more than its name.
    let choice = dialect.stateChoice(of: entry, in: arguments)
    switch choice?.spelling {
    case .prefixed: event.specificity = .own
    // If the name says nothing, the state must be one that only this SDK has.
    case .word where isGeneric:
      event.specificity = dialects.count(withState: choice?.state ?? "") == 1 ? .shared : .generic
    case .word: event.specificity = .own
    case .number where !isGeneric: event.specificity = .own
    case nil where !isGeneric: event.specificity = entry.events.isEmpty ? .generic : .own
    default: return nil
    }
    return event
  }

  // If several SDKs know the line, the log's own SDK wins, else the first that the line identifies.
  private func choose(from events: [RawEvent], sdk: String?) -> RawEvent? {
    if var own = events.first(where: { $0.sdk == sdk }) {
      own.specificity = .own
      return own
    }
    let specific = events.filter { event in
      event.specificity == .own
        || event.specificity == .shared
          && (sdk == nil || dialects.dialect(event.sdk)?.everywhere.isEmpty == false)
    }
    guard var first = specific.first else { return sdk == nil ? events.first : nil }
    if specific.count > 1 { first.specificity = .shared }
    return first
  }

  // The parts between dots and colons, as written and as normalised names.
  private static func parts(of word: String) -> [(text: Substring, name: String)] {
    word.utf8.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
      .map { (Substring($0), LogName.normal(Substring($0))) }
  }

  private func known(
    _ word: String, _ parts: [(text: Substring, name: String)], in dialect: Dialect, isMethod: Bool
  ) -> String? {
    // A callback's meaning may depend on the kind of object that receives it.
    if parts.count > 1,
      let own = dialect.receivers.first(where: { own in
        own.name == parts[parts.count - 1].name && parts[parts.count - 2].name.hasSuffix(own.receiver)
      })
    {
      return own.raw
    }
    if let part = parts.last(where: { part in
      dialect.events[part.name] != nil && part.text.utf8.count >= 6
        && Self.looksLikeName(Array(part.text.utf8)[...])
    }) {
      return String(part.text)
    }
    // `call.hold()`, `self.currentCall.resume()`: a method of a call may have an ordinary word as its name.
    if isMethod, parts.count > 1, parts[parts.count - 2].name.hasSuffix("call"),
      let last = parts.last, dialect.events[last.name] != nil
    {
      return String(last.text)
    }
    let isValue = dialect.enums.contains { dialect.value(word, of: $0, allowBare: false) != nil }
    return isValue ? word : nil
  }

  // Identifiers have capitals inside or underscores; ordinary words do not.
  private static func looksLikeName(_ word: ArraySlice<UInt8>) -> Bool {
    let tail = word.dropFirst()
    let hasCapital = tail.contains(where: \.isASCIICapital)
    return hasCapital || tail.contains(UInt8(ascii: "_"))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIWord
      || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: ".")
  }
}

/// A method call in different languages: `call->Hold()` in C++, `call?.hold()` in Swift, `[call hold]` in
/// Objective-C. With only a dot, object and method are one word, and what precedes need not be examined.
enum MethodCall {
  /// The maximum length of an object's name.
  private static let longest = 64

  /// The object whose method a word is; nil if it is not a method call.
  static func receiver(of word: Range<Int>, in line: ArraySlice<UInt8>) -> String? {
    let next = line[word.upperBound...].first
    let before = line[..<word.lowerBound]
    if next == UInt8(ascii: "(") {
      if line[word.lowerBound] == UInt8(ascii: "."), let mark = before.last,
        mark == UInt8(ascii: "?") || mark == UInt8(ascii: "!")
      {
        return name(endingAt: before.endIndex - 1, in: line)
      }
      guard before.suffix(2).elementsEqual("->".utf8) else { return nil }
      return name(endingAt: before.endIndex - 2, in: line)
    }
    // An Objective-C message ends with its bracket or has arguments; a selector with a colon is long enough
    // to be distinctive.
    guard next == UInt8(ascii: "]"), before.last == UInt8(ascii: " "),
      let object = name(endingAt: before.endIndex - 1, in: line)
    else { return nil }
    let start = before.endIndex - 1 - object.utf8.count
    return start > line.startIndex && line[start - 1] == UInt8(ascii: "[") ? object : nil
  }

  private static func name(endingAt end: Int, in line: ArraySlice<UInt8>) -> String? {
    let name = line[..<end].suffix(longest).reversed().prefix { $0.isASCIIWord || $0 == UInt8(ascii: ".") }
    return name.isEmpty ? nil : String(decoding: name.reversed(), as: UTF8.self)
  }
}
