/// Decides whether a plain word (`disconnect`) can be the name of an event.
public enum PlainEventName {
  /// Maximum length of such a word, bytes.
  private static let longest = 32

  /// Whether an object or a list follows the word (`disconnect {reason: "…"}`), or follows a name of its own if the
  /// word is the value of a name: `event=disconnect data={"reason":"…"}`, `event: disconnect, data: {…}`.
  public static func mayBeName(_ word: Range<Int>, in line: ArraySlice<UInt8>) -> Bool {
    guard word.count <= longest else { return false }
    let behind = line[word.upperBound...]
    if behind.first == UInt8(ascii: " "), isOpening(afterBlanks(behind)) { return true }
    let before = line[..<word.lowerBound].last { $0 > UInt8(ascii: " ") }
    guard before == UInt8(ascii: "=") || before == UInt8(ascii: ":") else { return false }
    let rest = afterBlanks(behind.first == UInt8(ascii: ",") ? behind.dropFirst() : behind)
    guard rest.startIndex > word.upperBound else { return false }
    let name = rest.prefix(longest).prefix { $0.isASCIIWord }
    guard !name.isEmpty, let mark = line[name.endIndex...].first,
      mark == UInt8(ascii: "=") || mark == UInt8(ascii: ":")
    else { return false }
    return isOpening(afterBlanks(line[(name.endIndex + 1)...]))
  }

  /// Whether a word ends here, without a value assigned to it.
  public static func standsAlone(_ end: Int, in line: ArraySlice<UInt8>) -> Bool {
    guard let next = line[end...].first else { return true }
    guard next <= UInt8(ascii: " ") || ",;\"'".utf8.contains(next) else { return false }
    return afterBlanks(line[end...]).first.map { $0 != UInt8(ascii: "=") } ?? true
  }

  private static func afterBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 <= UInt8(ascii: " ") }
  }

  private static func isOpening(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[")
  }
}
