/// Takes secrets out of text: tokens, PINs, passwords, ICE passwords, SDES keys, TURN credentials, cookies, authorization.
///
/// Works on bytes as they stand in logs: URLs (also percent-encoded), headers, JSON members (also in JSON inside a string), SDP lines,
/// `name = value` of descriptions, `Bearer …`, JSON Web Tokens, `user:password@`. Only the secret is replaced, so JSON stays JSON and every
/// other byte stays as it was. What is already replaced is left alone.
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
    names.isSecret(Array(name.utf8)[...])
  }

  /// A text without its secrets.
  public func text(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      guard let clean = redacted(bytes) else { return String(decoding: bytes, as: UTF8.self) }
      return String(decoding: clean, as: UTF8.self)
    }
  }

  /// The value of a named member or parameter: the mark if the name says so, else the value without secrets in it.
  public func value(_ value: String, named name: String) -> String {
    isSecret(name: name) && !SecretNames.isHarmless(Array(value.utf8)[...]) ? Self.mark : text(value)
  }

  /// Bytes without their secrets, or nil where there are none: the usual case costs no copy.
  public func redacted(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var scan = RedactorScan(bytes: bytes, names: names)
    scan.run()
    guard !scan.cuts.isEmpty else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = 0
    for cut in scan.cuts {
      out.append(contentsOf: bytes[at..<cut.range.lowerBound])
      if cut.needsQuotes { out.append(0x22) }
      out.append(contentsOf: Self.mark.utf8)
      if cut.needsQuotes { out.append(0x22) }
      at = cut.range.upperBound
    }
    out.append(contentsOf: bytes[at...])
    return out
  }
}
