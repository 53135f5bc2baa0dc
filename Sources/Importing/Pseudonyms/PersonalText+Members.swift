import Bytes

/// People in running text by what stands before them: `displayName=Zoe`, `\"caller\":\"Zoe\"`, `?user=zoe&…`, `"Zoe" <sip:…>`.
extension PersonalText {
  /// The text with people who stand under a person's name replaced; they are met.
  mutating func replacedByMember(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard
      bytes.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "<") })
    else { return text }
    var out: [UInt8] = []
    var kept = 0
    var at = 0
    while at < bytes.count {
      guard Self.isLetter(bytes[at]) else {
        if let name = Self.nameBeforeURI(bytes, at) { replace(name, of: bytes, &kept, &out) }
        at += 1
        continue
      }
      let start = at
      while at < bytes.count, Self.isLetter(bytes[at]) { at += 1 }
      // The n of an escaped line end is no part of the name.
      let isEscaped = start > 0 && bytes[start - 1] == UInt8(ascii: "\\") && at - start > 1
      // The name first: what stands behind it may be long, and be looked at for each name in it.
      guard let place = Self.valuePlace(bytes, after: at),
        PersonalJSON.isPerson(member: bytes[(isEscaped ? start + 1 : start)..<at])
          || isEscaped && PersonalJSON.isPerson(member: bytes[start..<at]),
        let value = Self.value(bytes, at: place)
      else { continue }
      replace(value, of: bytes, &kept, &out)
      at = max(at, value.upperBound)
    }
    guard kept > 0 else { return text }
    return String(decoding: out + bytes[kept...], as: UTF8.self)
  }

  private mutating func replace(
    _ range: Range<Int>, of bytes: [UInt8], _ kept: inout Int, _ out: inout [UInt8]
  ) {
    let name = String(decoding: bytes[range], as: UTF8.self)
    let isNumber = name.utf8.allSatisfy(\.isASCIIDigit)
    guard range.lowerBound >= kept, !PersonalJSON.isWord(name), !isNumber || name.utf8.count >= 5 else {
      return
    }
    meet(name)
    hasFound = true
    out += bytes[kept..<range.lowerBound] + Array(pseudonyms.person(name).utf8)
    kept = range.upperBound
  }

  // Where the value of a member begins whose name ends at a place; nil where no separator follows.
  private static func valuePlace(_ bytes: [UInt8], after end: Int) -> Int? {
    var at = end
    while at < bytes.count,
      bytes[at] == UInt8(ascii: "\\") || bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'")
    { at += 1 }
    while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
    guard at < bytes.count, bytes[at] == UInt8(ascii: ":") || bytes[at] == UInt8(ascii: "=") else {
      return nil
    }
    at += 1
    while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
    return at
  }

  // The value that begins at a place, without its quotes.
  private static func value(_ bytes: [UInt8], at place: Int) -> Range<Int>? {
    var at = place
    let quoting = at
    while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
    guard at < bytes.count else { return nil }
    if bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") {
      let quote = bytes[at]
      let start = at + 1
      at = start
      while at < bytes.count, bytes[at] != quote { at += 1 }
      if at < bytes.count { at -= quoting < start - 1 ? start - 1 - quoting : 0 }
      return start < at ? start..<at : nil
    }
    let start = at
    while at < bytes.count, !endsValue(bytes[at]) { at += 1 }
    while at > start, bytes[at - 1] == UInt8(ascii: " ") { at -= 1 }
    return start < at ? start..<at : nil
  }

  // The display name of `"Zoe" <sip:…>` or `Zoe <sip:…>`, where the bracket is at a place.
  private static func nameBeforeURI(_ bytes: [UInt8], _ bracket: Int) -> Range<Int>? {
    guard bytes[bracket] == UInt8(ascii: "<"), bracket > 1,
      [Array("sip".utf8), Array("tel".utf8), Array("mai".utf8)].contains(
        Array(bytes[(bracket + 1)...].prefix(3)))
    else { return nil }
    var end = bracket
    while end > 0, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    var start = end
    if end > 0, bytes[end - 1] == UInt8(ascii: "\"") {
      end -= 1
      if end > 0, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
      start = end
      while start > 0, bytes[start - 1] != UInt8(ascii: "\"") { start -= 1 }
    } else {
      while start > 0, !endsValue(bytes[start - 1]), bytes[start - 1] != UInt8(ascii: ":") { start -= 1 }
      while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
    }
    return start < end ? start..<end : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  // Control characters, quotes, & , ; < > ) ] } { [ \
  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: ")"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
      UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}
