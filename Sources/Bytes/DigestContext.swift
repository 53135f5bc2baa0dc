import COpenSSL

/// What OpenSSL needs for SHA-256 (FIPS 180-4). It is made when it is first asked for, by whichever thread: the first one of
/// a program takes a millisecond, and not every program digests.
final class DigestContext {
  private var made: OpaquePointer?

  /// Begun, with nothing in it at first.
  var handle: OpaquePointer? {
    if made == nil {
      made = EVP_MD_CTX_new()
      EVP_DigestInit_ex(made, EVP_sha256(), nil)
    }
    return made
  }

  deinit { EVP_MD_CTX_free(made) }
}
