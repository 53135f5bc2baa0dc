import Bytes

/// Takes secrets out of text: tokens, PINs, passwords, ICE passwords, SDES keys, TURN credentials, cookies, authorization, numbers of
/// cards and accounts, codes good for one time.
///
/// Works on bytes as they stand in logs: URLs (also percent-encoded), headers (as lines, members, pairs), JSON members (also in JSON inside
/// a string), SDP lines, `name = value` of descriptions, `Bearer …`, `Basic …`, JSON Web Tokens, private keys, `user:password@`. Only the
/// secret is replaced; what is already replaced is left alone. JSON, alone or in a line of text, is read as such: it stays JSON of the same
/// shape, and every string without a secret stays as it was.
public struct Redactor: Sendable {
  /// What stands where a secret was.
  public static let mark = "[redacted]"

  private let names: SecretNames

  /// - Parameter secretNames: further names of members or parameters that hold secrets, of a dialect's own.
  public init(secretNames: [String] = []) {
    self.names = SecretNames(more: secretNames)
  }

  /// Whether a member, parameter or header of this name holds a secret.
  func isSecret(name: String) -> Bool {
    var name = name
    return name.withUTF8 { names.isSecret($0) && !SecretNames.isKeyLike($0) }
  }

  /// A text without its secrets.
  public func text(_ text: String) -> String {
    var bytes = text
    return bytes.withUTF8(redacted).map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// The value of a named member or parameter: the mark if the name says so, else the value without secrets in it.
  public func value(_ value: String, named name: String) -> String {
    var bytes = value
    return isSecret(name: name) && !bytes.withUTF8(SecretNames.isHarmless) ? Self.mark : text(value)
  }

  /// Bytes without their secrets, or nil where there are none: the usual case costs no copy.
  public func redacted(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var scan = RedactorScan(bytes: bytes, names: names)
    scan.run()
    // Letters that are written as their numbers are seen only where they are decoded.
    let isEscaped = ByteSearch.find("\\u00", in: bytes) != nil
    guard !scan.cuts.isEmpty || isEscaped else { return nil }
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) else {
      let clean = scan.cuts.isEmpty ? nil : scan.rendered()
      return isEscaped ? (clean ?? Array(bytes)).withUnsafeBufferPointer(decoded) ?? clean : clean
    }
    // Again, with an eye for JSON: only what has secrets pays for it.
    var exact = RedactorScan(bytes: bytes, names: names)
    exact.runSeeingJSON()
    let clean = exact.cuts.isEmpty ? nil : exact.rendered()
    guard isEscaped else { return clean }
    // What is left may stand in text around the JSON.
    return (clean ?? Array(bytes)).withUnsafeBufferPointer { isJSON($0) ? nil : decoded($0) } ?? clean
  }

  /// Text with its escapes of plain letters decoded, and without the secrets that only then show; nil where none do.
  private func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    RedactorScan.withoutEscapes(bytes, names)
  }

  private func isJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(bytes)
    guard (try? scanner.skip()) != nil else { return false }
    return bytes[scanner.position...].allSatisfy { $0 <= UInt8(ascii: " ") }
  }
}

extension RedactorScan {
  /// Text with its escapes of plain letters decoded, and without the secrets that only then show; nil where none do.
  static func withoutEscapes(_ bytes: UnsafeBufferPointer<UInt8>, _ names: SecretNames) -> [UInt8]? {
    guard ByteSearch.find("\\u00", in: bytes) != nil else { return nil }
    let plain = EscapedText.decoded(bytes)
    return plain.withUnsafeBufferPointer { plain in
      var scan = RedactorScan(bytes: plain, names: names)
      scan.run()
      return scan.cuts.isEmpty ? nil : scan.rendered()
    }
  }
}

/// Escapes of ASCII in text that is no JSON: `p\u0061ssword`.
private enum EscapedText {
  /// The text with `\u0020` to `\u007e` as the characters they are; quotes and backslashes stay escaped.
  static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      if at + 6 <= bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u"),
        bytes[at + 2] == UInt8(ascii: "0"), bytes[at + 3] == UInt8(ascii: "0"),
        let high = bytes[at + 4].asciiHexValue, let low = bytes[at + 5].asciiHexValue
      {
        let byte = high << 4 | low
        if byte >= UInt8(ascii: " "), byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
          out.append(byte)
          at += 6
          continue
        }
      }
      out.append(bytes[at])
      at += 1
    }
    return out
  }
}
