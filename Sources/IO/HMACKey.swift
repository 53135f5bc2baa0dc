import COpenSSL
import CallModel
import Glibc

/// A secret key for HMAC-SHA-256 (RFC 2104), with OpenSSL.
public struct HMACKey: Sendable {
  /// Minimum length of a key, bytes: shorter ones could be guessed.
  public static let smallest = Limit.pseudonymKey.value

  private let key: [UInt8]

  /// Nil if it is shorter than `smallest`. Surrounding white space is ignored.
  public init?(_ bytes: [UInt8]) {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let end = (bytes.lastIndex { !isSpace($0) } ?? -1) + 1
    key = Array(bytes[..<end].drop(while: isSpace))
    guard key.count >= Self.smallest else { return nil }
  }

  /// The HMAC of a text, 32 bytes.
  public func code(_ text: some Sequence<UInt8>) -> [UInt8] {
    let message = Array(text)
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 32
    _ = HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &count)
    return code
  }
}
