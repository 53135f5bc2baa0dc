import Bytes
import LogText

/// Joins statistics that a program printed with indentation over several lines:
/// `console.log(JSON.stringify(stats, null, 2))`.
///
/// An object that opens at the end of a line continues as long as lines look like JSON. If it turns out not
/// to be statistics, the lines are passed on unchanged.
struct MultilineJSONJoiner {
  /// The maximum length of an open object, in bytes.
  private let longest: Int
  private var held: [UInt8] = []
  /// Its lines: where each ends, its number, and the offset of its first byte in the source.
  private var lines: [(end: Int, number: Int, offset: Int)] = []
  /// The joined text.
  private var joined: [UInt8] = []
  private var depth = 0

  init(longest: Int) { self.longest = longest }

  /// Passes on complete lines, with the number and offset of the first of their lines.
  mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int,
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) rethrows {
    if lines.isEmpty {
      depth = Self.opened(atEndOf: bytes)
      guard depth > 0 else { return try give(bytes, number, offset) }
      hold(bytes, bytes[...], number, offset)
      return
    }
    let text = Self.withoutStamp(bytes)
    guard held.count + bytes.count <= longest, let change = Self.change(in: text), depth + change >= 0 else {
      try finish(give)
      return try take(bytes, number: number, offset: offset, give)
    }
    hold(bytes, text, number, offset)
    depth += change
    guard depth == 0 else { return }
    guard Self.areStatistics(joined), let first = lines.first else { return try finish(give) }
    let whole = joined
    forget()
    try whole.withUnsafeBufferPointer { try give($0, first.number, first.offset) }
  }

  /// Passes on what is still open, unchanged.
  mutating func finish(
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) rethrows {
    let (held, lines) = (held, lines)
    forget()
    try held.withUnsafeBufferPointer { held in
      var start = 0
      for line in lines {
        try give(UnsafeBufferPointer(rebasing: held[start..<line.end]), line.number, line.offset)
        start = line.end
      }
    }
  }

  private mutating func hold(
    _ bytes: UnsafeBufferPointer<UInt8>, _ text: Slice<UnsafeBufferPointer<UInt8>>, _ number: Int,
    _ offset: Int
  ) {
    held += bytes
    lines.append((held.count, number, offset))
    joined += text
  }

  private mutating func forget() {
    held = []
    lines = []
    joined = []
    depth = 0
  }

  /// The number of brackets left open at the end of a line, if nothing follows them.
  private static func opened(atEndOf bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let last = bytes.last(where: { $0 > UInt8(ascii: " ") }), isOpening(last) else { return 0 }
    var count = 0
    for byte in bytes.reversed() where byte > UInt8(ascii: " ") {
      guard isOpening(byte) else { break }
      count += 1
    }
    return count
  }

  private static func isOpening(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }

  /// How many more brackets a line opens than it closes; nil if it is no part of JSON.
  private static func change(in text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard let first = text.first(where: { $0 > UInt8(ascii: " ") }) else { return 0 }
    guard "\"{}[]-tfn".utf8.contains(first) || first.isASCIIDigit else { return nil }
    var (change, inText, isEscaped) = (0, false, false)
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if inText {
        isEscaped = byte == UInt8(ascii: "\\")
        if byte == UInt8(ascii: "\"") { inText = false }
      } else if byte == UInt8(ascii: "\"") {
        inText = true
      } else if isOpening(byte) {
        change += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        change -= 1
      }
    }
    return inText ? nil : change
  }

  /// The line without the timestamp that GitHub's logs of actions put in front.
  private static func withoutStamp(_ bytes: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
    guard let first = bytes.first, first.isASCIIDigit else { return bytes[...] }
    guard let stamp = LogTime.stamp(Array(bytes.prefix(64))[...]), stamp.date != nil else {
      return bytes[...]
    }
    return bytes[min(stamp.length, bytes.count)...]
  }

  private static func areStatistics(_ json: [UInt8]) -> Bool {
    json.withUnsafeBufferPointer {
      ByteSearch.find("\"type\"", in: $0) != nil
        && (ByteSearch.find("-rtp\"", in: $0) != nil || ByteSearch.find("\"timestamp\"", in: $0) != nil)
    }
  }
}
