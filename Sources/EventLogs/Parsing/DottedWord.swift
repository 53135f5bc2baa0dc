import CallModel
import LogText

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
      EventVocabulary.contains(text)
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
