import Bytes
import CallModel
import LogText

/// The position of a word with an SDK's name in a line, and what belongs to it.
struct NamePlace {
  let line: ArraySlice<UInt8>
  let word: Range<Int>

  /// What follows the name; for a name in a request's path, the answer to the request.
  func arguments(of name: String) -> LogArguments {
    if word.lowerBound > line.startIndex, line[word.lowerBound - 1] == UInt8(ascii: "/") {
      let path = word.lowerBound..<RequestPath.end(in: line, from: word.upperBound)
      return RequestAnswer(to: path, in: line).arguments
    }
    let end = behindQuote(end(of: name))
    guard let close = QuotedMessage.end(around: word.lowerBound, in: line), close >= end else {
      return LenientArguments.read(line[end...])
    }
    return LenientArguments.read(QuotedMessage.unescaped(line[end..<close])).adding(
      LenientArguments.read(line[(close + 1)...]))
  }

  // A console that prints each of its arguments in quotes puts a comma between them: `'onDialFailed', 'BUSY'`
  // (React Native, Node).
  private func behindQuote(_ end: Int) -> Int {
    guard end == word.upperBound, end < line.endIndex, "'\"".utf8.contains(line[end]),
      word.lowerBound > line.startIndex,
      line[word.lowerBound - 1] == line[end], line[(end + 1)...].first == UInt8(ascii: ",")
    else { return end }
    return end + 2
  }

  // A selector's first value directly follows its name, in the same word: `uc:willRetryConnectionNumber:1
  // in:0.5`.
  private func end(of name: String) -> Int {
    var end = word.upperBound
    while end > word.lowerBound {
      let mark = line[word.lowerBound..<end].lastIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
      let start = mark.map { $0 + 1 } ?? word.lowerBound
      if line[start..<end].elementsEqual(name.utf8) {
        let isValue = end < word.upperBound && line[end] == UInt8(ascii: ":")
        return isValue
          ? line[end..<word.upperBound].firstIndex { $0 != UInt8(ascii: ":") } ?? word.upperBound
          : word.upperBound
      }
      end = mark ?? word.lowerBound
    }
    return word.upperBound
  }
}

/// The quoted message of a logfmt line: `time=… msg="onStatusChanged: BUSY" callId=c-1`.
enum QuotedMessage {
  /// The end of the message that contains a position; nil if it is not in one.
  static func end(around place: Int, in line: ArraySlice<UInt8>) -> Int? {
    let front = line[..<place]
    guard let open = start(in: front), let quote = close(of: open, in: line) else { return nil }
    return quote >= place ? quote : nil
  }

  /// The message of a line of pairs (`level=info msg="…"`), without its escapes, and where it begins; nil if it
  /// is no such line.
  static func text(of line: ArraySlice<UInt8>) -> (text: ArraySlice<UInt8>, start: Int)? {
    guard let open = start(in: line), let close = close(of: open, in: line) else { return nil }
    let words = line[..<open].split { $0 <= UInt8(ascii: " ") }
    guard words.allSatisfy({ $0.contains(UInt8(ascii: "=")) }) else { return nil }
    return (unescaped(line[open..<close]), open)
  }

  /// A text without the escapes of JSON's strings, which logfmt has too.
  static func unescaped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(UInt8(ascii: "\\")) else { return text }
    let quote = [UInt8(ascii: "\"")]
    return (quote + text + quote).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.string())?.decoded()[...] ?? text
    }
  }

  private static func start(in line: ArraySlice<UInt8>) -> Int? {
    guard line.contains(UInt8(ascii: "\"")) else { return nil }
    return [" msg=\"", " message=\""].lazy.compactMap { ByteSearch.end(of: $0, in: line) }.first
  }

  private static func close(of open: Int, in line: ArraySlice<UInt8>) -> Int? {
    var at = open
    while let quote = line[at...].firstIndex(of: UInt8(ascii: "\"")) {
      if quote == open || line[quote - 1] != UInt8(ascii: "\\") { return quote }
      at = quote + 1
    }
    return nil
  }
}

/// A name with a dot in a line of text that an application uses for a call event: one of our own vocabulary
/// (`call.early-media`), or a synonym (`call.start`, `call.hangup`). The dot distinguishes it from prose.
enum DottedWord {
  /// The dialect that has the words.
  static let sdk = "w3c"
  // Programs other than phones use names with these first words too. They have their meaning, but do not show
  // that the log is about calls.
  private static let common: Set<String> = ["app", "session", "network", "push", "token", "media"]

  /// The end of the name that begins with a word; nil if it is not such a name.
  static func end(of word: Range<Int>, in line: ArraySlice<UInt8>, _ dialects: Dialects) -> Int? {
    guard word.count <= 40, line[word].contains(UInt8(ascii: ".")), line[word.lowerBound].isASCIISmall,
      word.lowerBound == line.startIndex || line[word.lowerBound - 1] != UInt8(ascii: "-")
    else { return nil }
    var end = word.upperBound
    while end < line.endIndex, end < word.lowerBound + 40,
      line[end] == UInt8(ascii: "-") || line[end].isASCIISmall
    {
      end += 1
    }
    // The end of a sentence or the start of the arguments is not part of the name.
    while let last = line[word.lowerBound..<end].last, ".:-".utf8.contains(last) { end -= 1 }
    let name = line[word.lowerBound..<end]
    guard
      name.allSatisfy({ $0.isASCIISmall || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == 0x5F }
      ),
      name.count(where: { $0 == UInt8(ascii: ".") }) == 1
    else { return nil }
    let text = String(decoding: name, as: UTF8.self)
    let isKnown =
      EventName(rawValue: text) != nil
      || text.hasPrefix("call.") && dialects.dialect(sdk)?.events[LogName.normal(text)] != nil
    return isKnown ? end : nil
  }

  /// The event with a name.
  /// - Parameter isExpected: Whether the log is known to use such names.
  static func event(_ name: Range<Int>, in line: ArraySlice<UInt8>, isExpected: Bool) -> RawEvent {
    let raw = String(decoding: line[name], as: UTF8.self)
    var event = RawEvent(raw: raw, arguments: LenientArguments.read(line[name.upperBound...]), sdk: sdk)
    event.specificity =
      isExpected ? .own : common.contains(String(raw.prefix { $0 != "." })) ? .generic : .shared
    return event
  }
}
