import COpenSSL

/// A number for a text, by which it is looked up in an index of such numbers instead of whole texts: the first four bytes of
/// its SHA-256. Texts that share one can hardly be made on purpose. Not to be used by two threads at a time.
public final class ShortHash {
  private let digest = DigestContext()

  /// Ready to hash one text after the other.
  public init() {}

  /// The hash of a text.
  public func callAsFunction(_ text: UnsafeBufferPointer<UInt8>) -> Int32 {
    let context = digest.handle
    // As before, which is known.
    EVP_DigestInit_ex(context, nil, nil)
    EVP_DigestUpdate(context, text.baseAddress, text.count)
    return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
      EVP_DigestFinal_ex(context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
      return Int32(bigEndian: digest.load(as: Int32.self))
    }
  }
}
