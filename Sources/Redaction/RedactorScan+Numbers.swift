import Bytes

/// Private numbers: of payment cards, of bank accounts, and one-time codes.
extension RedactorScan {
  /// The range of such a number that begins with this word, or is announced by it; nil if there is none.
  @inline(__always)
  func privateNumber(at word: Range<Int>) -> Range<Int>? {
    let first = bytes[word.lowerBound]
    if first.isASCIIDigit {
      guard word.count == 4 || word.count >= 13 else { return nil }
      return cardNumber(from: word)
    }
    guard word.count >= 3 else { return nil }
    if first.isASCIICapital, word.count >= 4, bytes[word.lowerBound + 3].isASCIIDigit {
      return accountNumber(from: word)
    }
    return first | 0x20 == UInt8(ascii: "c") ? oneTimeCode(after: word) : nil
  }

  // Digit groups of cards, as printed and as typed.
  private static let groups: Set<[Int]> = [[4, 4, 4, 4], [4, 6, 5], [4, 6, 4], [4, 4, 4, 4, 3]]
  private static let maxDigits = 19

  // In groups anywhere; ungrouped, as ids of all kinds have as many digits, only after a word for a card.
  private func cardNumber(from word: Range<Int>) -> Range<Int>? {
    guard word.lowerBound == 0 || !isJoined(bytes[word.lowerBound - 1]) else { return nil }
    var digits: [UInt8] = []
    var sizes = [0]
    var at = word.lowerBound
    scan: while at < bytes.count, digits.count <= Self.maxDigits {
      switch bytes[at] {
      case let byte where byte.isASCIIDigit:
        digits.append(byte - UInt8(ascii: "0"))
        sizes[sizes.count - 1] += 1
      case UInt8(ascii: " "), UInt8(ascii: "-"):
        guard at + 1 < bytes.count, bytes[at + 1].isASCIIDigit, digits.count < Self.maxDigits,
          sizes.count < 4 || digits.count == 16 && threeDigits(at: at + 1)
        else { break scan }
        sizes.append(0)
      default: break scan
      }
      at += 1
    }
    let isOne = sizes.count == 1
    guard 13...Self.maxDigits ~= digits.count, 2...6 ~= digits[0],
      at == bytes.count || !isJoined(bytes[at]) || bytes[at] == UInt8(ascii: "."),
      isOne || Self.groups.contains(sizes), Self.isLuhn(digits), !isOne || isBehindCard(word.lowerBound)
    else { return nil }
    return word.lowerBound..<at
  }

  private func threeDigits(at start: Int) -> Bool {
    let end = start + 3
    guard end <= bytes.count, slice(start..<end).allSatisfy(\.isASCIIDigit) else { return false }
    return end == bytes.count || !isJoined(bytes[end])
  }

  // Characters that make a number part of something longer: letters, digits, and punctuation of decimals, UUIDs and
  // addresses.
  private func isJoined(_ byte: UInt8) -> Bool { Self.isWord(byte) || byte == UInt8(ascii: ".") }

  private static func isLuhn(_ digits: [UInt8]) -> Bool {
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() {
      let twice = Int(digit) * 2
      sum += place.isMultiple(of: 2) ? Int(digit) : twice > 9 ? twice - 9 : twice
    }
    return sum.isMultiple(of: 10)
  }

  // Words for a card in European languages, and how far before the number they may be.
  private static let cards: [StaticString] = ["card", "kart", "carte", "tarjeta", "carta", "visa", "amex"]
  private static let reach = 40

  private func isBehindCard(_ place: Int) -> Bool {
    let least = max(0, place - Self.reach)
    return (least..<place).contains { at in
      Self.cards.contains { startsInLetters($0, at: at) && at + $0.utf8CodeUnitCount <= place }
        || startsInLetters("pan", at: at) && (at == 0 || !bytes[at - 1].isASCIILetter)
          && at + 3 < place && !bytes[at + 3].isASCIILetter
    }
  }

  // Lengths of account numbers by country (ISO 13616).
  private static let lengths: [String: Int] = [
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
  ]

