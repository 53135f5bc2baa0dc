import Bytes

/// What a page may do: run its own script, use its own style, and nothing else.
enum PageSecurity {
  /// The Content-Security-Policy for a page with exactly this script and this style.
  static func policy(script: [UInt8], style: [UInt8]) -> String {
    "default-src 'none'; script-src 'sha256-\(digest(script))'; style-src 'sha256-\(digest(style))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    let hasher = SHA256()
    bytes.withUnsafeBytes { hasher.update($0) }
    return base64(hasher.digest())
  }

  /// RFC 4648 base64.
  static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      value <<= UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        text.append(
          place <= group.count ? alphabet[Int(value >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
