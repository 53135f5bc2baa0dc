/// Finds a person by name in texts that may spell the name differently.
///
/// Equivalent spellings: another case of ASCII letters, letters written as `%40` or `\u0040`, a name with or without a
/// URI's scheme and parameters, a phone number with or without its plus and visual separators (RFC 3966), a name whose
/// words a form has joined (`Zoe+Quimby`) or a reader has split. A part of a longer name, word or number does not
/// match.
struct Person {
  /// The bytes to search for: lower-cased, or the digits of a number.
  private let bytes: [UInt8]
  private let isNumber: Bool
  /// Minimum digits of a phone number; fewer may be a name of digits.
  private static let minDigits = 7
  private static let schemes = ["sips:", "sip:", "tel:", "mailto:", "xmpp:"]

  /// The person with a name, number or URI.
  init(_ name: String) {
    var core = Array(name.utf8)
    if let scheme = Self.schemes.first(where: { name.lowercased().hasPrefix($0) }) {
      core = Array(
        core.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "?") })
    }
    let plain = UnescapedText(core).plain
    let digits = plain.filter(\.isASCIIDigit)
    isNumber =
      digits.count >= Self.minDigits
      && plain.enumerated().allSatisfy {
        $1.isASCIIDigit || $1.isSeparator || $0 == 0 && $1 == UInt8(ascii: "+")
      }
    bytes = isNumber ? digits : plain
  }

  /// The text with the person replaced; nil if the person is not in it.
  func removed(from text: UnsafeBufferPointer<UInt8>, leaving mark: String) -> String? {
    let places = places(in: text)
    return places.isEmpty ? nil : TextRemoval(places, of: text, leaving: mark).text
  }

  /// Whether the person is in a text.
  func occurs(in text: UnsafeBufferPointer<UInt8>) -> Bool { !places(in: text, most: 1).isEmpty }

  private func places(in text: UnsafeBufferPointer<UInt8>, most: Int = .max) -> [Range<Int>] {
    guard !bytes.isEmpty, text.count >= bytes.count, mayOccur(in: text) else { return [] }
    let spelled = UnescapedText(text)
    var places: [Range<Int>] = []
    var at = 0
    while at < spelled.plain.count, places.count < most {
      guard let found = isNumber ? number(at, in: spelled.plain) : name(at, in: spelled.plain) else {
        at += 1
        continue
      }
      places.append(spelled.source(of: found))
      at = found.upperBound
    }
    return places
  }

  /// A fast check: every byte of the name must occur unescaped, unless the text has escapes.
  private func mayOccur(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    if isNumber { return text.lazy.count { $0.isASCIIDigit } >= bytes.count }
    let first = bytes[0]
    return text.contains {
      $0.asciiLowercased == first || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\")
    }
  }

  // MARK: One match

  private func name(_ start: Int, in text: [UInt8]) -> Range<Int>? {
    let end = start + bytes.count
    // Forms write the blank of a name as a plus.
    guard text[start] == bytes[0], end <= text.count,
      text[start..<end].elementsEqual(
        bytes, by: { $0 == $1 || $0 == UInt8(ascii: "+") && $1 == UInt8(ascii: " ") })
    else { return nil }
    // `x.bob`, `bob-2` and `bob.org` are other names than `bob`; in `bob.` the point ends a sentence.
    func joins(_ place: Int, _ step: Int) -> Bool {
      guard text.indices.contains(place) else { return false }
      if text[place].isWord { return true }
      let next = place + step
      return text[place].joinsWords && text.indices.contains(next) && text[next].isWord
    }
    return joins(start - 1, -1) || joins(end, 1) ? nil : start..<end
  }

  private func number(_ start: Int, in text: [UInt8]) -> Range<Int>? {
    let plus = UInt8(ascii: "+")
    var (at, digit, isSpaced) = (start, 0, false)
    if text[at] == plus { at += 1 }
    while digit < bytes.count {
      guard at < text.count else { return nil }
      if text[at] == bytes[digit] {
        digit += 1
      } else if text[at].isSeparator, at > start {
        if text[at] == UInt8(ascii: " ") { isSpaced = true }
      } else {
        return nil
      }
      at += 1
    }
    // With a digit before or after, also across a separator, it is part of a longer number.
    func goesOn(_ place: Int, _ step: Int) -> Bool {
      var place = place
      while text.indices.contains(place), text[place].isSeparator,
        isSpaced || text[place] != UInt8(ascii: " ")
      {
        place += step
      }
      return text.indices.contains(place) && text[place].isASCIIDigit
    }
    let hasPlus = text[start] == plus
    if !hasPlus, start > 0, text[start - 1] == plus { return nil }
    let isPartOfWord =
      !hasPlus && start > 0 && text[start - 1].isWord || text.indices.contains(at) && text[at].isWord
    return isPartOfWord || !hasPlus && goesOn(start - 1, -1) || goesOn(at, 1) ? nil : start..<at
  }
}

