import Bytes

/// Removes secrets from text: tokens, PINs, passwords, ICE passwords, SDES keys, TURN credentials, cookies,
/// authorization, card and account numbers, one-time codes.
///
/// Works on bytes as found in logs: URLs (also percent-encoded), headers (as lines, members, pairs), JSON members (also
/// in JSON inside a string), SDP lines, `name = value` of descriptions, `Bearer …`, `Basic …`, JSON Web Tokens, private
/// keys, `user:password@`. Only the secret is replaced, and what is already replaced is unchanged. JSON, alone or in a
/// line of text, is parsed: it remains JSON of the same structure, and strings without secrets are unchanged.
public struct Redactor: Sendable {
  /// Replaces each secret.
  public static let mark = "[redacted]"

  private let names: SecretNames

  /// - Parameter secretNames: additional names of secret members or parameters, from a dialect.
  public init(secretNames: [String] = []) {
    self.names = SecretNames(more: secretNames)
  }

  /// Whether a member, parameter or header with this name is secret.
  func isSecret(name: String) -> Bool {
    var name = name
    return name.withUTF8 { names.isSecret($0) && !SecretNames.isKeyLike($0) }
  }

  /// A text without secrets.
  public func text(_ text: String) -> String {
    var bytes = text
    return bytes.withUTF8(redacted).map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// The value of a named member or parameter: the mark if the name is secret, otherwise the value without secrets in
  /// it.
  public func value(_ value: String, named name: String) -> String {
    var bytes = value
    return isSecret(name: name) && !bytes.withUTF8(SecretNames.isHarmless) ? Self.mark : text(value)
  }

  /// Bytes without secrets; nil if there are none, so that the usual case needs no copy.
  public func redacted(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var scan = RedactorScan(bytes: bytes, names: names)
    scan.run()
    // Letters written as escapes have to be decoded first.
    let isEscaped = ByteSearch.find("\\u00", in: bytes) != nil
    guard !scan.cuts.isEmpty || isEscaped else { return nil }
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) else {
      let clean = scan.cuts.isEmpty ? nil : scan.rendered()
      return isEscaped ? (clean ?? Array(bytes)).withUnsafeBufferPointer(decoded) ?? clean : clean
    }
    // A second, JSON-aware pass, only for text with secrets.
    var exact = RedactorScan(bytes: bytes, names: names)
    exact.runSeeingJSON()
    let clean = exact.cuts.isEmpty ? nil : exact.rendered()
    guard isEscaped else { return clean }
    // The rest may be in text around the JSON.
    return (clean ?? Array(bytes)).withUnsafeBufferPointer { isJSON($0) ? nil : decoded($0) } ?? clean
  }

  /// Text with escaped letters decoded and the secrets found only then removed; nil if there are none.
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
  /// Text with escaped letters decoded and the secrets found only then removed; nil if there are none.
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

/// Decodes ASCII escapes in text that is not JSON: `p\u0061ssword`.
private enum EscapedText {
  /// The text with `\u0020` to `\u007e` decoded; quotes and backslashes remain escaped.
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
