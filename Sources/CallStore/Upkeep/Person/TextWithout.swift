import Bytes

/// A text without some places in it. What was JSON is JSON still: where a number was, a text is then.
struct TextWithout {
  private(set) var text: String

  /// - Parameters:
  ///   - places: in order; one may begin in one value and end in another.
  ///   - mark: stands where they were.
  init(
    _ places: [Range<Int>], of bytes: UnsafeBufferPointer<UInt8>, leaving mark: String
  ) {
    var quotes = bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") ? Quotes(bytes) : nil
    var out: [UInt8] = []
    var kept = 0
    for place in places where place.lowerBound >= kept {
      var (start, end) = (place.lowerBound, place.upperBound)
      let beginsInQuotes = quotes?.areOpen(at: start) ?? true
      let endsInQuotes = quotes?.areOpen(at: end) ?? true
      if !beginsInQuotes { while start > kept, Self.isOfNumber(bytes[start - 1]) { start -= 1 } }
      if !endsInQuotes { while end < bytes.count, Self.isOfNumber(bytes[end]) { end += 1 } }
      out += bytes[kept..<start]
      out += ((beginsInQuotes ? "" : "\"") + mark + (endsInQuotes ? "" : "\"")).utf8
      kept = end
    }
    text = String(decoding: out + bytes[kept...], as: UTF8.self)
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool { byte.isASCIIWord || "+-.".utf8.contains(byte) }

  /// Which places of a JSON text are within a string, asked from its beginning to its end.
  private struct Quotes {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var isOpen = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func areOpen(at place: Int) -> Bool {
      while at < place {
        if bytes[at] == UInt8(ascii: "\"") { isOpen.toggle() }
        at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
      }
      return isOpen
    }
  }
}
