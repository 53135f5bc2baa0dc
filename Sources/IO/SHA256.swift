import COpenSSL
import Glibc

/// Incremental SHA-256 (FIPS 180-4), with OpenSSL.
public final class SHA256 {
  private let context = DigestContext()

  /// An empty hash.
  public init() {}

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context.handle, bytes.baseAddress, bytes.count)
  }

  /// The 32-byte digest of the bytes added so far.
  public func digest() -> [UInt8] {
    let copy = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(copy) }
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_MD_CTX_copy_ex(copy, context.handle)
    EVP_DigestFinal_ex(copy, &digest, nil)
    return digest
  }

  /// The digest of the bytes added so far, as 64 lower-case hex digits.
  public func hexDigest() -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// SHA-256 of a file on disk, compressed or not. Throws `BytesError`.
public func sha256(ofFile path: RawPath) throws -> String {
  let hasher = SHA256()
  try readPieces(of: path) { hasher.update($0) }
  return hasher.hexDigest()
}

/// SHA-256 of a text.
public func sha256(ofText text: String) -> String {
  let hasher = SHA256()
  Array(text.utf8).withUnsafeBytes { hasher.update($0) }
  return hasher.hexDigest()
}

/// SHA-256 of several prefixes of a file, by their lengths in bytes, in one pass; lengths beyond the end of the file
/// are missing. Throws `BytesError`.
public func sha256(ofFile path: RawPath, beginnings lengths: Set<Int>) throws -> [Int: String] {
  let hasher = SHA256()
  var digests: [Int: String] = [:]
  var pending = lengths.sorted()[...]
  var done = 0
  try readPieces(of: path, upTo: pending.last ?? 0) { piece in
    var rest = piece
    while let length = pending.first, length - done <= rest.count {
      hasher.update(UnsafeRawBufferPointer(rebasing: rest[..<(length - done)]))
      rest = UnsafeRawBufferPointer(rebasing: rest[(length - done)...])
      done = length
      digests[length] = hasher.hexDigest()
      pending = pending.dropFirst()
    }
    hasher.update(rest)
    done += rest.count
  }
  return digests
}

private func readPieces(
  of path: RawPath, upTo limit: Int = .max, _ take: (UnsafeRawBufferPointer) -> Void
) throws {
  let descriptor = try openForReading(path)
  defer { close(descriptor) }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
  defer { buffer.deallocate() }
  var done = 0
  while done < limit {
    let got = try readSome(descriptor, into: buffer)
    if got == 0 { return }
    take(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
    done += got
  }
}

/// A 32-bit hash of a text, to index hashes instead of whole texts: the first four bytes of its SHA-256, so that
/// collisions are hard to produce on purpose. Not thread-safe.
public final class ShortHash {
  private let digest = DigestContext()

  /// A hasher for any number of texts.
  public init() {}

  /// The hash of a text.
  public func callAsFunction(_ text: UnsafeBufferPointer<UInt8>) -> Int32 {
    let context = digest.handle
    // Reinitialises the context with the same algorithm.
    EVP_DigestInit_ex(context, nil, nil)
    EVP_DigestUpdate(context, text.baseAddress, text.count)
    return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
      EVP_DigestFinal_ex(context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
      return Int32(bigEndian: digest.load(as: Int32.self))
    }
  }
}

/// The OpenSSL algorithm for SHA-256 (FIPS 180-4), fetched on first use by any thread: the first fetch takes a
/// millisecond, and not every program needs it.
final class DigestContext {
  private var made: OpaquePointer?

  /// An initialised, empty context.
  var handle: OpaquePointer? {
    if made == nil {
      made = EVP_MD_CTX_new()
      EVP_DigestInit_ex(made, EVP_sha256(), nil)
    }
    return made
  }

  deinit { EVP_MD_CTX_free(made) }
}
