import Bytes
/// Removes stack frames from a text. They name methods at the place of a call, which does not mean that a
/// callback was received.
///
/// Formats: Java, Kotlin, JavaScript and .NET (`at com.example.CallActivity.onEnded(CallActivity.java:12)`,
/// `at Call.onEnded (/app/call.js:20:3)`, `at Rem.CallWindow.OnEnded() in C:\src\CallWindow.cs:line 71`),
/// Safari, Firefox and Chromium's console (`onEnded@https://…/call.js:20:3`, `onEnded @ call.js:20`), Swift
/// and Objective-C (`3  MyPhone  0x0000000104 -[Call onEnded:] + 44`), Dart, PHP and Android's native frames
/// (`#0      Call.onEnded (…)`), Python (`File "call.py", line 3, in on_ended`).
enum StackFrames {
  /// The maximum length of a parameter list or source location.
  private static let longestPlace = 512

  /// Returns the text without stack frames. Each is removed from its start to the end of its line.
  static func without(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(UInt8(ascii: "\n")) else { return start(in: text).map { text[..<$0] } ?? text }
    var kept: [UInt8] = []
    var hasFrames = false
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let start = start(in: line)
      hasFrames = hasFrames || start != nil
      kept += start.map { line[..<$0] } ?? line
      kept.append(UInt8(ascii: "\n"))
    }
    return hasFrames ? kept.dropLast() : text
  }

  // Returns where a frame starts on a line.
  private static func start(in line: ArraySlice<UInt8>) -> Int? {
    var end = line
    while let last = end.last,
      last <= UInt8(ascii: " ") || last == UInt8(ascii: ",") || last == UInt8(ascii: "\"")
    { end.removeLast() }
    guard let last = end.last, let first = end.firstIndex(where: { $0 > UInt8(ascii: " ") }) else {
      return nil
    }
    let text = end[first...]
    // Every frame ends with a source location, a bracket, a number, or the name that Python puts last.
    if last == UInt8(ascii: ")") || last == UInt8(ascii: ">") || last.isASCIIDigit {
      if let start = behindAt(line, upTo: text.endIndex) ?? numbered(text, of: line) ?? addressed(text) {
        return start
      }
      if last.isASCIIDigit, let start = signed(text) { return start }
    }
    return python(text)
  }

  // After `at `: a method and its location, or only the location.
  private static func behindAt(_ line: ArraySlice<UInt8>, upTo end: Int) -> Int? {
    var from = line.startIndex
    while let found = ByteSearch.end(of: "at ", in: line[from..<end]) {
      from = found
      let start = found - 3
      let isHead = line[..<start].allSatisfy { $0 <= UInt8(ascii: " ") }
      guard isHead || line[start - 1] <= UInt8(ascii: " ") else { continue }
      let isIndented =
        isHead || line[start - 1] == UInt8(ascii: "\t")
        || start - 2 >= line.startIndex && line[start - 2] == UInt8(ascii: " ")
      if isFrame(line[found..<end], isIndented: isIndented) { return start }
    }
    return nil
  }

  private static func isFrame(_ text: ArraySlice<UInt8>, isIndented: Bool) -> Bool {
    var rest = text.drop { $0 == UInt8(ascii: " ") }
    for word in ["async ", "new "] where rest.starts(with: word.utf8) {
      rest = rest.dropFirst(word.utf8.count)
    }
    let name = rest.prefix { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "(") }
    guard !name.isEmpty else { return false }
    if name.endIndex == text.endIndex { return isIndented && isPlace(name, parts: 2) }
    guard let open = rest[name.endIndex...].prefix(longestPlace).firstIndex(of: UInt8(ascii: "(")),
      let close = rest[open...].prefix(longestPlace).lastIndex(of: UInt8(ascii: ")"))
    else { return false }
    let inner = rest[(open + 1)..<close]
    if isPlace(inner, parts: 1) || noPlaces.contains(String(decoding: inner, as: UTF8.self)) { return true }
    // A file without a line number, or a .NET method with or without its file.
    if [".java", ".kt", ".scala"].contains(where: { inner.reversed().starts(with: $0.utf8.reversed()) }) {
      return true
    }
    let behind = rest[close...].prefix(longestPlace)
    if ByteSearch.contains(") in ", in: behind) || ByteSearch.contains(":line ", in: behind) { return true }
    return isIndented && close + 1 == text.endIndex && name.contains(UInt8(ascii: "."))
  }

  private static let noPlaces: Set = [
    "Native Method", "Unknown Source", "<anonymous>", "native", "native code",
  ]

  // A file or URL followed by a line number, and possibly a column.
  private static func isPlace(_ text: ArraySlice<UInt8>, parts: Int) -> Bool {
    var rest = text
    for _ in 0..<parts {
      let digits = rest.reversed().prefix(while: \.isASCIIDigit).count
      guard digits > 0, rest.dropLast(digits).last == UInt8(ascii: ":") else { return false }
      rest = rest.dropLast(digits + 1)
    }
    return rest.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") }
      && !rest.contains(UInt8(ascii: "="))
  }

  // `#0      Call.onEnded (package:app/call.dart:10:3)`, `#00 pc 000000000004f6 /lib/libcall.so (onEnded+12)`.
  private static func numbered(_ text: ArraySlice<UInt8>, of line: ArraySlice<UInt8>) -> Int? {
    guard let mark = text.firstIndex(of: UInt8(ascii: "#")),
      mark == line.startIndex || line[mark - 1] <= UInt8(ascii: " ")
    else {
      return nil
    }
    let behind = text[(mark + 1)...].drop(while: \.isASCIIDigit)
    guard behind.startIndex > mark + 1 else { return nil }
    let isFrame =
      behind.starts(with: "  ".utf8) || behind.starts(with: " pc ".utf8) || behind.starts(with: " /".utf8)
    return isFrame ? mark : nil
  }

  // `onEnded@https://app.example/call.js:20:3`, `onEnded @ call.js:20`.
  private static func addressed(_ text: ArraySlice<UInt8>) -> Int? {
    guard let mark = text.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    let place = text[(mark + 1)...]
    if place.first == UInt8(ascii: " "), mark > text.startIndex, text[mark - 1] == UInt8(ascii: " ") {
      let file = place.dropFirst()
      guard isPlace(file, parts: 1), !file.contains(UInt8(ascii: " ")) else { return nil }
      return wordStart(in: text[..<(mark - 1)])
    }
    guard isPlace(place, parts: 2), !place.contains(UInt8(ascii: " ")) else { return nil }
    return wordStart(in: text[..<mark])
  }

  private static func wordStart(in text: ArraySlice<UInt8>) -> Int {
    text.lastIndex { $0 <= UInt8(ascii: " ") }.map { $0 + 1 } ?? text.startIndex
  }

  // `3   MyPhone   0x0000000104bd8000 -[CallController onEnded:] + 44`.
  private static func signed(_ text: ArraySlice<UInt8>) -> Int? {
    let offset = text.reversed().prefix(while: \.isASCIIDigit).count
    guard text.dropLast(offset).reversed().starts(with: " + ".utf8),
      let behind = ByteSearch.end(of: " 0x", in: text)
    else { return nil }
    let digits = text[behind...].prefix(while: \.isASCIIHexDigit)
    guard digits.count >= 6, text[digits.endIndex...].first == UInt8(ascii: " ") else { return nil }
    return behind - 3
  }

  private static func python(_ text: ArraySlice<UInt8>) -> Int? {
    guard let end = ByteSearch.end(of: "File \"", in: text),
      ByteSearch.contains("\", line ", in: text[end...])
    else {
      return nil
    }
    return end - 6
  }

}