extension UInt8 {
  /// RFC 3966's visual separators, and blanks.
  fileprivate var isSeparator: Bool {
    self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "(")
      || self == UInt8(ascii: ")")
      || self == UInt8(ascii: " ")
  }
  /// Letters of any alphabet, digits and the underscore.
  fileprivate var isWord: Bool {
    isASCIIWord || self >= 0x80
  }
  /// Characters inside a name.
  fileprivate var joinsWords: Bool {
    self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
      || self == UInt8(ascii: "~")
      || self == UInt8(ascii: "'")
  }
}

/// A text with some ranges removed. JSON remains JSON: a removed number becomes a string.
struct TextRemoval {
  private(set) var text: String

  /// - Parameters:
  /// - ranges: in order; one may begin in one value and end in another.
  /// - mark: replaces each range.
  init(
    _ places: [Range<Int>], of bytes: UnsafeBufferPointer<UInt8>, leaving mark: String
  ) {
    var quotes =
      bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") ? StringTracker(bytes) : nil
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

  /// Whether offsets of a JSON text are inside a string; for increasing offsets.
  private struct StringTracker {
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

/// A text with escapes decoded and ASCII letters lower-cased, with the original offset of each byte. Words of a text
/// that a reader split (`"0":"Zoe","1":"Quimby"`) are joined by a blank again.
struct UnescapedText {
  private(set) var plain: [UInt8] = []
  /// The original offset of each byte, and of the end.
  private var places: [Int] = []

  /// Decodes `%40` of URIs and the escapes of JSON, and joins words of an object.
  init(_ text: some RandomAccessCollection<UInt8>) {
    let bytes = Array(text)
    let isObject = bytes.first == UInt8(ascii: "{")
    plain.reserveCapacity(bytes.count)
    places.reserveCapacity(bytes.count + 1)
    var at = 0
    while at < bytes.count {
      let seam = isObject ? Self.seam(bytes, at) : nil
      let (own, length) = seam.map { ([UInt8(ascii: " ")], $0) } ?? Self.unit(bytes, at)
      for byte in own {
        plain.append(byte.asciiLowercased)
        places.append(at)
      }
      at += length
    }
    places.append(bytes.count)
  }

  /// The original range of a part.
  func source(of range: Range<Int>) -> Range<Int> { places[range.lowerBound]..<places[range.upperBound] }

  /// The decoded bytes at an offset, and the length of their source.
  private static func unit(_ bytes: [UInt8], _ at: Int) -> (bytes: [UInt8], length: Int) {
    if bytes[at] == UInt8(ascii: "%"), let value = hex(bytes, at + 1, 2) { return ([UInt8(value)], 3) }
    guard bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count else { return ([bytes[at]], 1) }
    switch bytes[at + 1] {
    case UInt8(ascii: "u"):
      guard let value = hex(bytes, at + 2, 4), let scalar = Unicode.Scalar(value) else {
        return ([bytes[at]], 1)
      }
      return (Array(String(Character(scalar)).utf8), 6)
    case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "\\"): return ([bytes[at + 1]], 2)
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return ([UInt8(ascii: "\n")], 2)
    default: return ([bytes[at]], 1)
    }
  }

  /// The length of the separator between two split words: `","1":"`, for numbers without the quotes; nil if there is
  /// none.
  private static func seam(_ bytes: [UInt8], _ start: Int) -> Int? {
    let quote = UInt8(ascii: "\"")
    guard
      bytes[start] == quote || bytes[start] == UInt8(ascii: ",") && start > 0 && bytes[start - 1].isASCIIWord
    else { return nil }
    var at = start + (bytes[start] == quote ? 1 : 0)
    func passes(_ byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }
    guard passes(UInt8(ascii: ",")), passes(quote), at < bytes.count, bytes[at].isASCIIDigit else {
      return nil
    }
    while at < bytes.count, bytes[at].isASCIIDigit { at += 1 }
    guard passes(quote), passes(UInt8(ascii: ":")) else { return nil }
    _ = passes(quote)
    return at - start
  }

  private static func hex(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt32? {
    guard start + count <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<start + count] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