  // `DE89 3704 0044 0532 0130 00`: of the country's length, and with a valid check sum.
  private func accountNumber(from word: Range<Int>) -> Range<Int>? {
    let country = String(decoding: slice(word.lowerBound..<word.lowerBound + 2), as: UTF8.self)
    guard let length = Self.lengths[country],
      word.lowerBound == 0 || !isJoined(bytes[word.lowerBound - 1])
    else { return nil }
    var signs: [UInt8] = []
    var at = word.lowerBound
    while at < bytes.count, signs.count < length {
      let byte = bytes[at]
      if byte.isASCIIDigit || byte.isASCIICapital {
        signs.append(byte)
      } else if byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") || !signs.count.isMultiple(of: 4) {
        return nil
      }
      at += 1
    }
    guard signs.count == length, at == bytes.count || !Self.isWord(bytes[at]) else { return nil }
    var remainder = 0
    for sign in signs[4...] + signs[..<4] {
      remainder =
        sign.isASCIIDigit
        ? (remainder * 10 + Int(sign - UInt8(ascii: "0"))) % 97
        : (remainder * 100 + Int(sign - UInt8(ascii: "A")) + 10) % 97
    }
    return remainder == 1 ? word.lowerBound..<at : nil
  }

  // Words before `code` for a one-time code.
  private static let kinds: [StaticString] = [
    "verification", "security", "one-time", "one time", "confirmation", "activation", "access", "login",
    "sms", "authentication", "2fa", "sign-in", "use", "enter", "your",
  ]
  // Words between a code and its description.
  private static let links: [StaticString] = [" is your ", " is the ", " as your ", " is a "]

  // `verification code is 482913`, `one-time code: 482 913`, `482913 is your security code`, `cvv 123`.
  private func oneTimeCode(after word: Range<Int>) -> Range<Int>? {
    if word.count == 3 || word.count == 4 && bytes[word.lowerBound + 3].isASCIIDigit,
      startsInLetters("cvv", at: word.lowerBound) || startsInLetters("cvc", at: word.lowerBound)
    {
      return code(after: word.upperBound, least: 3)
    }
    guard word.count == 4, startsInLetters("code", at: word.lowerBound),
      let kind = Self.kinds.first(where: { kind in
        let start = word.lowerBound - kind.utf8CodeUnitCount - 1
        return start >= 0 && startsInLetters(kind, at: start)
          && bytes[word.lowerBound - 1] == UInt8(ascii: " ")
      })
    else { return nil }
    return code(after: word.upperBound, least: 4)
      ?? code(before: word.lowerBound - kind.utf8CodeUnitCount - 1)
  }

  // A card's number has 13 digits and more.
  private static let longestCode = 12

  private func code(after end: Int, least: Int) -> Range<Int>? {
    var at = end
    skipSpace(&at)
    if starts("is", at: at) { at += 2 }
    if at < bytes.count, bytes[at] == UInt8(ascii: ":") || bytes[at] == UInt8(ascii: "=") { at += 1 }
    skipSpace(&at)
    skipFold(&at)
    at = quote(at: at)?.upperBound ?? at
    let start = at
    var digits = 0
    while at < bytes.count, digits < Self.longestCode {
      if bytes[at].isASCIIDigit {
        digits += 1
      } else if bytes[at] != UInt8(ascii: " ") && bytes[at] != UInt8(ascii: "-") || digits < 3
        || at + 1 == bytes.count || !bytes[at + 1].isASCIIDigit
      {
        break
      }
      at += 1
    }
    let isWhole = at == bytes.count || !Self.isWord(bytes[at])
    return digits >= least && isWhole ? start..<at : nil
  }

  // The code at the start of the sentence, possibly followed by the sender's name.
  private func code(before start: Int) -> Range<Int>? {
    for end in (max(0, start - Self.reach)...start).reversed() {
      for link in Self.links where startsInLetters(link, at: end - link.utf8CodeUnitCount) {
        let behind = end - link.utf8CodeUnitCount
        var at = behind
        while at > 0, bytes[at - 1].isASCIIDigit { at -= 1 }
        let isWhole = at == 0 || !Self.isWord(bytes[at - 1]) || bytes[at - 1] == UInt8(ascii: "-")
        guard 4...10 ~= behind - at, isWhole, cuts.last.map({ $0.range.upperBound <= at }) ?? true else {
          return nil
        }
        return at..<behind
      }
    }
    return nil
  }

  // Whether a text is at this position, in any case.
  private func startsInLetters(_ text: StaticString, at start: Int) -> Bool {
    guard start >= 0, start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount
    where bytes[start + index].asciiLowercased != text.utf8Start[index] {
      return false
    }
    return true
  }
}
