import Bytes

/// A person as somebody names them, found in texts that spell the name in another way.
///
/// The same are: another case of ASCII letters, letters written as `%40` or `\u0040`, a name with and without a URI's scheme
/// and parameters, a phone number with and without its plus and visual separators (RFC 3966), a name whose words a form has
/// joined (`Zoe+Quimby`) or a reader has parted. A part of a longer name, word or number is somebody else.
struct Person {
  /// The bytes to look for: in small letters, or the digits of a number.
  private let bytes: [UInt8]
  private let isNumber: Bool
  /// Fewest digits of a phone number; fewer may be a name of digits.
  private static let fewestDigits = 7
  private static let schemes = ["sips:", "sip:", "tel:", "mailto:", "xmpp:"]

  /// The person that a name, number or URI means.
  init(_ name: String) {
    var core = Array(name.utf8)
    if let scheme = Self.schemes.first(where: { name.lowercased().hasPrefix($0) }) {
      core = Array(
        core.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "?") })
    }
    let plain = SpelledText(core).plain
    let digits = plain.filter(\.isASCIIDigit)
    isNumber =
      digits.count >= Self.fewestDigits
      && plain.enumerated().allSatisfy {
        $1.isASCIIDigit || $1.isSeparator || $0 == 0 && $1 == UInt8(ascii: "+")
      }
    bytes = isNumber ? digits : plain
  }

  /// The text with something else where the person stood; nil where the person is not in it.
  func removed(from text: UnsafeBufferPointer<UInt8>, leaving mark: String) -> String? {
    let places = places(in: text)
    return places.isEmpty ? nil : TextWithout(places, of: text, leaving: mark).text
  }

  /// Whether the person is in a text.
  func stands(in text: UnsafeBufferPointer<UInt8>) -> Bool { !places(in: text, most: 1).isEmpty }

  private func places(in text: UnsafeBufferPointer<UInt8>, most: Int = .max) -> [Range<Int>] {
    guard !bytes.isEmpty, text.count >= bytes.count, mayStand(in: text) else { return [] }
    let spelled = SpelledText(text)
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

  /// A quick look: every byte of the name must be there as it is, unless something is written in another way.
  private func mayStand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    if isNumber { return text.lazy.count { $0.isASCIIDigit } >= bytes.count }
    let first = bytes[0]
    return text.contains {
      $0.asciiLowercased == first || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\")
    }
  }

  // MARK: One place

  private func name(_ start: Int, in text: [UInt8]) -> Range<Int>? {
    let end = start + bytes.count
    // A form writes the blank of a name as a plus.
    guard text[start] == bytes[0], end <= text.count,
      text[start..<end].elementsEqual(
        bytes, by: { $0 == $1 || $0 == UInt8(ascii: "+") && $1 == UInt8(ascii: " ") })
    else { return nil }
    // `x.bob`, `bob-2` and `bob.org` are other names than `bob`; `bob.` ends a sentence.
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
    // A digit beside it, or behind a separator, makes it a part of a longer number.
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
  /// RFC 3966's visual separators, and the space that people write.
  fileprivate var isSeparator: Bool {
    self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "(")
      || self == UInt8(ascii: ")")
      || self == UInt8(ascii: " ")
  }
  /// Letters of any alphabet, digits and the underscore.
  fileprivate var isWord: Bool {
    isASCIIWord || self >= 0x80
  }
  /// What stands within a name.
  fileprivate var joinsWords: Bool {
    self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
      || self == UInt8(ascii: "~")
      || self == UInt8(ascii: "'")
  }
}
