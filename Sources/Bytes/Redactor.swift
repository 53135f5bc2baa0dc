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
  public func isSecret(name: String) -> Bool {
    names.isSecret(name)
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
    guard !scan.cuts.isEmpty else { return nil }
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) else {
      return scan.rendered()
    }
    // Again, with an eye for JSON: only what has secrets pays for it.
    var exact = RedactorScan(bytes: bytes, names: names)
    exact.runSeeingJSON()
    return exact.cuts.isEmpty ? nil : exact.rendered()
  }
}
