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
    names = secretNames.isEmpty ? .usual : SecretNames(more: secretNames)
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

  /// Bytes without secrets; nil if there are none, so that the usual case needs no copy.
  public func redacted(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var scan = RedactorScan(bytes: bytes, names: names)
    scan.run()
    // What is written in escapes has to be decoded first.
    let isEscaped = EscapedText.isNeeded(bytes)
    guard !scan.cuts.isEmpty || isEscaped else { return nil }
    let isStructured =
      bytes.first == UInt8(ascii: "\"")
      || bytes.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
    if isStructured {
      // A second, JSON-aware pass, only for text with secrets or escapes.
      scan = RedactorScan(bytes: bytes, names: names)
      scan.runSeeingJSON()
    }
    // In JSON each string is decoded by itself; the rest may be in text around JSON.
    if isEscaped, !isStructured || !isJSON(bytes) { scan.decode() }
    return scan.cuts.isEmpty ? nil : scan.rendered()
  }

  private func isJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(bytes)
    guard (try? scanner.skip()) != nil else { return false }
    return bytes[scanner.position...].allSatisfy { $0 <= UInt8(ascii: " ") }
  }
}

extension RedactorScan {
  /// Finds the secrets that show where escapes are decoded, layer by layer.
  mutating func decode() {
    var found: [Replacement] = []
    var text = EscapedText(bytes)
    for _ in 0..<EscapedText.mostLayers {
      guard let layer = text else { break }
      layer.bytes.withUnsafeBufferPointer { plain in
        var scan = RedactorScan(bytes: plain, names: names)
        scan.run()
        found += scan.cuts.map {
          Replacement(range: layer.places[$0.range.lowerBound]..<layer.places[$0.range.upperBound])
        }
      }
      text = layer.decoded()
    }
    if !found.isEmpty { merge(found) }
  }
}
