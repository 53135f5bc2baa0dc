import Bytes

/// Texts that say by their form what they are, and cannot be secrets.
enum TypedText {
  /// A word of a list (`ACBClientCallStatusRinging`, `audio/opus`, `vp9`), a UUID, an address of a host or of a person,
  /// a time, a number; a description or a candidate, whose secrets have names.
  static func isTyped(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      if bytes.count <= 4 { return true }
      if bytes.starts(with: "v=0".utf8) || bytes.starts(with: "candidate:".utf8)
        || bytes.starts(with: "a=candidate:".utf8) || bytes.first == UInt8(ascii: "[") && isMark(bytes)
      {
        return true
      }
      return bytes.count <= longest
        && (isWord(bytes) || isUUID(bytes) || isAddress(bytes) || isTime(bytes) || isPerson(bytes))
    }
  }

  /// Whether the name of a member may hold a secret: it has characters that identifiers do not have, or digits in two
  /// places or more, as tokens do.
  static func mayHideSecret(name: String) -> Bool {
    guard !isTyped(name) else { return false }
    var groups = 0
    var wasDigit = false
    for byte in name.utf8 {
      let isDigit = byte.isASCIIDigit
      if !isDigit, !byte.isASCIILetter, byte < 0x80, !"_-.$:/".utf8.contains(byte) { return true }
      if isDigit, !wasDigit { groups += 1 }
      wasDigit = isDigit
    }
    return groups > 1
  }

  private static let longest = 64

  // What takes the place of something else: `[redacted]`, `[1234 bytes left out]`.
  private static func isMark(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.elementsEqual("[redacted]".utf8)
      || bytes.count <= longest && bytes.suffix(9).elementsEqual("left out]".utf8)
  }

  // Of any script, also in quotes.
  private static func isWord(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy { $0.isASCIILetter || $0 >= 0x80 || "_-./:()\"',".utf8.contains($0) }
  }

  // `<sip:+491705551234@example.org>`, `bob@example.org`: a name, and a host with a point.
  private static func isPerson(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
    let host = bytes[(at + 1)...]
    return host.contains(UInt8(ascii: "."))
      && host.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || ".-:;=>".utf8.contains($0) }
      && bytes[..<at].allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "<:+.-_%".utf8.contains($0) }
  }

  private static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == 36 && bytes.count(where: \.isASCIIHexDigit) == 32
      && bytes.count(where: { $0 == UInt8(ascii: "-") }) == 4
  }

  // An IP address, also with a port, or a number with a point.
  private static func isAddress(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let points = bytes.count { $0 == UInt8(ascii: ".") }
    let colons = bytes.count { $0 == UInt8(ascii: ":") }
    let isIP = points == 3 && colons <= 1 || colons >= 2
    return (isIP || points == 1 && colons == 0) && bytes.count <= 45
      && bytes.allSatisfy { ($0.isASCIIHexDigit && (isIP || $0.isASCIIDigit)) || ".:-[]".utf8.contains($0) }
  }

  // `2026-11-20T10:00:00.123+01:00`.
  private static func isTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count >= 10 && bytes[4] == UInt8(ascii: "-") && bytes[7] == UInt8(ascii: "-")
      && bytes.allSatisfy { $0.isASCIIDigit || "-:.+TZ ".utf8.contains($0) }
  }
}
