import Bytes

/// The console output of a page, without the framing added by the browser or its driver:
/// - Chromium's log, Android's WebView: `INFO:CONSOLE(88)] "text", source: https://… (88)`, after the timestamp;
/// - Safari's console: `text (call.js, line 88)`;
/// - ChromeDriver's browser log: `https://app.example/call.js 4:120 "text"`, Firefox's output: `console.log: "text"`.
/// Each string is a JavaScript string with its escapes.
enum ConsoleFrame {
  /// Longest text before Chromium's `CONSOLE(88)] "`, and before ChromeDriver's and Firefox's first quote.
  private static let longestHead = 200
  private static let longestAddress = 4096

  /// The text of the page; the whole line if it has no frame.
  static func text(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.withUnsafeBufferPointer { bytes in
      guard let first = bytes.first, first > 0 else { return line }
      if let start = behindChromiumHead(bytes) {
        let end = max(start, endOfText(bytes) ?? bytes.count)
        return line[(line.startIndex + start)..<(line.startIndex + end)]
      }
      // A multi-line text ends on another line than it begins.
      if let end = endOfText(bytes) ?? endBeforePlace(bytes) { return line[..<(line.startIndex + end)] }
      return quoted(bytes) ?? line
    }
  }

  // After `CONSOLE(88)] "`, or `CONSOLE:88] "` in later versions.
  private static func behindChromiumHead(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    let head = UnsafeBufferPointer(rebasing: line.prefix(longestHead))
    guard let word = ByteSearch.find("CONSOLE", in: head), word + 7 < head.count else { return nil }
    var at = word + 8
    while at < head.count, head[at].isASCIIDigit { at += 1 }
    switch head[word + 7] {
    case UInt8(ascii: "(") where at < head.count && head[at] == UInt8(ascii: ")"): at += 1
    case UInt8(ascii: ":"): break
    default: return nil
    }
    guard ByteSearch.find("] \"", in: UnsafeBufferPointer(rebasing: head[min(at, head.count)...])) == 0 else {
      return nil
    }
    return at + 3
  }

  // The start of `", source: https://… (88)` at the end of a line.
  private static func endOfText(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.last == UInt8(ascii: ")"), let open = line.lastIndex(of: UInt8(ascii: "(")),
      line[(open + 1)...].dropLast().allSatisfy(\.isASCIIDigit)
    else { return nil }
    var end: Int?
    while let next = ByteSearch.find("\", source: ", in: line, from: end.map { $0 + 1 } ?? 0) { end = next }
    return end
  }

  // The start of Safari's ` (call.js, line 88)` at the end of a line.
  private static func endBeforePlace(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.last == UInt8(ascii: ")"), let open = line.lastIndex(of: UInt8(ascii: "(")), open > 0,
      line[open - 1] == UInt8(ascii: " "), line.count - open <= longestHead
    else { return nil }
    let place = line[(open + 1)...].dropLast()
    let digits = place.reversed().prefix(while: \.isASCIIDigit).count
    let name = place.dropLast(digits)
    guard digits > 0, name.count > wordLine.count, name.suffix(wordLine.count).elementsEqual(wordLine)
    else { return nil }
    return open - 1
  }

  private static let wordLine = Array(", line ".utf8)

  // The concatenated JavaScript strings after the source position.
  private static func quoted(_ line: UnsafeBufferPointer<UInt8>) -> ArraySlice<UInt8>? {
    let quote = UInt8(ascii: "\"")
    guard line.last == quote, let start = line.prefix(longestAddress).firstIndex(of: quote),
      isPlaceOfPrint(line[..<start])
    else { return nil }
    var text: [UInt8] = []
    var scanner = JSONScanner(line)
    scanner.position = start
    while scanner.position < line.count {
      guard line[scanner.position] == quote else {
        text.append(line[scanner.position])
        scanner.position += 1
        continue
      }
      guard let string = try? scanner.string() else { return nil }
      text += string.decoded()
    }
    return text[...]
  }

  // `https://app.example/call.js 4:120 `, `console-api 4:120 `, `console.log: `.
  private static func isPlaceOfPrint(_ head: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let words = head.split(separator: UInt8(ascii: " "))
    guard head.last == UInt8(ascii: " "), let last = words.last else { return false }
    if last.starts(with: "console.".utf8), last.last == UInt8(ascii: ":") { return true }
    guard let address = words.dropLast().last, last.contains(UInt8(ascii: ":")),
      last.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ":") })
    else { return false }
    return address.elementsEqual("console-api".utf8)
      || ByteSearch.find("://", in: UnsafeBufferPointer(rebasing: address)) != nil
  }

}
