import COpenSSL
import Glibc

/// SHA-256 (FIPS 180-4) through OpenSSL, a piece at a time.
public final class SHA256 {
  private let context = DigestContext()

  /// A digest of nothing yet.
  public init() {}

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context.handle, bytes.baseAddress, bytes.count)
  }

  /// The 32 bytes of the digest of what was added so far.
  public func digest() -> [UInt8] {
    let copy = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(copy) }
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_MD_CTX_copy_ex(copy, context.handle)
    EVP_DigestFinal_ex(copy, &digest, nil)
    return digest
  }

  /// The digest of what was added so far, as 64 lower-case hex digits.
  public func hexDigest() -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// SHA-256 of a file as it lies on the disk, compressed or not. Throws `BytesError`.
public func sha256(ofFile path: RawPath) throws -> String {
  let hasher = SHA256()
  try readPieces(of: path) { hasher.update($0) }
  return hasher.hexDigest()
}

/// SHA-256 of the beginnings of a file, by their lengths in bytes; one pass gives them all, and what the file is too short
/// for is missing. Throws `BytesError`.
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
