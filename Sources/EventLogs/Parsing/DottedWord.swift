import CallModel
import LogText

/// A name with a dot in a line of text, as applications call what happens to their calls: the vocabulary itself (`call.early-media`), or
/// words that mean the same (`call.start`, `call.hangup`). The dot makes a name of it that prose has not.
enum DottedWord {
  /// Whose dialect has the words.
  static let sdk = "w3c"
  // Of these, other programs than calls have names too: they tell what they mean, and not that the log is of calls.
  private static let common: Set<String> = ["app", "session", "network", "push", "token", "media"]

  /// Where the name ends that begins with a word; nil where it is none.
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
    // What ends a sentence or begins the arguments is none of it.
    while let last = line[word.lowerBound..<end].last, ".:-".utf8.contains(last) { end -= 1 }
    let name = line[word.lowerBound..<end]
    guard
      name.allSatisfy({ $0.isASCIISmall || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == 0x5F }
      ),
      name.count(where: { $0 == UInt8(ascii: ".") }) == 1
    else { return nil }
    let text = String(decoding: name, as: UTF8.self)
    let isKnown =
      EventVocabulary.contains(text)
      || text.hasPrefix("call.") && dialects.dialect(sdk)?.events[LogName.normal(text)] != nil
    return isKnown ? end : nil
  }

  /// The event of a name.
  /// - Parameter isTold: whether the log is known to be one of such names.
  static func event(_ name: Range<Int>, in line: ArraySlice<UInt8>, isTold: Bool) -> RawEvent {
    let raw = String(decoding: line[name], as: UTF8.self)
    var event = RawEvent(raw: raw, arguments: LenientArguments.read(line[name.upperBound...]), sdk: sdk)
    event.telling = isTold ? .own : common.contains(String(raw.prefix { $0 != "." })) ? .generic : .shared
    return event
  }
}
