import Bytes

/// The JSON at the end of a line of text, behind a collector's time, a level, a host, a file or a label.
enum JSONTail {
  /// Most places at which it may begin.
  private static let mostTries = 4
  /// Longest text behind it: consoles put the place in the source there.
  private static let longestEnd = 96

  /// The bytes of an object or a list; nil where the line ends with none.
  static func find(in line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    var tries = 0
    var at = 0
    while tries < mostTries, let start = opening(in: line, from: at) {
      tries += 1
      at = start + 1
      var scanner = JSONScanner(line)
      scanner.position = start
      guard (try? scanner.skip()) != nil, isEnd(behindQuote(line, start, scanner.position)) else { continue }
      return UnsafeBufferPointer(rebasing: line[start..<scanner.position])
    }
    return nil
  }

  // An object with members, or a list of objects, lists or texts.
  private static func opening(in line: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var at = start
    while at < line.count {
      defer { at += 1 }
      let isList = line[at] == UInt8(ascii: "[")
      guard isList || line[at] == UInt8(ascii: "{") else { continue }
      guard let next = line[(at + 1)...].first(where: { $0 > UInt8(ascii: " ") }) else { return nil }
      if next == UInt8(ascii: "\"") || isList && (next == UInt8(ascii: "{") || next == UInt8(ascii: "[")) {
        return at
      }
    }
    return nil
  }

  // What stands behind it, and behind the quote that stands on both sides of it.
  private static func behindQuote(
    _ line: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    guard start > 0, end < line.count, line[end] == line[start - 1], "\"'`".utf8.contains(line[end])
    else { return line[end...] }
    return line[(end + 1)...]
  }

  private static func isEnd(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = rest.first else { return true }
    return first <= UInt8(ascii: " ") && rest.count <= longestEnd
      && !rest.contains { "\"[]{}".utf8.contains($0) }
  }
}
